/** Vectors of WebAssembly (simd128), which columns are verified with. */

/** A module whose one function makes a vector of 16 zeros. */
const SMALLEST = [
  [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  // types: a function that returns v128; functions: one of it
  [1, 5, 1, 0x60, 0, 1, 0x7b, 3, 2, 1, 0],
  // code: i32.const 0, i8x16.splat, end
  [10, 8, 1, 6, 0, 0x41, 0, 0xfd, 0x0f, 0x0b],
];

/** Whether the engine runs modules with vectors. */
export const hasSimd = () => WebAssembly.validate(new Uint8Array(SMALLEST.flat()));
