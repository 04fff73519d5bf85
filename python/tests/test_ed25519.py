"""Keys of Ed25519, one operation at a time."""

from __future__ import annotations

import hashlib
import threading
import time

import pytest
import sigmill
from sigmill import ed25519
from sigmill.ed25519 import SigningKey, VerifyingKey
from vectors import rows

SEED = bytes(range(32))


def test_signatures_are_those_of_the_vectors() -> None:
    for row in rows("sign.csv"):
        key = SigningKey.from_private_bytes(bytes.fromhex(row["seed"]))
        assert key.public_key().public_bytes_raw().hex() == row["key"]
        message, context = bytes.fromhex(row["message"]), bytes.fromhex(row["context"])
        options = {"variant": row["variant"], "context": context}
        for checked in (False, True):
            assert key.sign(message, checked=checked, **options).hex() == row["signature"], row["note"]
        pieces = [message[i : i + 7] for i in range(0, len(message), 7)]
        assert key.sign_stream(lambda: iter(pieces), **options).hex() == row["signature"]
        if row["variant"] == "ph":
            digest = hashlib.sha512(message).digest()
            assert key.sign_prehashed(digest, context=context).hex() == row["signature"]
            key.public_key().verify_prehashed(bytes.fromhex(row["signature"]), digest, context=context)


def test_a_hedged_signature_is_another_one_and_valid() -> None:
    key = SigningKey(SEED)
    hedged = {key.sign(b"message", hedged=True) for _ in range(3)}
    assert len(hedged) == 3 and key.sign(b"message") not in hedged
    for signature in hedged:
        key.public_key().verify(signature, b"message")


def test_a_wrong_signature_raises_with_its_reason() -> None:
    key = SigningKey(SEED)
    public, signature = key.public_key(), key.sign(b"message")
    public.verify(signature, b"message")
    for bad, data, reason in [
        (signature, b"another", "equation"),
        (signature[:63], b"message", "signature_length"),
        (signature[:32] + b"\xff" * 32, b"message", "s_out_of_range"),
    ]:
        with pytest.raises(sigmill.InvalidSignature) as error:
            public.verify(bad, data)
        assert error.value.reason == reason
        assert isinstance(error.value, Exception) and not isinstance(error.value, ValueError)


def test_a_rule_may_be_a_value_or_a_name() -> None:
    # A and R are the neutral point: valid for whoever allows small order
    key, signature = bytes([1]) + bytes(31), bytes([1]) + bytes(63)
    public = VerifyingKey(key)
    public.verify(signature, b"anything", rule=ed25519.ZIP215)
    public.verify(signature, b"anything", rule="zip215")
    for rule in (ed25519.STRICT, "strict"):
        with pytest.raises(sigmill.InvalidSignature, match="small order"):
            public.verify(signature, b"anything", rule=rule)
    assert public.is_weak and public.is_canonical
    assert not public.check("strict") and public.check("zip215")
    assert ed25519.Rule("strict") == ed25519.STRICT and hash(ed25519.Rule("strict")) == hash(ed25519.STRICT)
    with pytest.raises(ValueError, match="known are common, "):
        public.verify(signature, b"anything", rule="lenient")
    with pytest.raises(TypeError, match="(?s)name of one is needed, not int.*rule"):
        public.verify(signature, b"anything", rule=7)  # type: ignore[arg-type]


def test_prepared_keys_and_streams_say_the_same() -> None:
    key = SigningKey(SEED)
    message = bytes(1000)
    signature = key.sign(message, variant="ctx", context=b"here")
    prepared = key.public_key().prepare()
    prepared.verify(signature, message, variant="ctx", context=b"here")
    assert prepared.verifying_key == key.public_key() and bytes(prepared) == bytes(key.public_key())
    for context, is_valid in [(b"here", True), (b"there", False)]:
        stream = key.public_key().verifier(signature, variant="ctx", context=context)
        for i in range(10):
            stream.update(message[100 * i : 100 * (i + 1)])
        if is_valid:
            stream.verify()
        else:
            with pytest.raises(sigmill.InvalidSignature):
                stream.verify()
        with pytest.raises(RuntimeError, match="has given its verdict"):
            stream.verify()
    with pytest.raises(sigmill.InvalidSignature):
        key.public_key().verifier(signature[:10])


def test_a_message_that_changes_between_two_passes_is_not_signed() -> None:
    answers = [[b"one"], [b"two"]]
    with pytest.raises(ValueError, match="message"):
        SigningKey(SEED).sign_stream(lambda: answers.pop(0))


