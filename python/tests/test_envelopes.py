"""Columns of envelopes: verdicts, refusals by their names, claims, and what a column and keys may be."""

from __future__ import annotations

import base64
import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
import sigmill
from envelopes import (
    ALGS,
    GOOD,
    JWKS,
    NAMESPACE,
    PUBLICS,
    SECRETS,
    b64,
    cbor,
    cose,
    cose_key,
    dsse,
    jwk,
    jws,
    ssh_line,
    sshsig,
    unb64,
)
from frames import library
from limits import MIB, Made, limit_memory, outcome
from sigmill import ed25519
from sigmill.ecdsa import p256, p384
from sigmill.ed25519 import SigningKey

VERIFY = {"jws": sigmill.verify_jws, "cose": sigmill.verify_cose, "dsse": sigmill.verify_dsse}
KIDS = list(SECRETS)


def reasons(verdicts: Any) -> list[str | None]:
    found: list[str | None] = pa.array(verdicts.reason).to_pylist()
    assert pa.array(verdicts.verdict).to_pylist() == [None if why == "null" else why is None for why in found]
    rows = [verdicts[i] for i in range(len(verdicts))]
    assert [None if row is None else (row.valid, row.reason) for row in rows] == [
        None if why == "null" else (why is None, why) for why in found
    ]
    assert verdicts.reasons == Counter(why for why in found if why is not None)
    return found


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("form", VERIFY)
def test_three_algorithms_in_one_column(form: str, threads: int) -> None:
    tokens = [GOOD[form](kid) for kid in KIDS * 40]
    found = VERIFY[form](tokens, JWKS, threads=threads)
    assert (found.valid, found.all_valid, len(found)) == (120, True, 120), found.reasons
    other = {"keys": [jwk(PUBLICS["ed"], "ed"), jwk(p256.SigningKey.generate().public_key(), "p2"), jwk(PUBLICS["p3"], "p3")]}
    assert reasons(VERIFY[form](tokens, other, threads=threads)) == [None, "equation", None] * 40


