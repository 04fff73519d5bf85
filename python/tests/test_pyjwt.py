"""`sigmill.pyjwt`: tokens by PyJWT's own algorithms and by ours, one for the other, and attacks."""

from __future__ import annotations

import hashlib
import hmac
import json
import subprocess
import sys
from typing import Any

import pytest
from frames import library
from vectors import verify_vectors

jwt = library("jwt")

import sigmill.pyjwt  # noqa: E402
from cryptography.hazmat.primitives import serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec as their_ec  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ed448, rsa  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ed25519 as their_ed25519  # noqa: E402
from jwt.algorithms import get_default_algorithms  # noqa: E402
from sigmill import ed25519  # noqa: E402
from sigmill.ecdsa import p256, p384  # noqa: E402

NAMES = ["EdDSA", "ES256", "ES384"]
OURS = {name: algorithm() for name, algorithm in sigmill.pyjwt.ALGORITHMS.items()}
THEIRS = {name: get_default_algorithms()[name] for name in NAMES}
KINDS: dict[str, Any] = {"EdDSA": ed25519.SigningKey, "ES256": p256.SigningKey, "ES384": p384.SigningKey}
CLAIMS = {"sub": "carol", "exp": 4102444800}


def ours(name: str, number: int = 7) -> Any:
    return KINDS[name](bytes([number]) * (48 if name == "ES384" else 32))


def theirs(name: str, number: int = 7) -> Any:
    return serialization.load_der_private_key(ours(name, number).to_der(), None)


def refused(*words: str) -> Any:
    return pytest.raises(jwt.InvalidKeyError, match=".*".join(words))


@pytest.fixture
def registered() -> Any:
    """A PyJWS that has our algorithms."""
    jws = jwt.PyJWS()
    sigmill.pyjwt.register(jws)
    return jws


def test_register_takes_the_place_of_pyjwts_own() -> None:
    # in a program of its own: it is for the whole process
    program = """
import jwt, sigmill.pyjwt
from sigmill.ed25519 import SigningKey
before = set(jwt.PyJWS().get_algorithms())
sigmill.pyjwt.register()
sigmill.pyjwt.register()
for name, kind in sigmill.pyjwt.ALGORITHMS.items():
    assert type(jwt.get_algorithm_by_name(name)) is kind
assert set(jwt.api_jws._jws_global_obj.get_algorithms()) == before
key = SigningKey.generate()
token = jwt.encode({"sub": "carol"}, key, "EdDSA")
assert jwt.decode(token, key.public_key(), algorithms=["EdDSA"]) == {"sub": "carol"}
assert jwt.decode(jwt.encode({"sub": "x"}, "s" * 32, "HS256"), "s" * 32, algorithms=["HS256"]) == {"sub": "x"}
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_without_pyca_cryptography() -> None:
    program = """
import sys
sys.modules["cryptography"] = None
import jwt, sigmill.pyjwt
assert "EdDSA" not in jwt.PyJWS().get_algorithms()
sigmill.pyjwt.register()
from sigmill import ed25519
from sigmill.ecdsa import p256, p384
for name, kind in ("EdDSA", ed25519.SigningKey), ("ES256", p256.SigningKey), ("ES384", p384.SigningKey):
    key = kind.generate()
    token = jwt.encode({"sub": "carol"}, key.to_pem(), name)
    assert jwt.decode(token, key.public_key().to_pem(), algorithms=[name]) == {"sub": "carol"}
    algorithm = jwt.get_algorithm_by_name(name)
    assert algorithm.from_jwk(algorithm.to_jwk(key)) == key
try:
    jwt.get_algorithm_by_name("EdDSA").prepare_key("ssh-ed25519 AAAA")
except jwt.InvalidKeyError as error:
    assert "OpenSSH" in str(error), error
else:
    raise AssertionError("a line of OpenSSH is read")
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_package_does_not_import_jwt() -> None:
    program = "import sys, sigmill, sigmill.pyca; assert 'jwt' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("name", NAMES)
def test_signatures_of_both_are_accepted_by_both(name: str) -> None:
    made = [(OURS[name], ours(name)), (THEIRS[name], theirs(name))]
    for number in range(50):
        message = bytes([number]) * number
        for signer, private in made:
            signature = signer.sign(message, signer.prepare_key(private))
            for verifier, key in made:
                public = verifier.prepare_key(key.public_key())
                assert verifier.verify(message, public, signature)
                assert verifier.verify(message, verifier.prepare_key(key), signature)  # a private key, too
                assert not verifier.verify(message + b"0", public, signature)
                changed = bytearray(signature)
                changed[number] ^= 1
                assert not verifier.verify(message, public, bytes(changed))
            other = OURS[name].prepare_key(ours(name, 8).public_key())
            assert not OURS[name].verify(message, other, signature)


