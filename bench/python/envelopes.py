"""What a column of JSON Web Signatures takes through `sigmill.verify_jws`, beside the same rows through
`sigmill.verify_columns`, and beside PyJWT one by one: processor time of one thread, all three in each turn, medians.
Every verdict is looked at.

usage: tools/python bench-envelopes [--rows 100000] [--keys 100] [--rounds 5]
"""

import argparse
import base64
import json
import statistics
import time

import jwt
import pyarrow as pa
from sigmill import backend, ecdsa, verify_columns, verify_jws
from sigmill.ed25519 import SigningKey

# PyJWT verifies so many of the rows.
SOME = 2000


def text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def spent(work) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1e6


def measured(alg: str, rows: int, keys: int, rounds: int) -> None:
    rfc = alg == "EdDSA"
    pairs = [(SigningKey if rfc else ecdsa.p256.SigningKey)(row.to_bytes(32, "big")) for row in range(1, keys + 1)]
    publics = [bytes(key.public_key()) for key in pairs]

    def jwk(row: int) -> dict[str, str]:
        public, kid = publics[row], f"k{row}"
        if rfc:
            return {"kty": "OKP", "crv": "Ed25519", "x": text(public), "kid": kid}
        return {"kty": "EC", "crv": "P-256", "x": text(public[1:33]), "y": text(public[33:]), "kid": kid}

    jwks = {"keys": [jwk(row) for row in range(keys)]}
    messages, signatures, of_keys = [], [], []
    for row in range(rows):
        header = text(json.dumps({"alg": alg, "kid": f"k{row % keys}"}).encode())
        payload = text(json.dumps({"sub": f"user {row}", "iat": 1800000000 + row, "aud": "example"}).encode())
        messages.append(f"{header}.{payload}".encode())
        signatures.append(bytes(pairs[row % keys].sign(messages[-1])))
        of_keys.append(publics[row % keys])
    tokens = [message.decode() + "." + text(signature) for message, signature in zip(messages, signatures, strict=True)]
    column, set_text = pa.array(tokens), json.dumps(jwks)
    columns = [pa.array(of_keys), pa.array(messages), pa.array(signatures)]
    options = {} if rfc else {"algorithm": "p256"}
    held = {key["kid"]: jwt.PyJWK(key).key for key in jwks["keys"]}
    some = tokens[:SOME]

    def rows_alone() -> None:
        if not verify_columns(*columns, threads=1, **options).all_valid:
            raise SystemExit("envelopes: a row is not valid")

    def of_tokens() -> None:
        if not verify_jws(column, set_text, threads=1).all_valid:
            raise SystemExit("envelopes: a token is not valid")

    def pyjwt() -> None:
        for token in some:
            kid = jwt.get_unverified_header(token)["kid"]
            jwt.decode(token, held[kid], algorithms=[alg], audience="example", options={"verify_iat": False})

    turns = [(spent(rows_alone) / rows, spent(of_tokens) / rows, spent(pyjwt) / len(some)) for _ in range(rounds)]
    more = statistics.median(tokens - alone for alone, tokens, _ in turns)
    times = statistics.median(other / tokens for _, tokens, other in turns)
    alone, tokens_us, other = (statistics.median(turn[i] for turn in turns) for i in range(3))
    print(f"{alg:<8}{alone:>12.2f}{tokens_us:>12.2f}{more:>12.2f}{other:>12.2f}{times:>10.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2].strip())
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--keys", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if not (0 < options.rows <= 1_000_000 and 0 < options.keys <= 1024 and options.rounds > 0):
        parser.error("--rows is 1 to 1000000, --keys 1 to 1024, --rounds 1 or more")
    print(f"{backend}, {options.rows} rows, {options.keys} keys; microseconds a row, one thread")
    print(f"{'alg':<8}{'rows alone':>12}{'tokens':>12}{'more':>12}{'PyJWT':>12}{'times':>10}")
    for alg in ("EdDSA", "ES256"):
        measured(alg, options.rows, options.keys, options.rounds)


if __name__ == "__main__":
    main()