TOO_MANY = "[" + "0," * (1 << 16) + "0]"
JWS_REFUSALS = [
    ("", "not_jws"),
    ("a.b", "not_jws"),
    ("a.b.c", "not_jws"),
    (jws("ed") + ".x", "not_jws"),
    (jws("ed", header="[]"), "not_jws"),
    (jws("ed", header={"alg": "EdDSA", "crit": ["b64"]}), "not_jws"),
    (jws("p3")[:-2], "not_jws"),
    (jws("ed", header={"kid": "ed"}), "alg_missing"),
    (jws("ed", header={"alg": "none"}), "alg_unknown"),
    (jws("ed", header={"alg": "HS256", "kid": "ed"}), "alg_unknown"),
    (jws("ed", header={"alg": "ES256", "kid": "ed"}), "alg_mismatch"),
    (jws("p2", header={"alg": "ES384", "kid": "p2"}), "alg_mismatch"),
    (jws("ed", header={"alg": "EdDSA", "kid": "rsa"}), "alg_mismatch"),
    (jws("ed", header={"alg": "EdDSA", "kid": "of nobody"}), "kid_unknown"),
    (jws("ed", header={"alg": "EdDSA"}), "kid_missing"),
    (jws("ed", header={"alg": "EdDSA", "kid": "enc"}), "key_use"),
    (jws("ed", header={"alg": "EdDSA", "kid": "ed", "crit": ["exp"], "exp": 1}), "crit_unknown"),
    (jws("ed", header='{"alg":"EdDSA","alg":"none"}'), "duplicate_member"),
    (jws("ed", header='{"alg":"EdDSA","a":' + "[" * 99 + "]" * 99 + "}"), "too_deep"),
    (jws("ed", header={"alg": "EdDSA", "a": "x" * 70_000}), "too_large"),
    (jws("ed").rpartition(".")[0] + ".", "no_signature"),
    (jws("ed", b""), "payload_missing"),
]
COSE_REFUSALS = [
    (b"", "not_cose"),
    (b"text", "not_cose"),
    (b"\xd1" + cose("ed")[1:], "unsupported"),
    (cose("ed", {}), "alg_missing"),
    (cose("ed", {1: -257}), "alg_unknown"),
    (cose("ed", {1: -7}), "alg_mismatch"),
    (cose("ed", {1: -8, 2: [99], 99: 1}), "crit_unknown"),
    (cose("ed", b"\xa2\x01\x27\x01\x27"), "duplicate_member"),
    (cose("ed", named=b"of nobody"), "kid_unknown"),
    (cose("ed", named=None), "kid_missing"),
    (cose("ed", payload=None), "payload_missing"),
    (b"\x81" * 99 + b"\x00", "too_deep"),
    (b"\x99\xff\xff" + bytes(1 << 17), "not_cose"),
    (b"\x9a\x00\x02\x00\x00" + bytes(1 << 17), "too_large"),
]
DSSE_REFUSALS = [
    ("", "not_dsse"),
    ("[]", "not_dsse"),
    (json.dumps({"payload": "*", "payloadType": "", "signatures": []}), "not_dsse"),
    (dsse(), "no_signature"),
    (dsse("ed", signatures=[{"keyid": "x", "sig": "AAAA"}]), "key_unknown"),
    (dsse("ed")[:-1] + ',"payloadType":""}', "duplicate_member"),
    (dsse("ed")[:-1] + ',"a":' + "[" * 99 + "]" * 99 + "}", "too_deep"),
    (dsse("ed")[:-1] + f',"a":{TOO_MANY}}}', "too_large"),
]
REFUSALS: dict[str, list[tuple[Any, str]]] = {"jws": JWS_REFUSALS, "cose": COSE_REFUSALS, "dsse": DSSE_REFUSALS}
# a name of a JWK is none of COSE
COSE_KEYS = [cose_key(kid) for kid in KIDS] + [{**cose_key("ed"), 2: b"other"}]
MORE_KEYS = {
    "jws": [{"kty": "RSA", "kid": "rsa", "n": "AQAB", "e": "AQAB"}, jwk(SigningKey(bytes(32)).public_key(), "enc", use="enc")]
    + [jwk(SigningKey(bytes([7] * 32)).public_key(), "other")],
    "dsse": [],
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("form", VERIFY)
def test_refusals_of_rows_by_their_names(form: str, threads: int) -> None:
    # a good row between any two, so that a refusal moves no other row
    tokens, wanted = [], []
    for i, (bad, why) in enumerate(REFUSALS[form] * 3):
        tokens += [bad, GOOD[form](KIDS[i % 3])]
        wanted += [why, None]
    keys: Any = cbor(COSE_KEYS) if form == "cose" else {"keys": JWKS["keys"] + MORE_KEYS[form]}
    found = VERIFY[form](tokens, keys, threads=threads)
    assert reasons(found) == wanted
    assert found.null == 0 and found.invalid == len(wanted) // 2 and found.bad()[:2] == [0, 2]
    assert str(found[0]) == {"jws": "not a JSON Web Signature", "cose": "not a COSE_Sign1 or COSE_Key", "dsse": "not a DSSE envelope"}[form]
    assert found[0] != found[1] and found[0] == found[0] and not found[0]


BUNDLE = {"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json", "verificationMaterial": {"publicKey": {}}}


def of_signatures(*signatures: dict[str, str]) -> str:
    return dsse("ed", signatures=list(signatures))


def signature_of(kid: str, keyid: str, payload: bytes = b"{}") -> dict[str, str]:
    """The signature of an envelope by a key, under any name."""
    return {**json.loads(dsse(kid, payload=payload))["signatures"][0], "keyid": keyid}


@pytest.mark.parametrize("threads", [1, 2])
def test_one_valid_signature_of_several_is_enough(threads: int) -> None:
    rows: list[tuple[str | None, str | None]] = [
        (dsse("ed", "p2", "p3"), None),
        (of_signatures(signature_of("ed", "ed", b"other"), signature_of("p3", "p3")), None),
        (of_signatures(signature_of("ed", "ed", b"other"), signature_of("p2", "p2", b"other")), "equation"),
        (of_signatures(signature_of("p2", "ed"), signature_of("ed", "ed", b"other")), "signature_length"),
        (of_signatures(signature_of("p2", "nobody")), None),
        (None, "null"),
        (of_signatures({"keyid": "nobody", "sig": "AAAA"}, {"keyid": "", "sig": ""}), "key_unknown"),
        (json.dumps({**BUNDLE, "dsseEnvelope": json.loads(dsse("p3"))}), None),
        (json.dumps({**BUNDLE, "messageSignature": {"signature": "AAAA"}}), "payload_missing"),
    ]
    tokens, wanted = zip(*(rows * 50), strict=True)
    found = sigmill.verify_dsse(list(tokens), JWKS, threads=threads)
    assert reasons(found) == list(wanted)


def test_rows_of_many_candidates() -> None:
    # 16 keys without names and 256 signatures: 4,096 pairs in a row, more than are verified at a time
    keys = [SigningKey(bytes([i] * 32)) for i in range(16)]
    pae = b"DSSEv1 28 application/vnd.in-toto+json 2 {}"
    bad = {"sig": base64.b64encode(b"\xff" * 64).decode()}
    rows = []
    for i in range(6):
        signatures = [bad] * 256
        if i % 2:
            signatures[i * 40] = {"sig": base64.b64encode(keys[i].sign(pae)).decode()}
        rows.append(of_signatures(*signatures))
    public = [key.public_key() for key in keys]
    for threads in (1, 2):
        found = sigmill.verify_dsse(rows, public, threads=threads)
        assert reasons(found) == ["r_not_canonical", None] * 3
    more = [*public, SigningKey(bytes([99] * 32)).public_key()]
    assert reasons(sigmill.verify_dsse(rows, more)) == ["too_large"] * 6

    def stop(done: int, rows: int) -> None:
        raise LookupError(f"{done} of {rows}")

    with pytest.raises(LookupError, match="of 6"):
        sigmill.verify_dsse(rows, public, threads=1, progress=stop)


def test_signatures_of_openssh() -> None:
    other = SigningKey(bytes(32))
    rows = [
        (sshsig(b"m"), b"m", None),
        (sshsig(b"m", hashed=b"sha256"), b"m", None),
        (sshsig(b"m"), b"n", "equation"),
        (sshsig(b"m", namespace="git"), b"m", "namespace_mismatch"),
        (sshsig(b"m", secret=other), b"m", "key_unknown"),
        (sshsig(b"m", version=2), b"m", "unsupported"),
        (sshsig(b"m", hashed=b"md5"), b"m", "alg_unknown"),
        (sshsig(b"m", namespace="n" * 5000), b"m", "too_large"),
        ("x", b"m", "not_ssh"),
        (None, b"m", "null"),
        (sshsig(b"m"), None, "null"),
        ("x", None, "null"),
    ]
    signatures, messages, wanted = (list(column) for column in zip(*rows * 5))
    for keys in (ssh_line(PUBLICS["ed"]), ssh_line(PUBLICS["ed"]).encode() + b" me\n# more\n", PUBLICS["ed"]):
        for threads in (1, 2):
            found = sigmill.verify_sshsig(signatures, messages, keys, namespace=NAMESPACE, threads=threads)
            assert reasons(found) == wanted
    with pytest.raises(ValueError, match="^messages: 1 rows, but signatures has 2"):
        sigmill.verify_sshsig(["", ""], [""], PUBLICS["ed"], namespace=NAMESPACE)
    with pytest.raises(ValueError, match="^namespace: "):
        sigmill.verify_sshsig([], [], PUBLICS["ed"], namespace="")


def test_signatures_that_openssh_makes(tmp_path: pathlib.Path) -> None:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("not run here: signatures by ssh-keygen (it is not installed)")
    signatures, messages, keys = [], [], ""
    for i, kind in enumerate((["ed25519"], ["ecdsa", "-b", "256"], ["ecdsa", "-b", "384"])):
        key, message = tmp_path / f"key{i}", b"message %d" % i
        subprocess.run(["ssh-keygen", "-q", "-t", *kind, "-N", "", "-f", str(key)], check=True)
        made = subprocess.run(["ssh-keygen", "-Y", "sign", "-f", str(key), "-n", NAMESPACE], input=message, capture_output=True, check=True)
        signatures.append(made.stdout)
        messages.append(message)
        keys += (tmp_path / f"key{i}.pub").read_text()
    assert sigmill.verify_sshsig(signatures, messages, keys, namespace=NAMESPACE).all_valid
    turned = messages[1:] + messages[:1]
    assert reasons(sigmill.verify_sshsig(signatures, turned, keys, namespace=NAMESPACE)) == ["equation"] * 3


def single(token: str, rule: str) -> str | None:
    """The reason of the verdict on one token, by the functions of one signature."""
    signed, _, signature = token.rpartition(".")
    kid = json.loads(unb64(signed.split(".")[0]))["kid"]
    row = bytes(PUBLICS[kid]), signed.encode(), unb64(signature)
    if kid == "ed":
        return ed25519.verify_bytes(*row, rule=rule).reason
    return {"p2": p256, "p3": p384}[kid].verify_bytes(*row).reason


@pytest.mark.parametrize("rule", [None, "zip215", "strict"])
def test_the_verdict_is_that_of_one_signature(rule: str | None) -> None:
    order, chance = 2**252 + 27742317777372353535851937790883648493, random.Random(1)
    tokens = []
    for i in range(120):
        signed, _, text = jws(KIDS[i % 3], {"n": i}).rpartition(".")
        signature = bytearray(unb64(text))
        if i % 4 == 1:
            signature[chance.randrange(len(signature))] ^= 1 << chance.randrange(8)
        elif i % 4 == 2 and i % 3 == 0:
            high = int.from_bytes(signature[32:], "little") + order
            signature[32:] = high.to_bytes(32, "little")
        elif i % 4 == 3:
            signature[: len(signature) // 2] = bytes(len(signature) // 2)
        tokens.append(f"{signed}.{b64(bytes(signature))}")
    neutral = bytes([1]) + bytes(31)
    wanted = [single(token, rule or "common") for token in tokens]
    assert len(set(wanted)) >= 4, set(wanted)
    for threads in (1, 2):
        assert reasons(sigmill.verify_jws(tokens, JWKS, rule=rule, threads=threads)) == wanted
    # the rule decides: a key of small order signs anything
    weak = jws("ed", header={"alg": "EdDSA"}).rpartition(".")[0] + "." + b64(neutral + bytes(32))
    expected = ed25519.verify_bytes(neutral, weak.rpartition(".")[0].encode(), neutral + bytes(32), rule=rule or "common").reason
    assert reasons(sigmill.verify_jws([weak], jwk(neutral), rule=rule)) == [expected]
    assert expected == ("key_small_order" if rule == "strict" else None)


def kinds_of_column(tokens: list[str | None]) -> dict[str, Any]:
    half = len(tokens) // 2
    kinds: dict[str, Any] = {
        "list": tokens,
        "tuple": tuple(tokens),
        "list of bytes": [None if token is None else bytearray(token.encode()) for token in tokens],
        "chunks": pa.chunked_array([pa.array(tokens[:half]), pa.array(tokens[half:])]),
        "slice": pa.array(["x", *tokens, "x"]).slice(1, len(tokens)),
        "dictionary": pa.array(tokens).dictionary_encode(),
        "runs": pa.RunEndEncodedArray.from_arrays(pa.array(range(1, len(tokens) + 1), pa.int32()), pa.array(tokens)),
    }
    types = [pa.string(), pa.binary(), pa.large_string(), pa.large_binary(), pa.string_view(), pa.binary_view()]
    return kinds | {str(kind): pa.array(tokens, kind) for kind in types}


def test_kinds_of_columns_and_nulls() -> None:
    tokens: list[str | None] = [jws(kid, {"n": i}) for i in range(10) for kid in KIDS]
    tokens[3], tokens[7], tokens[11] = None, "x", tokens[10]
    wanted = [None] * len(tokens)
    wanted[3], wanted[7] = "null", "not_jws"
    for name, column in kinds_of_column(tokens).items():
        found = sigmill.verify_jws(column, JWKS, claims=["n"])
        assert reasons(found) == wanted, name
        assert pa.table(found.claims)["n"].to_pylist()[:9] == ["0", "0", "0", None, "1", "1", "2", None, "2"], name
    found = sigmill.verify_jws(pa.nulls(5), JWKS)
    assert (found.null, found.valid, found.invalid, found[0]) == (5, 0, 0, None)


@pytest.mark.parametrize("form", VERIFY)
def test_no_rows(form: str) -> None:
    for column in ([], pa.array([], pa.string()), pa.chunked_array([], pa.binary())):
        found = VERIFY[form](column, JWKS)
        assert len(found) == 0 and not found.all_valid and found.claims is None
    assert pa.table(sigmill.verify_jws([], JWKS, claims=["iss"]).claims).num_rows == 0


def test_many_rows_and_keys() -> None:
    chance, keys = random.Random(2), [SigningKey(i.to_bytes(32, "big")) for i in range(97)]
    secrets: list[Any] = [*keys, SECRETS["p2"], SECRETS["p3"], p256.SigningKey.generate()]
    algs = ["EdDSA"] * 97 + ["ES256", "ES384", "ES256"]
    kids = [f"key {i}" for i in range(100)]
    distinct = [
        (jws("", {"iss": f"{kid} {n}"}, {"alg": alg, "kid": kid}, secret), None, f"{kid} {n}")
        for kid, alg, secret in zip(kids, algs, secrets)
        for n in range(2)
    ]
    distinct += [(distinct[0][0][:-4] + "AAAA", "r_not_canonical", None), ("?", "not_jws", None), (None, "null", None)]
    distinct[-3] = (distinct[-3][0], single_reason(distinct[-3][0], keys[0]), None)
    rows = chance.choices(distinct, k=100_000)
    tokens, wanted, issuers = zip(*rows)
    done: list[tuple[int, int]] = []
    found = sigmill.verify_jws(
        pa.array(tokens, pa.string()),
        json.dumps({"keys": [jwk(secret.public_key(), kid) for kid, secret in zip(kids, secrets)]}),
        claims=["iss"],
        threads=2,
        progress=lambda *numbers: done.append(numbers),
    )
    assert pa.array(found.reason).to_pylist() == list(wanted)
    assert pa.table(found.claims)["iss"].to_pylist() == list(issuers)
    assert done[-1] == (100_000, 100_000)


def single_reason(token: str, secret: SigningKey) -> str | None:
    signed, _, signature = token.rpartition(".")
    return ed25519.verify_bytes(bytes(secret.public_key()), signed.encode(), unb64(signature)).reason


def test_claims_are_those_of_valid_rows() -> None:
    claims = {"iss": "joe", "n": 1.50, "yes": True, "no": None, "list": [1, "a"], "object": {"a": 1}, "quote": 'a"b', "": "empty"}
    good = jws("p2", claims)
    forged = good.split(".")
    forged[1] = b64(json.dumps({"iss": "mallory"}).encode())
    tokens = [good, ".".join(forged), None, "x", jws("ed", b"no JSON"), jws("ed", b"[]"), jws("ed", b'{"iss":"a","iss":"b"}')]
    names = [*claims, "absent", "\N{SNOWMAN}"]
    found = sigmill.verify_jws(tokens, JWKS, claims=names)
    assert reasons(found) == [None, "equation", "null", "not_jws", None, None, None]
    table = pa.table(found.claims)
    assert table.schema == pa.schema([(name, pa.large_string()) for name in names])
    first = ["joe", "1.5", "true", "null", '[1,"a"]', '{"a":1}', 'a"b', "empty", None, None]
    assert [list(row.values()) for row in table.to_pylist()] == [first] + [[None] * len(names)] * 6
    assert len(found.claims) == 7 and repr(found.claims) == "ArrowColumn(7 rows of claims)"
    assert pa.array(found.claims).type.num_fields == len(names)
    del found
    assert table["iss"][0].as_py() == "joe"
    for bad, said in ((["a", "a"], "twice"), (["a\0"], "zero byte"), ([], "at least one")):
        with pytest.raises(ValueError, match=f"^claims: .*{said}"):
            sigmill.verify_jws([], JWKS, claims=bad)
    with pytest.raises(TypeError, match="claims"):
        sigmill.verify_jws([], JWKS, claims="iss")


def test_keys_in_every_form() -> None:
    # without names, a key for each algorithm
    own = list(PUBLICS.values())
    tokens = [jws(kid) for kid in KIDS]
    assert sigmill.verify_jws(tokens, own).all_valid and sigmill.verify_jws(tokens, tuple(own)).all_valid
    text = json.dumps(JWKS)
    for keys in (text, text.encode(), bytearray(text.encode()), memoryview(text.encode()), JWKS):
        assert sigmill.verify_jws(tokens, keys).all_valid
    public = PUBLICS["ed"]
    for keys in (public, public.prepare(), [public], public.to_pem(), public.to_pem().encode(), ssh_line(public), jwk(public, "ed")):
        assert reasons(sigmill.verify_jws(tokens, keys))[0] is None
    # a key of a set without a name serves tokens that name none
    # a key without an identifier serves whatever a token names
    assert reasons(sigmill.verify_jws([tokens[0], jws("ed", header={"alg": "EdDSA"})], jwk(public))) == [None, None]
    keyset = cbor([cose_key(kid) for kid in KIDS])
    messages = [cose(kid) for kid in KIDS]
    for keys in (keyset, bytearray(keyset), JWKS, own):
        assert sigmill.verify_cose(messages, keys).all_valid
    assert reasons(sigmill.verify_cose(messages, cbor(cose_key("p2")))) == ["kid_unknown", None, "kid_unknown"]
    # data beside the messages is signed, too
    beside = [cose(kid, external_data=b"beside") for kid in KIDS]
    for data in (b"beside", bytearray(b"beside"), memoryview(b"beside")):
        assert sigmill.verify_cose(beside, keyset, external_data=data).all_valid
        assert not any(sigmill.verify_cose(messages, keyset, external_data=data))
    for other in (None, b"", b"Beside"):
        assert not any(sigmill.verify_cose(beside, keyset, external_data=other))
    assert sigmill.verify_cose(messages, keyset, external_data=b"").all_valid


@pytest.mark.parametrize(
    ("keys", "error", "said"),
    [
        (pathlib.Path("jwks.json"), TypeError, "keys: PosixPath is a path, which is not read here; give the contents"),
        ("jwks.json", ValueError, "keys: no JWK or JWK set, .* a file is not opened by its name"),
        (b"", ValueError, "keys: no JWK"),
        (cbor(cose_key("ed")), ValueError, "keys: this is a COSE key"),
        (PUBLICS["ed"].to_der(), ValueError, "keys: this is a public key .Ed25519.; not in PEM"),
        (None, TypeError, "keys: the contents of a file .*, not NoneType"),
        (7, TypeError, "keys: the contents of a file .*, not int"),
        ({}, ValueError, "keys: not a JSON Web Key: key 0: a key without `kty`"),
        ({"keys": 1}, ValueError, "keys: not a JSON Web Key: `keys` is a number"),
        ({"keys": []}, ValueError, "keys: there is no key that verifies"),
        ({"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB"}]}, ValueError, "keys: there is no key that verifies"),
        ({"keys": [JWKS["keys"][0]] * 2}, ValueError, "keys: a member occurs twice: two keys of .* `ed`"),
        ({"keys": {1}}, TypeError, "keys: Object of type set is not JSON serializable"),
        ('{"keys":[],"keys":[]}', ValueError, "keys: a member occurs twice"),
        ([], ValueError, "keys: there is no key that verifies"),
        ([PUBLICS["ed"], 1], TypeError, "keys: item 1 of the list: a public key of sigmill is needed, not int"),
        ([JWKS], TypeError, "keys: item 0 of the list: .* not dict"),
        (SECRETS["ed"], TypeError, "keys: .*SigningKey is a secret key; its public_key"),
        ([SECRETS["p2"]], TypeError, "keys: item 0 of the list: .*SigningKey is a secret key"),
        (SECRETS["ed"].to_pem(), ValueError, "keys: this is a private key"),
        ("\ud800", ValueError, "keys: .*surrogates"),
    ],
)
def test_bad_keys(keys: Any, error: type[Exception], said: str) -> None:
    for verify in (sigmill.verify_jws, sigmill.verify_dsse):
        with pytest.raises(error, match=f"^{said}") as raised:
            verify(["x"], keys)
        assert type(raised.value) is error