@pytest.mark.parametrize("name", NAMES)
def test_tokens(name: str, registered: Any) -> None:
    payload = json.dumps(CLAIMS).encode()
    for key in (ours(name), theirs(name), ours(name).to_pem(), ours(name).to_pem().encode()):
        token = registered.encode(payload, key, name)
        assert registered.decode(token, theirs(name).public_key(), algorithms=[name]) == payload
        assert jwt.decode(token, theirs(name).public_key(), algorithms=[name]) == CLAIMS  # by PyJWT's own
        assert token == registered.encode(payload, ours(name), name), "signing is deterministic"
        with pytest.raises(jwt.InvalidSignatureError):
            registered.decode(token, ours(name, 8).public_key(), algorithms=[name])
    token = jwt.encode(CLAIMS, theirs(name), name)
    assert json.loads(registered.decode(token, ours(name).public_key(), algorithms=[name])) == CLAIMS


@pytest.mark.parametrize("name", NAMES)
def test_forms_of_keys(name: str) -> None:
    algorithm, private = OURS[name], ours(name)
    public = private.public_key()
    line = theirs(name).public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    wrapped = sigmill.pyca.serialization.load_pem_private_key(private.to_pem().encode(), None)
    for form in (private, private.to_pem(), private.to_pem().encode(), theirs(name), wrapped):
        assert algorithm.prepare_key(form) == private
    for form in (public, public.to_pem(), theirs(name).public_key(), wrapped.public_key(), line, line.decode()):
        assert algorithm.prepare_key(form) == public


@pytest.mark.parametrize("name", NAMES)
def test_keys_of_another_kind_are_refused(name: str, registered: Any) -> None:
    algorithm = OURS[name]
    rsa_key = rsa.generate_private_key(65537, 2048)
    others: list[Any] = [ed448.Ed448PrivateKey.generate(), their_ec.generate_private_key(their_ec.SECP521R1()), rsa_key]
    for other in NAMES:
        if other == name:
            continue
        others += [ours(other), theirs(other)]
        private, public = ours(other).to_pem(), ours(other).public_key().to_pem()
        for text in (private, public):
            with refused(name, "needs a key of"):
                algorithm.prepare_key(text)
        token = registered.encode(b"{}", ours(other), other)
        # the verifier allows both algorithms, and the header says which one: the key is of the other
        with refused(other, "needs a key of"):
            registered.decode(token, ours(name).public_key(), algorithms=[name, other])
    for key in others:
        for form in (key, key.public_key()):
            with refused(name, "needs a key of"):
                algorithm.prepare_key(form)
    for what in (None, 7, "secret", b"", b"-----BEGIN PUBLIC KEY-----", {"kty": "EC"}, "ssh-rsa AAAA", "ssh-ed25519 !"):
        with refused(name, "needs a key of"):
            algorithm.prepare_key(what)
    with refused(name, "signs with a private key"):
        algorithm.sign(b"", ours(name).public_key())
    with refused(name, "verifies under a key of"):
        algorithm.verify(b"", b"key", b"")


@pytest.mark.parametrize("name", NAMES)
def test_a_public_key_is_no_secret(name: str, registered: Any) -> None:
    """A token of HS256, made with the bytes of the public key, under that key."""
    public = ours(name).public_key()
    text = b"eyJhbGciOiJIUzI1NiJ9.e30"
    for secret in (bytes(public), public.to_pem().encode()):
        mac = jwt.utils.base64url_encode(hmac.digest(secret, text, "sha256"))
        token = text + b"." + mac
        with pytest.raises(jwt.InvalidAlgorithmError):
            registered.decode(token, public, algorithms=[name])
        with pytest.raises((TypeError, jwt.InvalidKeyError)):
            registered.decode(token, public, algorithms=[name, "HS256"])
    for header in ({"alg": "none"}, {}):
        encoded = jwt.utils.base64url_encode(json.dumps(header).encode())
        with pytest.raises(jwt.InvalidAlgorithmError):
            registered.decode(encoded + b".e30.", public, algorithms=[name])


@pytest.mark.parametrize("name", NAMES)
def test_signatures_of_another_form_are_invalid(name: str) -> None:
    algorithm, private = OURS[name], ours(name)
    signature = algorithm.sign(b"text", private)
    assert algorithm.verify("text", private.public_key(), signature), "text is UTF-8, as in PyJWT"
    wrong = [b"", signature[1:], signature + b"\0", bytes(len(signature))]
    if name != "EdDSA":
        wrong.append(private.sign(b"text", sig_format="der"))
    for other in wrong:
        assert not algorithm.verify(b"text", private.public_key(), other)
        assert not THEIRS[name].verify(b"text", theirs(name).public_key(), other)


