"""`sigmill.pyca`: the keys of pyca/cryptography and ours, one for the other."""

from __future__ import annotations

import copy
import datetime
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import sigmill.pyca
from cryptography import exceptions, x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec as their_ec
from cryptography.hazmat.primitives.asymmetric import ed448, utils
from cryptography.hazmat.primitives.asymmetric import ed25519 as their_ed25519
from cryptography.hazmat.primitives.asymmetric import x25519 as their_x25519
from sigmill.pyca import ec, ed25519, x25519
from sigmill.pyca import serialization as our_serialization
from vectors import verify_vectors

SECRET = bytes(range(1, 33))
CURVES: list[Any] = [ec.SECP256R1, ec.SECP384R1]


def members(enumeration: Any) -> list[Any]:
    return [getattr(enumeration, name) for name in dir(enumeration) if name[0].isupper()]


def pairs() -> list[tuple[str, Any, Any]]:
    """Private keys: the name of a kind, ours, and theirs of the same secret."""
    found: list[tuple[str, Any, Any]] = [
        (
            "ed25519",
            ed25519.Ed25519PrivateKey.from_private_bytes(SECRET),
            their_ed25519.Ed25519PrivateKey.from_private_bytes(SECRET),
        ),
        (
            "x25519",
            x25519.X25519PrivateKey.from_private_bytes(SECRET),
            their_x25519.X25519PrivateKey.from_private_bytes(SECRET),
        ),
    ]
    for curve in CURVES:
        ours = ec.derive_private_key(7**80, curve())
        found.append((curve.name, ours, their_ec.derive_private_key(7**80, curve())))
    return found


PAIRS = pairs()
NAMES = [name for name, _, _ in PAIRS]


def said(call: Any) -> Any:
    """What it gives, or the type and the words of the exception."""
    try:
        return call()
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize(("ours", "theirs"), [pair[1:] for pair in PAIRS], ids=NAMES)
def test_every_form_of_a_key_is_the_same(ours: Any, theirs: Any) -> None:
    written = 0
    for encoding in members(serialization.Encoding):
        for form in members(serialization.PublicFormat):
            public = [key.public_key() for key in (ours, theirs)]
            one, other = (said(lambda key=key: key.public_bytes(encoding, form)) for key in public)
            assert one == other, (encoding, form)
            written += isinstance(one, bytes)
        for form in members(serialization.PrivateFormat):
            if form == serialization.PrivateFormat.OpenSSH:
                continue  # random
            one, other = (
                said(lambda key=key: key.private_bytes(encoding, form, serialization.NoEncryption()))
                for key in (ours, theirs)
            )
            assert one == other, (encoding, form)
            written += isinstance(one, bytes)
    assert written >= 6
    # what differs from time to time is read again
    for encryption in (serialization.BestAvailableEncryption(b"password"), serialization.NoEncryption()):
        password = getattr(encryption, "password", None)
        pem = ours.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
        read = our_serialization.load_pem_private_key(pem, password)
        assert type(read) is type(ours) and read.public_key() == theirs.public_key()
    if not isinstance(ours, x25519.X25519PrivateKey):
        text = ours.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
        )
        assert our_serialization.load_ssh_private_key(text, None).public_key() == ours.public_key()


@pytest.mark.parametrize(("ours", "theirs"), [pair[1:] for pair in PAIRS], ids=NAMES)
def test_keys_of_either_are_instances_of_both(ours: Any, theirs: Any) -> None:
    for one, other in ((ours, theirs), (ours.public_key(), theirs.public_key())):
        [our_class] = [found for module in (ed25519, x25519, ec) for found in vars(module).values() if found is type(one)][:1]
        [their_class] = [
            getattr(module, our_class.__name__)
            for module in (their_ed25519, their_x25519, their_ec)
            if hasattr(module, our_class.__name__)
        ]
        assert isinstance(one, their_class) and isinstance(other, our_class)
        assert not isinstance(ed448.Ed448PrivateKey.generate(), our_class)
    assert ours.public_key() == theirs.public_key() and theirs.public_key() != object()
    assert len({ours.public_key(), pickle.loads(pickle.dumps(ours.public_key()))}) == 1
    assert copy.deepcopy(ours) is ours and copy.copy(ours.public_key()) == ours.public_key()
    with pytest.raises(TypeError, match="neither copied nor pickled"):
        pickle.dumps(ours)