def test_bad_arguments() -> None:
    for tokens, error, said in (
        ("text", TypeError, "tokens: a column of Arrow or a list of str or bytes is needed, not str"),
        (None, TypeError, "tokens: a column"),
        ({"a": 1}, TypeError, "tokens: a column"),
        ([b"x", 1], TypeError, "tokens: row 1: str or bytes is needed, not int"),
        (["x", None, "\ud800"], ValueError, "tokens: row 2: .*surrogates"),
        (pa.array([1]), TypeError, "tokens: the column holds integers"),
        (Made(b"z", 1, [None, None, None]), ValueError, "tokens: "),
    ):
        with pytest.raises(error, match=f"^{said}"):
            sigmill.verify_jws(tokens, JWKS)
    with pytest.raises(ValueError, match="newest"):
        sigmill.verify_jws([], JWKS, rule="newest")
    with pytest.raises(ValueError, match="^threads"):
        sigmill.verify_jws([], JWKS, threads=0)
    with pytest.raises(ValueError, match="^keys: not a COSE"):
        sigmill.verify_cose([], b"\x01")


@pytest.mark.parametrize("kid", ["ed", "p3"])
def test_ctrl_c_ends_it(kid: str) -> None:
    column = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int8()), 1_000_000), [jws(kid)])
    before = signal.signal(signal.SIGPROF, signal.default_int_handler)
    try:
        begin = time.process_time()
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_PROF, 0.05)
            sigmill.verify_jws(column, JWKS, threads=2)
        # all rows take ten seconds and more
        assert time.process_time() - begin < 5
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)

    def stop(done: int, rows: int) -> None:
        raise LookupError(f"{done} of {rows}")

    with pytest.raises(LookupError, match="of 1000000"):
        sigmill.verify_jws(column, JWKS, progress=stop)


