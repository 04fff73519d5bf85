/** The WebAssembly module, and calls into it. */
import { seen, size } from "./arguments.js";
import { SigmillError, faultError } from "./errors.js";
import { VERSION } from "./names.js";

/** Addresses of WebAssembly have 32 bits; a page is left. */
const LARGEST = 2 ** 32 - 2 ** 16;

const AGAIN = "the module has failed and holds undefined state; call init() again, and make keys and streams again";

/** An instance of the module. */
export class Module {
  /** @param {WebAssembly.Instance} instance */
  constructor(instance) {
    /** @type {Record<string, any>} */
    this.exports = instance.exports;
    this.isBroken = false;
    /** The address of the arena during a call. */
    this.address = 0;
    this.unreachable = new FinalizationRegistry((/** @type {number} */ handle) => this.release(handle));
    const version = typeof this.exports.version === "function" ? this.text("version", []) : "none";
    if (version !== VERSION) {
      throw new SigmillError("module", `the module has version ${version}; these sources need ${VERSION}`);
    }
  }

  /**
   * Room for arguments, as bytes of the module's memory.
   * @param {number} total
   * @param {string} where
   */
  reserve(total, where) {
    const address = total > LARGEST ? 0 : this.exports.reserve(total) >>> 0;
    if (address === 0) {
      throw new SigmillError("memory", `${where}: no WebAssembly memory for ${total} bytes of arguments`);
    }
    this.address = address;
    return new Uint8Array(this.exports.memory.buffer, address, total);
  }

  /**
   * Calls into the module, and wipes the arena afterwards. Nothing but our own errors leaves the module whole.
   * @template T
   * @param {string} where
   * @param {() => T} work
   * @returns {T}
   */
  guarded(where, work) {
    if (this.isBroken) throw new SigmillError("trapped", `${where}: ${AGAIN}`);
    // until the arena is wiped: where the stack is used up, the next call may fail, whichever it is
    this.isBroken = true;
    let isWhole = false;
    try {
      const result = work();
      isWhole = true;
      return result;
    } catch (error) {
      isWhole = error instanceof SigmillError;
      throw isWhole ? error : this.failed(where, error);
    } finally {
      if (isWhole) this.wipe(where);
    }
  }

  /** @param {string} where */
  wipe(where) {
    try {
      this.exports.clear();
      this.isBroken = false;
    } catch (error) {
      throw this.failed(where, error);
    }
  }

  /**
   * @param {string} where
   * @param {unknown} cause
   */
  failed(where, cause) {
    return new SigmillError("trapped", `${where}: ${AGAIN}`, { cause });
  }

  /**
   * Calls a function with numbers and bytes; what it returns.
   * @param {string} name
   * @param {number[]} numbers
   * @param {Uint8Array[]} parts
   * @param {string} where
   * @returns {number}
   */
  ask(name, numbers, parts, where = name) {
    return this.guarded(where, () => this.invoke(name, numbers, parts, where));
  }

  /**
   * Calls a function with numbers and bytes; the bytes that it writes.
   * @param {string} name
   * @param {number[]} numbers
   * @param {Uint8Array[]} parts
   * @param {string} where
   */
  take(name, numbers, parts, where = name) {
    return this.guarded(where, () => this.written(this.invoke(name, numbers, parts, where)));
  }

  /**
   * @param {string} name
   * @param {number[]} numbers
   * @param {Uint8Array[]} parts
   * @returns {string}
   */
  text(name, numbers, parts = [], where = name) {
    return new TextDecoder().decode(this.take(name, numbers, parts, where));
  }

  /**
   * @param {string} name
   * @param {number[]} numbers
   * @param {Uint8Array[]} parts
   * @param {string} where
   * @returns {number}
   */
  invoke(name, numbers, parts, where) {
    const lengths = parts.map(size);
    const place = this.reserve(lengths.reduce((sum, length) => sum + length, 0), where);
    let offset = 0;
    parts.forEach((part, i) => {
      place.set(part, offset);
      offset += lengths[i];
    });
    const result = this.exports[name](...numbers, ...lengths);
    if (result < 0) throw faultError(result, where);
    return result;
  }

  /**
   * A copy of the beginning of the arena.
   * @param {number} length
   */
  written(length) {
    // the memory may have grown, which ends older views
    return new Uint8Array(this.exports.memory.buffer, this.address, length).slice();
  }

  /**
   * Drops a key or a stream.
   * @param {number} handle
   */
  release(handle) {
    if (!this.isBroken) this.ask("release", [handle], []);
  }
}

/** The place of the module that the `init` of an entry has made. */
export class Slot {
  /** @param {() => Promise<Source> | Source} load */
  constructor(load) {
    this.load = load;
    /** @type {Module | null} */
    this.current = null;
    /** @type {Promise<void> | null} */
    this.pending = null;
    /** @type {(source?: Source | Promise<Source>) => Promise<void>} */
    this.init = (source) => this.begin(source);
  }

  /**
   * The module.
   * @param {string} where
   */
  get(where) {
    if (this.current === null) {
      throw new SigmillError("not_initialized", `${where}: sigmill is not initialized; await init() before the first call`);
    }
    return this.current;
  }

  /** @param {Source | Promise<Source>} [source] */
  begin(source) {
    if (this.current !== null && !this.current.isBroken) return Promise.resolve();
    this.pending ??= this.instantiate(source).finally(() => {
      this.pending = null;
    });
    return this.pending;
  }

  async loaded() {
    try {
      return await this.load();
    } catch (cause) {
      if (cause instanceof SigmillError) throw cause;
      // a bundle that is no module has no address
      throw new SigmillError("module", `init: the address of the module is unknown; ${ADVICE}`, { cause });
    }
  }

  /** @param {Source | Promise<Source>} [source] */
  async instantiate(source) {
    const compiled = await compile(await (source ?? this.loaded()));
    this.current = new Module(await WebAssembly.instantiate(compiled, {}));
  }
}

/** @typedef {WebAssembly.Module | Uint8Array | ArrayBuffer | Response} Source */

/** @param {any} source */
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  let found = source;
  if (typeof Response === "function" && source instanceof Response) {
    if (!source.ok) throw new SigmillError("module", `init: ${source.url} answered ${source.status} ${source.statusText}`);
    found = await source.arrayBuffer();
  }
  if (!(found instanceof ArrayBuffer) && !ArrayBuffer.isView(found)) {
    throw new SigmillError("type", `init: the module is ${seen(source)}; expected bytes, a WebAssembly.Module or a Response`);
  }
  const data = ArrayBuffer.isView(found) ? new Uint8Array(found.buffer, found.byteOffset, found.byteLength) : new Uint8Array(found);
  const [zero, a, s, m] = data;
  if (data.length < 8 || zero !== 0 || a !== 0x61 || s !== 0x73 || m !== 0x6d) {
    const beginning = JSON.stringify(String.fromCharCode(...data.subarray(0, 12)));
    throw new SigmillError("module", `init: ${data.length} bytes that begin with ${beginning} are no WebAssembly module; ${ADVICE}`);
  }
  try {
    return await WebAssembly.compile(/** @type {Uint8Array<ArrayBuffer>} */ (data));
  } catch (cause) {
    throw new SigmillError("module", `init: the module does not compile: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

export const ADVICE = "a bundler may have left out the .wasm file: import sigmill/inline, or pass the bytes to init()";