@pytest.mark.parametrize("name", NAMES)
def test_json_web_keys_are_pyjwts(name: str) -> None:
    algorithm, host = OURS[name], THEIRS[name]
    for mine, other in ((ours(name), theirs(name)), (ours(name).public_key(), theirs(name).public_key())):
        text = host.to_jwk(other)
        assert json.loads(algorithm.to_jwk(mine)) == json.loads(text) == algorithm.to_jwk(other, as_dict=True)
        assert algorithm.from_jwk(text) == algorithm.from_jwk(json.loads(text)) == mine
    # the key of a PyJWK is one of pyca/cryptography
    jwk = jwt.PyJWK(host.to_jwk(theirs(name).public_key(), as_dict=True))
    assert algorithm.prepare_key(jwk.key) == ours(name).public_key()


def cut(text: str) -> str:
    """base64url of all bytes but the last."""
    octets: bytes = jwt.utils.base64url_decode(text)[:-1]
    return str(jwt.utils.base64url_encode(octets).decode())


@pytest.mark.parametrize("name", NAMES)
def test_faulty_json_web_keys_are_refused(name: str) -> None:
    algorithm = OURS[name]
    good = algorithm.to_jwk(ours(name), as_dict=True)
    other = algorithm.to_jwk(ours(name, 8), as_dict=True)
    for change, words in (
        ({"kty": "oct"}, "kty"),
        ({"crv": "P-521"}, "crv"),
        ({"crv": None}, "crv"),
        ({"x": cut(good["x"])}, "x of the JSON Web Key has"),
        ({"x": "AA" + "A" * 4 * 30}, "x of the JSON Web Key has 91 bytes"),
        ({"x": 7}, "x of a JSON Web Key is text"),
        ({"x": "é"}, "x of the JSON Web Key is not base64url"),
        ({"x": "*" + good["x"]}, "x of the JSON Web Key is not base64url"),
        ({"d": "A"}, "d of the JSON Web Key is not base64url"),
        ({"d": cut(good["d"])}, "d of the JSON Web Key has"),
        ({"d": other["d"]}, "is not that of d"),
    ):
        with refused(words):
            algorithm.from_jwk(good | change)
    for what in ("{", "[]", "7", None, 7, b"\xff"):
        with refused("JSON Web Key"):
            algorithm.from_jwk(what)
    if name != "EdDSA":
        with refused("no key of"):
            algorithm.from_jwk(good | {"y": other["y"]})
        with refused("no key of"):
            zero = jwt.utils.base64url_encode(bytes(algorithm._WIDTH)).decode()
            algorithm.from_jwk(good | {"d": zero})


def test_digests_are_those_of_the_algorithm() -> None:
    """OpenID Connect's at_hash is made with them."""
    for name in NAMES:
        if name == "EdDSA":
            with pytest.raises(NotImplementedError):
                OURS[name].compute_hash_digest(b"text")
        else:
            assert OURS[name].compute_hash_digest(b"text") == THEIRS[name].compute_hash_digest(b"text")
    assert OURS["ES384"].compute_hash_digest(b"text") == hashlib.sha384(b"text").digest()


def test_ed25519_has_the_verdicts_of_its_rule() -> None:
    """The frozen rows of the rule `common`; a key that is no point is refused before."""
    algorithm, valid = OURS["EdDSA"], 0
    for row in verify_vectors():
        if row.variant != "pure":
            continue
        try:
            key = ed25519.VerifyingKey(row.key)
        except ValueError:
            assert row.verdicts["common"] != "ok"
            continue
        found = algorithm.verify(row.message, algorithm.prepare_key(key), row.signature)
        assert found == (row.verdicts["common"] == "ok"), row
        valid += found
    assert valid > 100


def test_examples_of_the_standards(registered: Any) -> None:
    """RFC 7515 A.3 and RFC 8037 A.4."""
    ec_key = OURS["ES256"].from_jwk(
        '{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",'
        '"y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}'
    )
    token = (
        "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0"
        "cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    )
    assert json.loads(registered.decode(token, ec_key.public_key(), algorithms=["ES256"]))["iss"] == "joe"
    ed_key = OURS["EdDSA"].from_jwk(
        '{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",'
        '"x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}'
    )
    token = (
        "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4k"
        "i4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
    )
    assert registered.decode(token, ed_key.public_key(), algorithms=["EdDSA"]) == b"Example of Ed25519 signing"
    signed, signature = token.rsplit(".", 1)
    assert jwt.utils.base64url_encode(OURS["EdDSA"].sign(signed, ed_key)).decode() == signature