@pytest.mark.skipif(sys.platform != "linux", reason="not run here: RLIMIT_AS bounds the memory of a process on Linux alone")
def test_memory_is_that_of_a_part() -> None:
    # 48 MiB of tokens, whose copies and messages do not fit into the memory together
    rows = pa.array([jws("ed", bytes(768 << 10), {"alg": "EdDSA", "kid": "?"})] * 48)
    said = outcome(lambda: sigmill.verify_jws(rows, JWKS, threads=1).reasons, lambda: limit_memory(72 * MIB))
    assert said == "returned {'kid_unknown': 48}"
    for form, row in (("jws", jws("ed", bytes(6 * MIB))), ("dsse", dsse("ed", payload=bytes(6 * MIB)))):
        column, seen = pa.array([row] * 2), set()
        for mib in (*range(1, 40, 6), 256):
            said = outcome(
                lambda form=form: VERIFY[form](column, JWKS, threads=1).valid, lambda mib=mib: limit_memory(mib * MIB)
            )
            seen.add(said.partition(":")[0])
        assert seen == {"raised MemoryError", "returned 2"}, seen
    many = Made(b"n", 2**40)
    said = outcome(lambda: sigmill.verify_jws(many, JWKS), lambda: limit_memory(256 * MIB))
    assert said.startswith("raised MemoryError: tokens: 1099511627776 rows"), said


