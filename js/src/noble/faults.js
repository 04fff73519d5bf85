/** Faults of a call, as in js/wasm/src/fault.rs; `js/src/errors.js` has their texts. */
export const CALL = -2;
export const HANDLE = -3;
export const LENGTH = -4;
export const NOT_A_POINT = -5;
export const SECRET = -7;
export const NOT_CONTRIBUTORY = -8;
export const DISCARDED = -9;
export const DIGEST_EMPTY = -10;
/** This one the WebAssembly module does not have. */
export const NO_CONTAINERS = -21;