def test_explain_gives_facts_and_eight_verdicts() -> None:
    key = SigningKey(SEED)
    signature = key.sign(b"message")
    facts = sigmill.explain(key.public_key().public_bytes_raw(), b"message", signature)
    assert facts.a.decodes and facts.a.canonical and not facts.a.small_order and facts.a.torsion_order == 1
    assert facts.exact and facts.cofactored and facts.s_below_order and facts.residual_torsion_order == 1
    assert list(facts.verdicts) == [rule.name for rule in ed25519.RULES]
    assert all(facts.verdicts.values()) and facts.verdict("strict").reason is None
    small = sigmill.explain(bytes([1]) + bytes(31), b"message", bytes([1]) + bytes(63))
    assert small.a.small_order and small.verdicts["strict"].reason == "key_small_order"
    assert "zip215" in repr(small) and "strict" not in repr(small)
    with pytest.raises(ValueError, match="^key: public key has 31 bytes, not 32$"):
        sigmill.explain(bytes(31), b"", bytes(64))
    with pytest.raises(ValueError, match="^signature: signature has 65 bytes, not 64$"):
        sigmill.explain(bytes(32), b"", bytes(65))


def test_containers_go_out_and_in() -> None:
    key = SigningKey(SEED)
    public = key.public_key()
    assert SigningKey.from_pem(key.to_pem()) == key and SigningKey.from_der(key.to_der()) == key
    assert VerifyingKey.from_pem(public.to_pem().encode()) == public
    assert VerifyingKey.from_der(public.to_der()) == public
    assert sigmill.load_pem_private_key(key.to_pem()) == key
    assert sigmill.load_der_public_key(public.to_der()) == public
    assert SigningKey.from_keypair_bytes(SEED + bytes(public)) == key
    with pytest.raises(ValueError, match="does not belong"):
        SigningKey.from_keypair_bytes(SEED + bytes(32))
    for wrong in ("", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "é"):
        with pytest.raises(ValueError):
            sigmill.load_pem_private_key(wrong)
    with pytest.raises(ValueError, match="encrypted"):
        sigmill.load_pem_private_key(key.to_pem(), password=b"secret")  # type: ignore[arg-type]


def test_wrong_arguments_are_named() -> None:
    key = SigningKey(SEED)
    for wrong in ("text", 5, None, [1, 2]):
        with pytest.raises(TypeError, match="(?s)bytes are needed, not .*data"):
            key.sign(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="^secret key has 31 bytes, not 32$"):
        SigningKey(bytes(31))
    with pytest.raises(ValueError, match="^public key has 33 bytes, not 32$"):
        VerifyingKey(bytes(33))
    with pytest.raises(ValueError, match="^data: key pair has 63 bytes, not 64$"):
        SigningKey.from_keypair_bytes(bytes(63))
    with pytest.raises(ValueError, match="not a point"):
        VerifyingKey(bytes([2]) + bytes(31))
    with pytest.raises(ValueError, match="context"):
        key.sign(b"", context=b"x")
    with pytest.raises(ValueError, match="255"):
        key.sign(b"", variant="ctx", context=bytes(256))
    with pytest.raises(ValueError, match="known are pure, ctx, ph"):
        key.sign(b"", variant="PH")
    with pytest.raises(ValueError, match="^digest: SHA-512 digest has 32 bytes, not 64$"):
        key.sign_prehashed(bytes(32))


def test_anything_with_a_buffer_is_bytes() -> None:
    key = SigningKey(bytearray(SEED))
    assert key == SigningKey(memoryview(SEED))
    strided = memoryview(b"m-e-s-s-a-g-e")[::2]
    assert key.sign(strided) == key.sign(b"message") == key.sign(bytearray(b"message"))


def test_no_secret_is_shown() -> None:
    key = SigningKey(SEED)
    assert SEED.hex() not in repr(key) + str(key) and bytes(key.public_key()).hex() in repr(key)
    assert not hasattr(key, "__dict__")


def test_names_of_pyca_are_there() -> None:
    from sigmill.ed25519 import Ed25519PrivateKey, Ed25519PublicKey, InvalidSignature

    key = Ed25519PrivateKey.generate()
    public = Ed25519PublicKey.from_public_bytes(key.public_key().public_bytes_raw())
    public.verify(key.sign(b"message"), b"message")
    with pytest.raises(InvalidSignature):
        public.verify(key.sign(b"message"), b"another")
    assert Ed25519PrivateKey.from_private_bytes(key.private_bytes_raw()) == key


def test_other_threads_run_while_a_long_message_is_verified() -> None:
    key = SigningKey(SEED)
    stopped, beats = threading.Event(), []

    def beat() -> None:
        while not stopped.wait(0.005):
            beats.append(time.monotonic())

    thread = threading.Thread(target=beat)
    thread.start()
    # Of a thread that may not run there is no beat, but for one before and one after; on a fast machine, or a busy one, it
    # takes longer messages to see three.
    try:
        for size in (40 << 20, 80 << 20, 160 << 20):
            message = bytes(size)
            begin = time.monotonic()
            signature = key.sign(message)
            end = time.monotonic()
            if sum(begin < beat < end for beat in beats) >= 3:
                break
        else:
            pytest.fail("no other thread has run")
    finally:
        stopped.set()
        thread.join()
    key.public_key().verify(signature, message)
