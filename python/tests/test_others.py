"""ECDSA and X25519, and the same answers from pyca/cryptography."""

from __future__ import annotations

import hashlib
import os
from typing import Any

import pytest
import sigmill
from sigmill import x25519
from sigmill.ecdsa import p256, p384
from sigmill.ed25519 import SigningKey

CURVES: list[Any] = [p256, p384]


@pytest.mark.parametrize("curve", CURVES)
def test_ecdsa_signs_and_verifies(curve: Any) -> None:
    key = curve.SigningKey.generate()
    public = key.public_key()
    assert curve.VerifyingKey.from_public_bytes(public.public_bytes_raw(compressed=True)) == public
    assert curve.SigningKey.from_private_bytes(key.private_bytes_raw()).public_key() == public
    for sig_format in ("raw", "der"):
        for hash_name in (None, "sha256", "sha384", "sha512"):
            signature = key.sign(b"message", hash=hash_name, sig_format=sig_format)
            assert signature == key.sign(b"message", hash=hash_name, sig_format=sig_format)
            public.verify(signature, b"message", hash=hash_name, sig_format=sig_format)
            verdict = curve.verify_bytes(
                bytes(public), b"message", signature, hash=hash_name, sig_format=sig_format
            )
            assert verdict and verdict.reason is None
            with pytest.raises(sigmill.InvalidSignature):
                public.verify(signature, b"another", hash=hash_name, sig_format=sig_format)
    with pytest.raises(sigmill.InvalidSignature) as error:
        public.verify(key.sign(b"message"), b"message", sig_format="der")
    assert error.value.reason == "signature_der"
    with pytest.raises(ValueError, match="digest"):
        key.sign(b"", hash="none")
    with pytest.raises(ValueError, match="known are raw, der"):
        key.sign(b"", sig_format="asn1")
    assert key.private_bytes_raw().hex() not in repr(key)
    assert sigmill.load_pem_private_key(key.to_pem()).public_key() == public
    assert sigmill.load_der_private_key(key.to_der()).public_key() == public
    assert sigmill.load_pem_public_key(public.to_pem()) == public
    assert len({public, curve.VerifyingKey(bytes(public))}) == 1


@pytest.mark.parametrize(("curve", "width"), [(p256, 32), (p384, 48)], ids=["p256", "p384"])
def test_a_secret_may_lack_zeros_in_front(curve: Any, width: int) -> None:
    for size in range(1, width + 2):
        secret = b"\1" * size
        if 24 <= size <= width:
            assert curve.SigningKey(secret).private_bytes_raw() == bytes(width - size) + secret
            continue
        with pytest.raises(ValueError, match=f"{size} bytes, not {width}, nor 24 or more without zeros in front"):
            curve.SigningKey(secret)


def test_x25519_in_files() -> None:
    key = x25519.PrivateKey(bytes(range(32)))
    public = key.public_key()
    assert sigmill.load_pem_private_key(key.to_pem()) == sigmill.load_der_private_key(key.to_der()) == key
    assert sigmill.load_pem_public_key(public.to_pem()) == sigmill.load_der_public_key(public.to_der()) == public
    theirs = pytest.importorskip("cryptography.hazmat.primitives.serialization")
    read = theirs.load_pem_private_key(key.to_pem().encode(), None)
    assert read.private_bytes_raw() == key.private_bytes_raw()
    for other in (SigningKey(bytes(32)), p256.SigningKey(b"\1" * 32)):
        with pytest.raises(ValueError):
            x25519.PrivateKey.from_pem(other.to_pem())
        with pytest.raises(ValueError):
            x25519.PublicKey.from_der(other.public_key().to_der())


def test_x25519_agrees() -> None:
    alice = x25519.PrivateKey(bytes(range(32)))
    bob = x25519.PrivateKey.generate()
    assert alice.exchange(bob.public_key()) == bob.exchange(alice.public_key())
    with pytest.raises(ValueError, match="small order"):
        alice.exchange(x25519.PublicKey(bytes(32)))
    signing = SigningKey.generate()
    converted = x25519.PrivateKey.from_ed25519(signing)
    assert converted.public_key() == x25519.PublicKey.from_ed25519(signing.public_key())
    assert alice.private_bytes_raw().hex() not in repr(alice)
    for kind in (x25519.PublicKey, x25519.PrivateKey):
        with pytest.raises(ValueError, match="^data: X25519 key has 31 bytes, not 32$"):
            kind(bytes(31))


def test_pyca_gives_the_same() -> None:
    pytest.importorskip("cryptography", reason="not run here: pyca/cryptography")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519
    from cryptography.hazmat.primitives.asymmetric import x25519 as their_x25519

    for _ in range(20):
        seed, message = os.urandom(32), os.urandom(50)
        theirs, ours = ed25519.Ed25519PrivateKey.from_private_bytes(seed), SigningKey(seed)
        assert theirs.sign(message) == ours.sign(message)
        assert theirs.public_key().public_bytes_raw() == bytes(ours.public_key())
        pem = theirs.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        assert sigmill.load_pem_private_key(pem) == ours
        read = serialization.load_pem_private_key(ours.to_pem().encode(), None)
        assert isinstance(read, ed25519.Ed25519PrivateKey) and read.private_bytes_raw() == seed

        their_x = their_x25519.X25519PrivateKey.from_private_bytes(seed)
        our_x, peer = x25519.PrivateKey(seed), x25519.PrivateKey.generate().public_key()
        their_peer = their_x25519.X25519PublicKey.from_public_bytes(bytes(peer))
        assert their_x.exchange(their_peer) == our_x.exchange(peer)

        for curve, their_curve, their_hash in (
            (p256, ec.SECP256R1(), hashes.SHA256()),
            (p384, ec.SECP384R1(), hashes.SHA384()),
        ):
            their_key = ec.generate_private_key(their_curve)
            pem = their_key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            key = sigmill.load_pem_private_key(pem)
            assert isinstance(key, curve.SigningKey)
            key.public_key().verify(
                their_key.sign(message, ec.ECDSA(their_hash)), message, sig_format="der"
            )
            their_key.public_key().verify(
                key.sign(message, sig_format="der"), message, ec.ECDSA(their_hash)
            )


@pytest.mark.parametrize("curve", CURVES)
def test_a_digest_made_elsewhere_has_the_signature_of_its_message(curve: Any) -> None:
    key = curve.SigningKey.generate()
    message = b"hashed by somebody else"
    own = "sha256" if curve is p256 else "sha384"
    for name in ["sha256", "sha384", "sha512"]:
        digest = hashlib.new(name, message).digest()
        assert key.sign_digest(digest, hash=name) == key.sign(message, hash=name)
        der = key.sign_digest(digest, hash=name, sig_format="der")
        assert der == key.sign(message, hash=name, sig_format="der")
        if name == own:
            assert key.sign_digest(digest) == key.sign(message) == key.sign_digest(digest, hash="none")
        with pytest.raises(ValueError, match=f"digest: SHA-{name[3:]} digest has {len(digest) - 1} bytes, not {len(digest)}$"):
            key.sign_digest(digest[1:], hash=name)
    with pytest.raises(ValueError, match="empty"):
        key.sign_digest(b"", hash="none")
