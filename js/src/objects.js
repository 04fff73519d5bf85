/** Keys and streams that stay in the module until they are disposed of, or nobody has them any more. */
import { SigmillError } from "./errors.js";

/** An object of the module, by its handle. */
export class Held {
  #module;
  #handle;
  #what;

  /**
   * @param {import("./module.js").Module} module
   * @param {number} handle
   * @param {string} what
   */
  constructor(module, handle, what) {
    this.#module = module;
    this.#handle = handle;
    this.#what = what;
    module.unreachable.register(this, handle, this);
  }

  /**
   * The module and the handle, unless they are gone.
   * @param {string} where
   * @returns {[import("./module.js").Module, number]}
   */
  use(where) {
    if (this.#handle === 0) throw new SigmillError("disposed", `${where}: this ${this.#what} has ended or was disposed of`);
    return [this.#module, this.#handle];
  }

  /** Ends it without dropping it: the module has. */
  forget() {
    this.#module.unreachable.unregister(this);
    this.#handle = 0;
  }

  /** Drops it, and wipes a secret key. */
  dispose() {
    const handle = this.#handle;
    if (handle === 0) return;
    this.forget();
    this.#module.release(handle);
  }
}

/**
 * Gives a class `dispose` also as `Symbol.dispose`, where the platform has it.
 * @param {{ prototype: any }} type
 */
export function disposable(type) {
  if (typeof Symbol.dispose === "symbol") type.prototype[Symbol.dispose] = type.prototype.dispose;
}