def test_a_signature_is_valid_where_openssl_says_so() -> None:
    judged = 0
    for vector in verify_vectors():
        if vector.variant != "pure" or len(vector.key) != 32:
            continue
        verdicts = []
        for keys in (ed25519, their_ed25519):
            key = keys.Ed25519PublicKey.from_public_bytes(vector.key)
            try:
                key.verify(vector.signature, vector.message)
                verdicts.append(True)
            except exceptions.InvalidSignature as error:
                verdicts.append(False)
                if keys is ed25519:
                    assert error.reason == vector.verdicts["common"]  # type: ignore[attr-defined]
        assert verdicts[0] == verdicts[1] == (vector.verdicts["common"] == "ok"), vector
        judged += 1
    assert judged > 1500


def test_bytes_that_are_no_point_are_a_key() -> None:
    raw = bytes([2]) + bytes(31)
    with pytest.raises(ValueError):
        sigmill.ed25519.VerifyingKey(raw)
    key = ed25519.Ed25519PublicKey.from_public_bytes(raw)
    assert key.public_bytes_raw() == raw
    theirs = their_ed25519.Ed25519PublicKey.from_public_bytes(raw)
    form = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    assert key.public_bytes(*form) == theirs.public_bytes(*form)
    with pytest.raises(exceptions.InvalidSignature) as error:
        key.verify(bytes(64), b"message")
    assert error.value.reason == "key_not_a_point"  # type: ignore[attr-defined]
    for data in (bytes(31), bytes(33)):
        with pytest.raises(ValueError, match=f"32 bytes long, not {len(data)}"):
            ed25519.Ed25519PublicKey.from_public_bytes(data)
    # four addresses are 32 bytes
    wrongs: list[Any] = [32, "x" * 32, None, np.array([b"a"] * 4, object), np.ma.masked_array(np.zeros(32, np.uint8))]
    for wrong in wrongs:
        with pytest.raises(TypeError, match="bytes are needed"):
            ed25519.Ed25519PrivateKey.from_private_bytes(wrong)


def test_invalid_signature_is_theirs() -> None:
    assert sigmill.pyca.InvalidSignature is exceptions.InvalidSignature
    assert sigmill.pyca.exceptions.InvalidTag is exceptions.InvalidTag
    assert sigmill.pyca.ed448 is ed448 and sigmill.pyca.hashes is hashes and sigmill.pyca.x509 is x509  # type: ignore[attr-defined]
    assert ec.SECP521R1 is their_ec.SECP521R1
    for module in (sigmill.pyca, ec, our_serialization, sigmill.pyca.exceptions):
        with pytest.raises(AttributeError, match="no_such_name"):
            module.no_such_name  # noqa: B018


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_ecdsa_with_every_hash(curve: Any) -> None:
    ours = ec.generate_private_key(curve())
    value = ours.private_numbers().private_value
    theirs = their_ec.derive_private_key(value, curve())
    prehashed = utils.Prehashed(hashes.SHA256())
    functions = [hashes.SHA1(), hashes.SHA224(), hashes.SHA256(), hashes.SHA384(), hashes.SHA512(), hashes.SHA3_256()]
    for function in [*functions, prehashed]:
        data, algorithm = b"m" * 32, ec.ECDSA(function)
        theirs.public_key().verify(ours.sign(data, algorithm), data, algorithm)
        ours.public_key().verify(theirs.sign(data, algorithm), data, algorithm)
        with pytest.raises(exceptions.InvalidSignature):
            ours.public_key().verify(theirs.sign(b"n" * 32, algorithm), data, algorithm)
        fixed = ec.ECDSA(function, deterministic_signing=True)
        assert ours.sign(data, fixed) == theirs.sign(data, fixed)
    with pytest.raises(ValueError, match="31 bytes; one of its hash function has 32"):
        ours.sign(bytes(31), ec.ECDSA(prehashed))
    peer = their_ec.generate_private_key(curve())
    assert ours.exchange(ec.ECDH(), peer.public_key()) == peer.exchange(ec.ECDH(), theirs.public_key())
    assert ours.exchange(ec.ECDH(), ours.public_key()) == theirs.exchange(ec.ECDH(), theirs.public_key())


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_numbers_are_keys(curve: Any) -> None:
    key = ec.derive_private_key(12345, curve())
    numbers = key.private_numbers()
    theirs = their_ec.derive_private_key(12345, curve()).private_numbers()
    public = ec.EllipticCurvePublicNumbers(theirs.public_numbers.x, theirs.public_numbers.y, curve())
    assert numbers.public_numbers == public == theirs.public_numbers and numbers == theirs
    assert isinstance(theirs.public_numbers, ec.EllipticCurvePublicNumbers)
    assert public.public_key() == key.public_key()
    assert ec.EllipticCurvePrivateNumbers(12345, public).private_key().public_key() == key.public_key()
    with pytest.raises(ValueError, match="not that of private_value"):
        ec.EllipticCurvePrivateNumbers(12346, public).private_key()
    for x, y in ((1, 1), (-1, 1), (2**400, 1)):
        with pytest.raises(ValueError):
            ec.EllipticCurvePublicNumbers(x, y, curve()).public_key()
    for value in (0, -1, 2**400, curve.group_order):
        with pytest.raises(ValueError):
            ec.derive_private_key(value, curve())
    point = key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.CompressedPoint)
    assert ec.EllipticCurvePublicKey.from_encoded_point(curve(), point) == key.public_key()
    with pytest.raises(ValueError):
        ec.EllipticCurvePublicKey.from_encoded_point(curve(), point[:-1])
    assert key.key_size == curve.key_size and key.curve.name == curve.name


