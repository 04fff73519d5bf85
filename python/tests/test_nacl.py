"""`sigmill.nacl`: what PyNaCl says of the same keys, where it is installed, and the same alone."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import pickle
import subprocess
import sys
from typing import Any

import pytest
import sigmill.nacl as nacl
from sigmill.ed25519 import verify_bytes
from vectors import verify_vectors

SEED = bytes(range(32))
ENCODERS = ["RawEncoder", "HexEncoder", "Base16Encoder", "Base32Encoder", "Base64Encoder", "URLSafeBase64Encoder"]
THEIRS: Any = importlib.import_module("nacl") if importlib.util.find_spec("nacl") else None
if THEIRS:
    for module in ("signing", "public", "encoding", "exceptions", "bindings"):
        importlib.import_module(f"nacl.{module}")
needs_theirs = pytest.mark.skipif(THEIRS is None, reason="PyNaCl is not installed")


@pytest.mark.parametrize("name", ENCODERS)
def test_keys_and_signatures_in_every_encoding(name: str) -> None:
    encoder = getattr(nacl.encoding, name)
    key = nacl.signing.SigningKey(SEED)
    public = key.verify_key
    assert nacl.signing.SigningKey(key.encode(encoder), encoder) == key
    assert nacl.signing.VerifyKey(public.encode(encoder), encoder) == public
    signed = key.sign(b"message", encoder)
    assert (encoder.decode(signed.signature), encoder.decode(signed.message)) == (
        bytes(key.sign(b"message"))[:64],
        b"message",
    )
    assert public.verify(signed, encoder=encoder) == b"message"
    assert public.verify(signed.message, encoder.decode(signed.signature), encoder) == b"message"
    if THEIRS:
        their_encoder = getattr(THEIRS.encoding, name)
        theirs = THEIRS.signing.SigningKey(SEED)
        their_signed = theirs.sign(b"message", their_encoder)
        assert (signed, signed.signature) == (their_signed, their_signed.signature)
        assert public.encode(encoder) == theirs.verify_key.encode(their_encoder)


def test_a_signature_is_valid_where_the_rule_strict_says_so() -> None:
    judged = 0
    for vector in verify_vectors():
        if vector.variant != "pure" or len(vector.key) != 32 or len(vector.signature) != 64:
            continue
        expected = vector.verdicts["strict"] == "ok"
        for keys in filter(None, (nacl.signing, THEIRS and THEIRS.signing)):
            key = keys.VerifyKey(vector.key)
            if expected:
                assert key.verify(vector.message, vector.signature) == vector.message
            else:
                with pytest.raises(nacl.exceptions.BadSignatureError):
                    key.verify(vector.message, vector.signature)
        assert bool(verify_bytes(vector.key, vector.message, vector.signature, rule="strict")) == expected
        judged += 1
    assert judged > 1500


def test_what_is_wrong_is_an_exception_of_nacl() -> None:
    errors = nacl.exceptions
    key = nacl.signing.SigningKey.generate()
    with pytest.raises(errors.ValueError, match="32 bytes long, not 31"):
        nacl.signing.SigningKey(bytes(31))
    with pytest.raises(errors.TypeError, match="bytes, not str"):
        nacl.signing.VerifyKey("x" * 32)  # type: ignore[arg-type]
    with pytest.raises(errors.ValueError, match="64 bytes are needed, not 1"):
        key.verify_key.verify(b"message", b"1")
    with pytest.raises(errors.BadSignatureError, match="equation"):
        key.verify_key.verify(b"another", key.sign(b"message").signature)
    with pytest.raises(errors.BadSignatureError):
        key.verify_key.verify(b"short")
    assert issubclass(errors.BadSignatureError, errors.CryptoError) and issubclass(errors.ValueError, ValueError)
    with pytest.raises(TypeError, match="neither copied nor pickled"):
        pickle.dumps(key)
    assert len({key.verify_key, nacl.signing.VerifyKey(bytes(key.verify_key))}) == 1 and key.verify_key != key
    with pytest.raises(errors.RuntimeError):
        nacl.signing.VerifyKey(bytes([1]) + bytes(31)).to_curve25519_public_key()


def test_x25519() -> None:
    key = nacl.signing.SigningKey(SEED)
    ours, peer = key.to_curve25519_private_key(), nacl.public.PrivateKey.generate()
    assert ours.public_key == key.verify_key.to_curve25519_public_key()
    shared = nacl.public.shared_secret(ours, peer.public_key)
    assert shared == nacl.public.shared_secret(peer, ours.public_key)
    with pytest.raises(nacl.exceptions.RuntimeError, match="small order"):
        nacl.public.shared_secret(ours, nacl.public.PublicKey(bytes(32)))
    assert nacl.public.PrivateKey(ours.encode(nacl.encoding.HexEncoder), nacl.encoding.HexEncoder) == ours


@needs_theirs
def test_x25519_as_they_have_it() -> None:
    ours, theirs = nacl.signing.SigningKey(SEED), THEIRS.signing.SigningKey(SEED)
    assert bytes(ours.to_curve25519_private_key()) == bytes(theirs.to_curve25519_private_key())
    assert bytes(nacl.public.PrivateKey.from_seed(SEED)) == bytes(THEIRS.public.PrivateKey.from_seed(SEED))
    peer = nacl.public.PrivateKey(SEED).public_key
    shared = nacl.public.shared_secret(nacl.public.PrivateKey(SEED), peer)
    assert shared == THEIRS.bindings.crypto_scalarmult(SEED, bytes(peer))
    assert nacl.exceptions.BadSignatureError is THEIRS.exceptions.BadSignatureError


def test_keys_have_attributes_of_the_program() -> None:
    for key in (nacl.signing.SigningKey(SEED), nacl.signing.SigningKey.generate()):
        vars(key).update(version="1", alg="ed25519")
        assert key.verify_key is key.verify_key
        key.verify_key.version = "1"  # type: ignore[attr-defined]
        assert key.verify_key.version == "1" and vars(key)["alg"] == "ed25519"  # type: ignore[attr-defined]
    private = nacl.public.PrivateKey.generate()
    assert private.public_key is private.public_key
    private.public_key.version = "1"  # type: ignore[attr-defined]


def test_copies_share_the_secret_and_have_attributes_of_their_own() -> None:
    for key in (nacl.signing.SigningKey(SEED), nacl.public.PrivateKey(SEED)):
        named: Any = key
        named.names = ["a"]
        shallow, deep = copy.copy(named), copy.deepcopy({"key": named})["key"]
        for made in (shallow, deep):
            assert type(made) is type(key) and made is not key and made == key and bytes(made) == SEED
            assert made._key is key._key
            made.version = "2"
            assert not hasattr(key, "version")
        assert shallow.names is named.names and deep.names == ["a"] and deep.names is not named.names
        with pytest.raises(TypeError, match="neither copied nor pickled"):
            pickle.dumps(key)
    public = nacl.signing.SigningKey(SEED).verify_key
    assert copy.deepcopy(public) == pickle.loads(pickle.dumps(public)) == public


def test_text_is_decoded_and_keys_are_written_as_pynacl_writes_them() -> None:
    encoder = nacl.encoding.HexEncoder
    key = nacl.signing.SigningKey(SEED)
    signed = key.sign(b"message", encoder)
    text: Any = signed.decode()
    assert key.verify_key.verify(text, encoder=encoder) == b"message"
    assert key.verify_key.verify(text[128:], key.sign(b"message").signature, encoder) == b"message"
    with pytest.raises(nacl.exceptions.TypeError, match="smessage: bytes are needed, not str"):
        key.verify_key.verify(text)
    for public in (key.verify_key, nacl.public.PrivateKey(SEED).public_key):
        assert str(public) == str(bytes(public))
    # theirs writes the secret
    assert str(key) == repr(key) == f"SigningKey(public {bytes(key.verify_key).hex()})"
    with pytest.raises(nacl.exceptions.TypeError, match="32 bytes long, not 1"):
        nacl.public.PrivateKey(b"1")
    with pytest.raises(nacl.exceptions.TypeError, match="32 bytes long, not 1"):
        nacl.public.PrivateKey.from_seed(b"1")


def test_exceptions_are_all_there() -> None:
    errors = nacl.exceptions
    assert issubclass(errors.CryptPrefixError, errors.InvalidkeyError) and issubclass(errors.InvalidkeyError, errors.CryptoError)
    assert issubclass(errors.AssertionError, AssertionError) and issubclass(errors.UnavailableError, errors.RuntimeError)
    errors.ensure(True, "text")
    with pytest.raises(errors.AssertionError, match="text"):
        errors.ensure(False, "text")
    with pytest.raises(errors.ValueError, match="text"):
        errors.ensure(False, "text", raising=errors.ValueError)
    if THEIRS:
        assert all(getattr(errors, name) is getattr(THEIRS.exceptions, name) for name in errors.__all__)


@needs_theirs
def test_other_modules_are_theirs() -> None:
    assert len(nacl.utils.random(5)) == 5
    for name in ("bindings", "hash", "hashlib", "pwhash", "secret", "utils"):
        theirs = importlib.import_module(f"nacl.{name}")
        ours = importlib.import_module(f"sigmill.nacl.{name}")
        public = [each for each in dir(theirs) if not each.startswith("_")]
        assert public and all(getattr(ours, each) is getattr(theirs, each) for each in public)
        with pytest.raises(AttributeError):
            _ = ours.no_such_name
    with pytest.raises(AttributeError, match="no attribute 'no_such_module'"):
        _ = nacl.no_such_module


def test_other_modules_need_pynacl() -> None:
    script = """
import sys
sys.modules["nacl"] = None
import sigmill.nacl as nacl
nacl.exceptions.ensure(True)
try:
    nacl.exceptions.ensure(1, "text")
except nacl.exceptions.AssertionError as error:
    assert isinstance(error, AssertionError) and isinstance(error, nacl.exceptions.CryptoError)
try:
    nacl.utils
except AttributeError as error:
    print(error)
try:
    import sigmill.nacl.utils
except ModuleNotFoundError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert said.splitlines() == [
        "module 'sigmill.nacl' has no attribute 'utils'",
        "sigmill.nacl.utils: sigmill leaves this to the package PyNaCl, which is not installed",
    ]
