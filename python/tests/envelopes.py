"""Envelopes for tests, made by hand: JSON Web Signatures, COSE_Sign1, DSSE and signatures of OpenSSH."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from typing import Any

from sigmill.ecdsa import p256, p384
from sigmill.ed25519 import SigningKey

SECRETS = {
    "ed": SigningKey(bytes(range(32))),
    "p2": p256.SigningKey(bytes(range(1, 33))),
    "p3": p384.SigningKey(bytes(range(1, 49))),
}
PUBLICS = {kid: secret.public_key() for kid, secret in SECRETS.items()}
ALGS = {"ed": "EdDSA", "p2": "ES256", "p3": "ES384"}
NAMESPACE = "file"


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def jwk(public: Any, kid: str | None = None, **more: Any) -> dict[str, Any]:
    raw = bytes(public)
    if len(raw) == 32:
        made = {"kty": "OKP", "crv": "Ed25519", "x": b64(raw)}
    else:
        width = len(raw) // 2
        made = {"kty": "EC", "crv": {32: "P-256", 48: "P-384"}[width], "x": b64(raw[1 : 1 + width]), "y": b64(raw[1 + width :])}
    return {**made, **({} if kid is None else {"kid": kid}), **more}


JWKS = {"keys": [jwk(public, kid) for kid, public in PUBLICS.items()]}


def jws(kid: str, claims: object = None, header: dict[str, Any] | str | None = None, secret: Any = None) -> str:
    """A token by the key of this name; a `header` stands in place of the usual one, as text or as members."""
    if header is None:
        header = {"alg": ALGS[kid], "kid": kid}
    head = header if isinstance(header, str) else json.dumps(header)
    body = claims if isinstance(claims, bytes) else json.dumps({"sub": "a"} if claims is None else claims).encode()
    signed = f"{b64(head.encode())}.{b64(body)}"
    return f"{signed}.{b64((secret or SECRETS[kid]).sign(signed.encode()))}"


def head(major: int, number: int) -> bytes:
    """The first bytes of a value of CBOR."""
    if number < 24:
        return bytes([major << 5 | number])
    if number < 256:
        return bytes([major << 5 | 24, number])
    return bytes([major << 5 | 25]) + number.to_bytes(2, "big")


def cbor(value: Any) -> bytes:
    match value:
        case None:
            return b"\xf6"
        case int():
            return head(0, value) if value >= 0 else head(1, -1 - value)
        case bytes():
            return head(2, len(value)) + value
        case str():
            return head(3, len(value.encode())) + value.encode()
        case list():
            return head(4, len(value)) + b"".join(map(cbor, value))
        case dict():
            return head(5, len(value)) + b"".join(cbor(key) + cbor(item) for key, item in value.items())
    raise TypeError(value)


COSE_ALGS = {"ed": -8, "p2": -7, "p3": -35}


def cose(
    kid: str,
    protected: dict[Any, Any] | bytes | None = None,
    named: bytes | None = b"",
    payload: bytes | None = b"body",
    external_data: bytes = b"",
) -> bytes:
    """A COSE_Sign1 by the key of this name; `named` is another identifier in it, or none."""
    if protected is None:
        protected = {1: COSE_ALGS[kid]}
    covered = protected if isinstance(protected, bytes) else cbor(protected)
    signature = SECRETS[kid].sign(cbor(["Signature1", covered, external_data, payload or b""]))
    unprotected = {} if named is None else {4: named or kid.encode()}
    return b"\xd2" + cbor([covered, unprotected, payload, signature])


def cose_key(kid: str) -> dict[Any, Any]:
    raw = bytes(PUBLICS[kid])
    if len(raw) == 32:
        return {1: 1, 2: kid.encode(), -1: 6, -2: raw}
    width = len(raw) // 2
    return {1: 2, 2: kid.encode(), -1: {32: 1, 48: 2}[width], -2: raw[1 : 1 + width], -3: raw[1 + width :]}


def dsse(*kids: str, payload: bytes = b"{}", kind: str = "application/vnd.in-toto+json", **members: Any) -> str:
    """An envelope with a signature by each key."""
    pae = b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)
    der: dict[str, Any] = {"sig_format": "der"}
    signatures = [
        {"keyid": kid, "sig": base64.b64encode(SECRETS[kid].sign(pae, **({} if kid == "ed" else der))).decode()} for kid in kids
    ]
    made = {"payload": base64.b64encode(payload).decode(), "payloadType": kind, "signatures": signatures}
    return json.dumps({**made, **members})


def string(value: bytes) -> bytes:
    return len(value).to_bytes(4, "big") + value


def sshsig(
    message: bytes, *, namespace: str = NAMESPACE, version: int = 1, secret: SigningKey | None = None, hashed: bytes = b"sha512"
) -> str:
    """An armored signature of Ed25519 in the form of ``ssh-keygen -Y sign``."""
    secret = secret or SECRETS["ed"]
    public = string(b"ssh-ed25519") + string(bytes(secret.public_key()))
    digest = hashlib.new(hashed.decode() if hashed == b"sha256" else "sha512", message).digest()
    covered = b"SSHSIG" + string(namespace.encode()) + string(b"") + string(hashed) + string(digest)
    signature = string(b"ssh-ed25519") + string(secret.sign(covered))
    blob = b"SSHSIG" + version.to_bytes(4, "big") + string(public) + string(namespace.encode())
    blob += string(b"") + string(hashed) + string(signature)
    text = base64.b64encode(blob).decode()
    lines = "\n".join(text[i : i + 70] for i in range(0, len(text), 70))
    return f"-----BEGIN SSH SIGNATURE-----\n{lines}\n-----END SSH SIGNATURE-----\n"


def ssh_line(public: Any) -> str:
    return "ssh-ed25519 " + base64.b64encode(string(b"ssh-ed25519") + string(bytes(public))).decode()


#: Makes a good envelope of each form by the key of a name.
GOOD: dict[str, Callable[[str], str | bytes]] = {"jws": jws, "cose": cose, "dsse": dsse}
