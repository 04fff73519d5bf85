/** Keys and streams that stay between calls, by handles from 1 up. */
import { HANDLE } from "./faults.js";

/** @type {Map<number, any>} */
const objects = new Map();
let last = 0;

/**
 * Keeps an object; its handle.
 * @param {object} object
 */
export function keep(object) {
  last += 1;
  objects.set(last, object);
  return last;
}

/**
 * Uses the object with this handle, if it is of this class.
 * @template T, R
 * @param {number} handle
 * @param {new (...args: any[]) => T} type
 * @param {(object: T) => R} use
 * @returns {R | number}
 */
export function withObject(handle, type, use) {
  const object = objects.get(handle);
  return object instanceof type ? use(object) : HANDLE;
}

/**
 * Ends a handle, and wipes a secret key.
 * @param {number} handle
 */
export function release(handle) {
  const object = objects.get(handle);
  if (object === undefined) return HANDLE;
  objects.delete(handle);
  object.wipe?.();
  return 0;
}