def test_pyjwt_says_the_same() -> None:
    jwt = library("jwt")
    tokens = []
    for i, kid in enumerate(KIDS * 4):
        token = jwt.encode({"n": i}, SECRETS[kid].to_pem(), algorithm=ALGS[kid], headers={"kid": kid})
        place = [None, 1, 5, -3][i // 3]
        if place is not None:
            changed = "A" if token[place] != "A" else "B"
            token = token[:place] + changed + token[place:][1:] if place >= 0 else token[:place] + changed + token[place + 1 :]
        tokens.append(token)
    tokens += [jwt.encode({}, "secret" * 8, algorithm="HS256", headers={"kid": "ed"}), jwt.encode({}, None, algorithm="none")]
    found = sigmill.verify_jws(tokens, JWKS, claims=["n"])
    numbers = pa.table(found.claims)["n"].to_pylist()
    keys = {key.key_id: key for key in jwt.PyJWKSet.from_dict(JWKS).keys}
    for i, token in enumerate(tokens):
        try:
            kid = jwt.get_unverified_header(token)["kid"]
            wanted: int | None = jwt.decode(token, keys[kid].key, algorithms=[ALGS[kid]])["n"]
        except (jwt.PyJWTError, KeyError):
            wanted = None
        assert bool(found[i]) == (wanted is not None), (i, found[i])
        assert numbers[i] == (None if wanted is None else str(wanted))
    assert found.valid == 3 and not any(found[i] for i in range(3, len(tokens)))
