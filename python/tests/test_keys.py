"""Equality, hashes and copies of keys: secret ones agree, whatever they sign or agree with, and so do public ones."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pyarrow as pa
import pytest
import sigmill
from sigmill import ed25519, x25519
from sigmill.ecdsa import p256, p384


def secrets(fill: int) -> dict[str, Any]:
    seed = bytes([fill] * 32)
    return {
        "ed25519": ed25519.SigningKey(seed),
        "p256": p256.SigningKey(seed),
        "p384": p384.SigningKey(bytes([fill] * 48)),
        "x25519": x25519.PrivateKey(seed),
        "many": sigmill.SigningKeys.from_seeds(pa.array([seed, bytes(32)])),
    }


def publics(fill: int) -> dict[str, Any]:
    keys = {name: key.public_key() for name, key in secrets(fill).items() if name != "many"}
    return {**keys, "prepared": keys["ed25519"].prepare(), "rule": ed25519.RULES[fill]}


@pytest.mark.parametrize("kind", secrets(1))
def test_secret_keys_are_equal_by_value_and_never_leave(kind: str) -> None:
    key, same, other = secrets(1)[kind], secrets(1)[kind], secrets(2)[kind]
    assert key == same and not key != same and key != other and not key == other
    assert key != "text" and key != next(value for name, value in secrets(1).items() if name != kind)
    with pytest.raises(TypeError, match="unhashable"):
        hash(key)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="a secret key is neither copied nor pickled"):
            pickle.dumps(key, protocol)
    for copied in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="a secret key is neither copied nor pickled"):
            copied(key)


def test_lists_of_secret_keys_differ_by_any_key_and_by_length() -> None:
    seeds = [bytes([i]) * 32 for i in range(5)]
    keys = sigmill.SigningKeys.from_seeds(pa.array(seeds))
    for i in range(5):
        changed = [*seeds[:i], bytes([9]) * 32, *seeds[i + 1 :]]
        assert keys != sigmill.SigningKeys.from_seeds(pa.array(changed))
    assert keys != sigmill.SigningKeys.from_seeds(pa.array(seeds[:4])) and keys == sigmill.SigningKeys.from_seeds(pa.array(seeds))


@pytest.mark.parametrize("kind", publics(1))
def test_public_keys_are_values(kind: str) -> None:
    key, same, other = publics(1)[kind], publics(1)[kind], publics(2)[kind]
    assert key == same and key != other and key != "text" and hash(key) == hash(same)
    assert {key: 1}[same] == 1 and len({key, same, other}) == 2
    copies = [pickle.loads(pickle.dumps(key, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    copies += [copy.copy(key), copy.deepcopy(key), copy.deepcopy([key])[0]]
    for made in copies:
        assert type(made) is type(key) and made == key and hash(made) == hash(key) and repr(made) == repr(key)
    if kind == "prepared":
        signature = secrets(1)["ed25519"].sign(b"message")
        for made in copies:
            made.verify(signature, b"message")


def test_a_key_that_is_no_canonical_encoding_is_copied_as_it_is() -> None:
    # y = p + 1, the identity
    odd = ed25519.VerifyingKey(bytes([0xEE, *[0xFF] * 30, 0x7F]))
    assert not odd.is_canonical
    assert bytes(pickle.loads(pickle.dumps(odd))) == bytes(odd) == bytes(copy.copy(odd.prepare()))
