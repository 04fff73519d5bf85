/** Errors of the package. A verdict is never an error: `verify` returns false for an invalid signature. */

/** An error about arguments, or about the module itself. `code` is stable; the message names what was seen. */
export class SigmillError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.name = "SigmillError";
    this.code = code;
  }
}

/** Faults that the module returns (js/wasm/src/fault.rs), from -1 down: the code, and the text. */
const FAULTS = [
  ["memory", "WebAssembly memory for the arguments is not to be had"],
  ["internal", "the module refused the layout of a call; this is a mistake in sigmill"],
  ["disposed", "the module has no such key or stream; it was disposed of"],
  ["length", "an argument has the wrong length"],
  ["key", "the public key is not a point on the curve"],
  ["key_pair", "the public key beside the secret key is not the one that belongs to it"],
  ["key", "the secret key is 0 or not below the order of the group"],
  ["not_contributory", "the public key has small order: the shared secret is zero, and everybody knows it"],
  ["fault", "a signature failed its check after it was made, and was discarded"],
  ["digest_empty", "the digest is empty"],
  ["container", "the container is not the expected DER structure, or bytes follow it"],
  ["container", "the text has no whole block of PEM with the expected label"],
  ["container", "the key in the container is one of another algorithm"],
  ["container", "the algorithm identifier in the container has parameters; RFC 8410 allows none"],
  ["container", "the curve in the container is given by explicit parameters; only named curves are read"],
  ["container", "the key in the container is on another curve"],
  ["container", "the container does not name the curve of its key"],
  ["container", "the key in the container has the wrong length for its algorithm"],
  ["container", "the container is longer than any container of such a key"],
  ["internal", "the module reported something unexpected; this is a mistake in sigmill"],
  ["container", "sigmill/noble reads and writes no pkcs8, spki, sec1 or pem; use raw or jwk, or import sigmill"],
];

/**
 * The error for a fault.
 * @param {number} fault below 0
 * @param {string} where the function that was called
 */
export function faultError(fault, where) {
  const [code, text] = FAULTS[-1 - fault] ?? ["internal", `unknown fault ${fault}`];
  return new SigmillError(code, `${where}: ${text}`);
}
