/** Messages that come in pieces: verification, and signatures by Ed25519ph. Pure Ed25519 reads a message twice to sign it. */
import { bytes, exactly, options, seen } from "./arguments.js";
import { SigmillError } from "./errors.js";
import { reason } from "./names.js";
import { Held, disposable } from "./objects.js";

/** Calls that begin to verify return this plus a handle, or the code of a reason below it. */
const VERIFIERS = 256;

/** The verification of one signature of a message that comes in pieces. */
export class Verifier {
  #held;
  #refused;

  /**
   * @param {Held | null} held
   * @param {string | null} refused
   */
  constructor(held, refused) {
    this.#held = held;
    this.#refused = refused;
  }

  /** @param {Uint8Array} piece */
  update(piece) {
    const given = bytes(piece, "piece");
    if (this.#held === null) return this;
    const [module, handle] = this.#held.use("Verifier.update");
    module.ask("update", [handle], [given], "Verifier.update");
    return this;
  }

  verify() {
    return this.verifyReason() === null;
  }

  verifyReason() {
    if (this.#held === null) return this.#refused;
    const [module, handle] = this.#held.use("Verifier.verify");
    this.#held.forget();
    return reason(module.ask("ed25519_verifier_finish", [handle], [], "Verifier.verify"));
  }

  dispose() {
    this.#held?.dispose();
  }
}
disposable(Verifier);

/**
 * Gives each piece of a source to `take`, in order.
 * @param {any} source
 * @param {(piece: Uint8Array) => void} take
 * @param {string} where
 */
export async function feed(source, take, where) {
  let count = 0;
  /** @param {any} piece */
  const next = (piece) => take(bytes(piece, `${where}: piece ${count++} of the stream`));
  const stream = typeof Blob === "function" && source instanceof Blob ? source.stream() : source;
  if (ArrayBuffer.isView(stream) || stream === null || typeof stream !== "object") {
    throw new SigmillError("type", `${where}: the message is ${seen(stream)}; expected a ReadableStream, a Blob or an iterable of Uint8Array`);
  }
  if (typeof stream.getReader === "function") {
    const reader = stream.getReader();
    try {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) next(piece.value);
    } catch (error) {
      await reader.cancel(error).catch(() => {});
      throw error;
    } finally {
      reader.releaseLock();
    }
    return;
  }
  if (typeof stream[Symbol.asyncIterator] !== "function" && typeof stream[Symbol.iterator] !== "function") {
    throw new SigmillError("type", `${where}: the message is ${seen(stream)}; expected a ReadableStream, a Blob or an iterable of Uint8Array`);
  }
  for await (const piece of stream) next(piece);
}

/**
 * @param {import("./module.js").Slot} slot
 * @param {string} scheme
 * @param {(action: string) => string} at
 * @param {Record<string, any>} eddsa
 */
export function makeStreams(slot, scheme, at, { variantOf, ruleOf, signPrehashed }) {
  const defaults = { rule: "common", variant: scheme, context: undefined };

  /**
   * @param {Uint8Array} signature
   * @param {Uint8Array} publicKey
   * @param {object} [given]
   */
  const verifier = (signature, publicKey, given, where = at("verifier")) => {
    const module = slot.get(where);
    const found = options(given, defaults, where);
    const rule = ruleOf(found.rule, where);
    const [variant, context] = variantOf(found, where);
    const parts = [context, bytes(publicKey, "publicKey"), bytes(signature, "signature")];
    const begun = module.ask("ed25519_verifier", [rule, variant], parts, where);
    if (begun < VERIFIERS) return new Verifier(null, reason(begun));
    return new Verifier(new Held(module, begun - VERIFIERS, "verifier"), null);
  };

  /**
   * @param {Uint8Array} signature
   * @param {any} message
   * @param {Uint8Array} publicKey
   * @param {object} [given]
   */
  const verifyStreamReason = async (signature, message, publicKey, given) => {
    const where = at("verifyStream");
    const verification = verifier(signature, publicKey, given, where);
    try {
      await feed(message, (piece) => verification.update(piece), where);
      return verification.verifyReason();
    } finally {
      verification.dispose();
    }
  };

  /**
   * @param {any} message
   * @param {Uint8Array} secretKey
   * @param {object} [given]
   */
  const signStream = async (message, secretKey, given) => {
    const where = at("signStream");
    const module = slot.get(where);
    const { variant, context } = options(given, { variant: scheme, context: undefined }, where);
    if (variantOf({ variant, context }, where)[0] !== 2) {
      const found = JSON.stringify(variant);
      throw new SigmillError("option", `${where}: variant is ${found}, which reads the message twice; a stream is signed by variant "ph"`);
    }
    const seed = new Uint8Array(exactly(secretKey, "secretKey", 32));
    const hash = new Held(module, module.ask("sha512", [], [], where), "stream");
    try {
      await feed(message, (piece) => module.ask("update", [hash.use(where)[1]], [piece], where), where);
      const [, handle] = hash.use(where);
      hash.forget();
      return signPrehashed(module.take("sha512_finish", [handle], [], where), seed, { context });
    } finally {
      seed.fill(0);
      hash.dispose();
    }
  };

  return {
    verifier: (/** @type {Uint8Array} */ signature, /** @type {Uint8Array} */ publicKey, /** @type {object} */ given) =>
      verifier(signature, publicKey, given),
    /** @type {(signature: Uint8Array, message: any, publicKey: Uint8Array, given?: object) => Promise<boolean>} */
    verifyStream: async (signature, message, publicKey, given) =>
      (await verifyStreamReason(signature, message, publicKey, given)) === null,
    verifyStreamReason,
    signStream,
  };
}
