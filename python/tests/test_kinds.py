"""Errors that name what was given in the place of a key, with one file of each kind made by the tool that makes it."""

from __future__ import annotations

import datetime
import gzip
import re
from typing import Any

import pytest
import sigmill
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa, x25519
from sigmill.ecdsa import p256
from sigmill.ed25519 import SigningKey, VerifyingKey
from sigmill.pyca import serialization as sigmill_serialization

KEY = ed25519.Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PEM, DER = serialization.Encoding.PEM, serialization.Encoding.DER
PKCS8, SPKI = serialization.PrivateFormat.PKCS8, serialization.PublicFormat.SubjectPublicKeyInfo
PLAIN = serialization.NoEncryption()


def certificate() -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "example")])
    day = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(KEY.public_key())
    builder = builder.serial_number(1).not_valid_before(day).not_valid_after(day.replace(year=2027))
    return builder.sign(KEY, None)


PRIVATE: list[tuple[bytes, str]] = [
    (KEY.private_bytes(PEM, PKCS8, serialization.BestAvailableEncryption(b"x")), "an encrypted PKCS#8 private key"),
    (KEY.private_bytes(DER, PKCS8, serialization.BestAvailableEncryption(b"x")), "an encrypted PKCS#8 private key"),
    (KEY.private_bytes(PEM, serialization.PrivateFormat.OpenSSH, PLAIN), "an OpenSSH private key (Ed25519)"),
    (certificate().public_bytes(PEM), "a certificate"),
    (certificate().public_bytes(DER), "a certificate"),
    (KEY.public_key().public_bytes(PEM, SPKI), "a public key (Ed25519)"),
    (KEY.public_key().public_bytes(DER, SPKI), "a public key (Ed25519)"),
    (ed448.Ed448PrivateKey.generate().private_bytes(PEM, PKCS8, PLAIN), "a private key (Ed448)"),
    (ec.generate_private_key(ec.SECP521R1()).private_bytes(PEM, PKCS8, PLAIN), "a private key (P-521)"),
    (rsa.generate_private_key(65537, 2048).private_bytes(PEM, PKCS8, PLAIN), "a private key (RSA)"),
    (gzip.compress(KEY.private_bytes(PEM, PKCS8, PLAIN)), "gzip"),
]


@pytest.mark.parametrize(("data", "name"), PRIVATE, ids=[f"{name} {data[0]}" for data, name in PRIVATE])
def test_what_is_no_private_key_is_named(data: bytes, name: str) -> None:
    is_pem = data.startswith(b"-----")
    load: Any = sigmill.load_pem_private_key if is_pem else sigmill.load_der_private_key
    with pytest.raises(ValueError) as error:
        load(data)
    assert str(error.value).startswith(f"data: this is {name}, not a private key of Ed25519, X25519, P-256 or P-384")
    for kind, title in ((SigningKey, "Ed25519"), (p256.SigningKey, "P-256"), (sigmill.x25519.PrivateKey, "X25519")):
        read: Any = kind.from_pem if is_pem else kind.from_der
        with pytest.raises(ValueError) as error:
            read(data)
        assert str(error.value).startswith(f"data: this is {name}, not a private key ({title})")
    if "encrypted" in name:
        assert str(error.value).endswith("; decrypt it with `openssl pkey -in FILE -out KEY`")


def test_what_is_no_public_key_is_named() -> None:
    pem = KEY.private_bytes(PEM, PKCS8, PLAIN)
    with pytest.raises(ValueError, match=r"this is a private key \(Ed25519\), not a public key of Ed25519, X25519"):
        sigmill.load_pem_public_key(pem)
    agreement = x25519.X25519PrivateKey.generate().public_key()
    with pytest.raises(ValueError, match=r"this is a public key \(X25519\), not a public key \(Ed25519\)"):
        VerifyingKey.from_der(agreement.public_bytes(DER, SPKI))
    line = KEY.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    with pytest.raises(ValueError, match=r"this is an SSH public key \(Ed25519\)"):
        sigmill.load_pem_public_key(line)


FORMS: dict[str, Any] = {"pem": PEM, "der": DER}


@pytest.mark.parametrize("form", FORMS)
def test_the_other_form_is_named(form: str) -> None:
    other = "der" if form == "pem" else "pem"
    private, public = KEY.private_bytes(FORMS[other], PKCS8, PLAIN), KEY.public_key().public_bytes(FORMS[other], SPKI)
    for needed, data, read in (("private", private, SigningKey), ("public", public, VerifyingKey)):
        message = rf"this is a {needed} key \(Ed25519\) in {other.upper()}, not in {form.upper()}; load_{other}_{needed}_key reads it"
        for module in (sigmill, sigmill_serialization):
            load: Any = getattr(module, f"load_{form}_{needed}_key")
            with pytest.raises(ValueError, match=message):
                load(data, None) if needed == "private" else load(data)
            # nothing is named where nothing is seen
            with pytest.raises(ValueError) as error:
                load(b"xx", None) if needed == "private" else load(b"xx")
            assert "this is" not in str(error.value)
        of_class: Any = getattr(read, f"from_{form}")
        name = "a private key" if needed == "private" else "SubjectPublicKeyInfo"
        with pytest.raises(ValueError, match=rf"data: this is {name} \(Ed25519\) in {other.upper()}; "):
            of_class(data)
        assert getattr(read, f"from_{other}")(data) is not None


@pytest.mark.parametrize(("data", "name"), PRIVATE, ids=[f"{name} {data[0]}" for data, name in PRIVATE])
def test_what_is_no_private_key_is_named_with_the_names_of_pyca(data: bytes, name: str) -> None:
    for form in FORMS:
        load: Any = getattr(sigmill_serialization, f"load_{form}_private_key")
        is_form = data.startswith(b"-----") == (form == "pem")
        if is_form and name.startswith(("an encrypted", "a private key")):
            continue  # theirs reads it, or says what is missing
        with pytest.raises(ValueError, match=re.escape(f"data: this is {name}")):
            load(data, None)


def test_a_damaged_key_is_not_named_as_what_was_needed() -> None:
    der = KEY.private_bytes(DER, PKCS8, PLAIN)
    for load in (sigmill.load_der_private_key, SigningKey.from_der):
        with pytest.raises(ValueError) as error:
            load(der[:-1])
        assert "this is" not in str(error.value)


def test_pem_with_other_blocks_and_in_other_forms() -> None:
    key = ec.derive_private_key(12345, ec.SECP256R1())
    sec1 = key.private_bytes(PEM, serialization.PrivateFormat.TraditionalOpenSSL, PLAIN)
    pkcs8 = key.private_bytes(PEM, PKCS8, PLAIN)
    for text in (
        b"-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n" + sec1,
        certificate().public_bytes(PEM) + pkcs8,
        b"\xef\xbb\xbf" + pkcs8,
        "Schl\xfcssel\n".encode("latin-1") + pkcs8,
        sec1.replace(b"EC PRIVATE", b"PRIVATE"),
        pkcs8.replace(b"\n", b"\r\n\r\n"),
    ):
        read = sigmill.load_pem_private_key(text)
        assert read.private_bytes_raw() == (12345).to_bytes(32, "big"), text
