"""A plugin of pytest that counts the keys of sigmill that tests make, and prints their number at the end.

`tests/downstream/python` uses it: a program whose tests made none does not run on sigmill.
"""

import functools

import sigmill.nacl.signing
import sigmill.pyca

_made = 0


def _counted(function):
    @functools.wraps(function)
    def count(*arguments, **named):
        global _made
        _made += 1
        return function(*arguments, **named)

    return count


def pytest_configure():
    pyca, signing = sigmill.pyca, sigmill.nacl.signing
    for key in (
        pyca.ed25519.Ed25519PrivateKey,
        pyca.ed25519.Ed25519PublicKey,
        pyca.x25519.X25519PrivateKey,
        pyca.x25519.X25519PublicKey,
        pyca.ec.EllipticCurvePrivateKey,
        pyca.ec.EllipticCurvePublicKey,
        signing.SigningKey,
        signing.VerifyKey,
    ):
        key.__init__ = _counted(key.__init__)


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"keys of sigmill: {_made}")