def test_other_curves_are_theirs() -> None:
    key = ec.generate_private_key(ec.SECP521R1())
    assert not type(key).__module__.startswith("sigmill") and isinstance(key, ec.EllipticCurvePrivateKey)
    numbers = key.private_numbers().public_numbers
    assert ec.EllipticCurvePublicNumbers(numbers.x, numbers.y, ec.SECP521R1()).public_key() == key.public_key()
    pem = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    assert our_serialization.load_pem_public_key(pem) == key.public_key()


def test_x25519_takes_their_keys() -> None:
    ours, theirs = x25519.X25519PrivateKey.generate(), their_x25519.X25519PrivateKey.generate()
    raw = x25519.X25519PublicKey.from_public_bytes(theirs.public_key().public_bytes_raw())
    back = their_x25519.X25519PublicKey.from_public_bytes(ours.public_key().public_bytes_raw())
    assert ours.exchange(theirs.public_key()) == ours.exchange(raw) == theirs.exchange(back)
    with pytest.raises(ValueError, match="small order"):
        ours.exchange(x25519.X25519PublicKey.from_public_bytes(bytes(32)))
    with pytest.raises(TypeError, match="X25519PublicKey"):
        ours.exchange(bytes(32))


@pytest.mark.parametrize("ours", [pair[1] for pair in PAIRS if pair[0] != "x25519"], ids=["ed25519", "p256", "p384"])
def test_a_certificate_by_our_key(ours: Any) -> None:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "example")])
    day = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(ours.public_key())
    builder = builder.serial_number(1).not_valid_before(day).not_valid_after(day.replace(year=2027))
    certificate = builder.sign(ours, None if isinstance(ours, ed25519.Ed25519PrivateKey) else hashes.SHA256())
    certificate.verify_directly_issued_by(certificate)
    assert our_serialization.ours(certificate.public_key()) == ours.public_key()


ALONE = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "cryptography":
            raise ModuleNotFoundError(f"No module named {name!r}", name="cryptography")
sys.meta_path.insert(0, Absent())
import sigmill, sigmill.pyca as pyca
from sigmill.pyca import ec, ed25519, serialization, x25519
form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
class SHA256: name = "sha256"
assert pyca.InvalidSignature is sigmill.InvalidSignature
for key in (ed25519.Ed25519PrivateKey.generate(), x25519.X25519PrivateKey.generate(), ec.generate_private_key(ec.SECP384R1())):
    read = serialization.load_pem_private_key(key.private_bytes(*form), None)
    assert type(read) is type(key) and read.public_key() == key.public_key()
    more = () if not hasattr(key, "curve") else (ec.ECDSA(SHA256()),)
    if hasattr(key, "sign"):
        key.public_key().verify(key.sign(b"m", *more), b"m", *more)
        try:
            key.public_key().verify(key.sign(b"m", *more), b"n", *more)
        except pyca.InvalidSignature as error:
            assert error.reason == "equation"
        else:
            raise SystemExit("valid")
    try:
        key.private_bytes(*form[:2], serialization.BestAvailableEncryption(b"x"))
    except pyca.exceptions.UnsupportedAlgorithm as error:
        assert "package cryptography, which is not installed" in str(error)
    else:
        raise SystemExit("encrypted")
try:
    pyca.ed448
except AttributeError:
    print("alone")
"""


def test_without_pyca() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("alone\n", "")
