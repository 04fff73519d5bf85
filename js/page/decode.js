/** Bytes from text: hexadecimal, base64, PEM, JWK, JWS. An error says what was seen, and where in the text. */
import { SigmillError, ed25519 } from "../src/ed25519.js";

/** An error about what a reader typed or chose. */
export class InputError extends Error {}

/** The names of encodings, as the page shows them. */
export const ENCODINGS = {
  text: "text (UTF-8)",
  hex: "hexadecimal",
  base64: "base64",
  pem: "PEM",
  jwk: "JWK",
  file: "a file",
};

const HEX = new Uint8Array(256).fill(255);
for (let digit = 0; digit < 16; digit++) {
  HEX[digit.toString(16).charCodeAt(0)] = digit;
  HEX[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
export const bytesOf = (count) => plural(count, "byte");

/** A character as a message shows it. */
const shown = (character) => (/^[\x21-\x7e]$/.test(character) ? `“${character}”` : `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);

const isBlank = (code) => code === 10 || code === 13 || code === 32 || code === 9;

/** @param {string} text hexadecimal in either case; blanks and line ends mean nothing */
export function fromHex(text) {
  const bytes = new Uint8Array(text.length >> 1);
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isBlank(code)) continue;
    const digit = code < 256 ? HEX[code] : 255;
    if (digit === 255) {
      throw new InputError(`${shown(String.fromCodePoint(text.codePointAt(i)))} at character ${i + 1} is not a hexadecimal digit`);
    }
    bytes[digits >> 1] |= digits & 1 ? digit : digit << 4;
    digits += 1;
  }
  if (digits % 2 === 1) throw new InputError(`${plural(digits, "hexadecimal digit")}; two make a byte`);
  return bytes.subarray(0, digits >> 1);
}

/** @param {Uint8Array} bytes */
export function toHex(bytes) {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

/** @param {string} text base64 in one of the alphabets of RFC 4648, with padding or without; blanks and line ends mean nothing */
export function fromBase64(text) {
  const wrong = /[^A-Za-z0-9+/_=\s-]/u.exec(text);
  if (wrong) throw new InputError(`${shown(wrong[0])} at character ${wrong.index + 1} is not a character of base64`);
  const packed = text.replace(/\s+/g, "");
  if (/[+/]/.test(packed) && /[-_]/.test(packed)) {
    throw new InputError("characters of both alphabets of base64 (“+” or “/”, and “-” or “_”)");
  }
  const digits = packed.replace(/=+$/, "");
  const padding = packed.length - digits.length;
  const inside = digits.indexOf("=");
  if (inside >= 0) throw new InputError(`padding of base64 (“=”) before its end, at character ${inside + 1} without blanks`);
  if (digits.length % 4 === 1) throw new InputError(`${plural(digits.length, "character")} of base64; that is no whole number of bytes`);
  if (padding > 0 && (digits.length + padding) % 4 !== 0 || padding > 2) {
    throw new InputError(`${plural(padding, "padding character")} behind ${digits.length} of base64; expected ${(4 - (digits.length % 4)) % 4}`);
  }
  const binary = atob(digits.replaceAll("-", "+").replaceAll("_", "/"));
  const last = digits.at(-1);
  if (last !== undefined && digits.length % 4 !== 0) {
    const value = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".indexOf(last.replace("-", "+").replace("_", "/"));
    if (value & (digits.length % 4 === 2 ? 15 : 3)) throw new InputError(`the last character of base64, ${shown(last)}, has bits that belong to no byte`);
  }
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

/** @param {() => Uint8Array} decode */
function attempt(decode) {
  try {
    return decode();
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

/** A key by the package, whose messages begin with the name of a function. */
function importKey(format, data) {
  try {
    return ed25519.importPublicKey(format, data);
  } catch (error) {
    if (error instanceof SigmillError) throw new InputError(error.message.replace(/^[\w.]+: /, ""));
    throw error;
  }
}

function parseJson(text, what) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${what} is no JSON: ${error.message}`);
  }
}

/** Whether text has the shape of a compact JWS: two dots between parts of base64url. */
export const isJws = (text) => /^\s*[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\s*$/.test(text);

/**
 * The message and signature of a compact JWS (RFC 7515 section 3.1, RFC 8037).
 * @param {string} text
 */
export function fromJws(text) {
  const token = text.trim();
  if (!isJws(token)) {
    const dots = token.split(".").length - 1;
    const wrong = /[^A-Za-z0-9_.-]/u.exec(token);
    throw new InputError(
      wrong
        ? `${shown(wrong[0])} at character ${wrong.index + 1} is not a character of a compact JWS`
        : `${plural(dots, "dot")}; a compact JWS has 2, between header, payload and signature`,
    );
  }
  const [head, payload, tail] = token.split(".");
  const part = (name, value) => {
    try {
      return fromBase64(value);
    } catch (error) {
      throw new InputError(`${name}: ${error.message}`);
    }
  };
  const bytes = part("header", head);
  let decoded;
  try {
    decoded = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new InputError("header: it is not UTF-8");
  }
  const header = parseJson(decoded, "header");
  if (header === null || typeof header !== "object" || Array.isArray(header)) throw new InputError("header: it is no JSON object");
  if (header.alg !== "EdDSA" && header.alg !== "Ed25519") {
    throw new InputError(`header: alg is ${JSON.stringify(header.alg) ?? "missing"}; expected "EdDSA" or "Ed25519"`);
  }
  if (header.crit !== undefined) throw new InputError(`header: crit is ${JSON.stringify(header.crit)}; no extension is known here`);
  part("payload", payload);
  const signature = part("signature", tail);
  if (signature.length !== 64) throw new InputError(`signature: it has ${bytesOf(signature.length)}; an Ed25519 signature has 64`);
  return { message: `${head}.${payload}`, signature: tail, alg: header.alg };
}

/**
 * Bytes of a key or a signature, and how they were read. Without an encoding, marks tell it, and else the number of
 * characters: one reading has the right length. If none has, and both are possible, the reader has to choose.
 * @param {string} text
 * @param {string} encoding of ENCODINGS, or "marks"
 * @param {{ noun: string, length: number, isKey: boolean }} wanted
 * @returns {{ bytes: Uint8Array, said: string }}
 */
export function readBytes(text, encoding, { noun, length, isKey }) {
  const trimmed = text.trim();
  if (trimmed === "") throw new InputError(`empty; ${noun} has ${bytesOf(length)}`);
  const exactly = (bytes, name) => {
    if (bytes.length !== length) throw new InputError(`${bytesOf(bytes.length)} of ${name}; ${noun} has ${length}`);
    return { bytes, said: `Read as ${name}: ${bytesOf(length)}.` };
  };
  if (encoding === "hex") return exactly(fromHex(text), "hexadecimal");
  if (encoding === "base64") return exactly(fromBase64(text), "base64");
  if (encoding === "pem") return exactly(importKey("pem", text), "PEM");
  if (encoding === "jwk") return exactly(importKey("jwk", parseJson(text, "the JWK")), "JWK");
  if (trimmed.startsWith("-----BEGIN ")) {
    const label = /^-----BEGIN ([^-\n]*)-----/.exec(trimmed)?.[1] ?? "without a whole first line";
    if (isKey) return exactly(importKey("pem", text), "PEM");
    throw new InputError(`PEM (${label}); ${noun} is hexadecimal or base64`);
  }
  if (trimmed.startsWith("{")) {
    if (isKey) return exactly(importKey("jwk", parseJson(text, "the JWK")), "JWK");
    throw new InputError(`JSON; ${noun} is hexadecimal or base64`);
  }
  if (/^0[xX][0-9a-fA-F]+$/.test(trimmed)) throw new InputError("“0x” in front of hexadecimal digits; leave it out");
  if (/^ssh-|^ecdsa-sha2-/.test(trimmed)) throw new InputError("an OpenSSH key; “sigmill pubkey” writes it as PEM");
  if (trimmed.includes(".") && isJws(trimmed)) throw new InputError("a compact JWS; it belongs into the field “Compact JWS”");
  const readings = [
    ["hexadecimal", attempt(() => fromHex(text))],
    ["base64", attempt(() => fromBase64(text))],
  ].filter(([, bytes]) => bytes !== null);
  const fitting = readings.filter(([, bytes]) => bytes.length === length);
  if (fitting.length === 1) {
    const [[name]] = fitting;
    const others = readings.filter(([other]) => other !== name);
    const not = others.map(([other, bytes]) => ` As ${other} it would be ${bytesOf(bytes.length)}: choose the encoding if you mean that.`).join("");
    const found = exactly(fitting[0][1], name);
    return { ...found, said: found.said + not };
  }
  if (readings.length === 2) {
    const [[, hex], [, base64]] = readings;
    throw new InputError(`${bytesOf(hex.length)} as hexadecimal, ${bytesOf(base64.length)} as base64; ${noun} has ${length}. Choose the encoding`);
  }
  if (readings.length === 1) return exactly(readings[0][1], readings[0][0]);
  const digits = /^[0-9a-fA-F\s]*$/.test(text);
  throw new InputError(`neither hexadecimal nor base64: ${reasonOf(() => (digits ? fromHex(text) : fromBase64(text)))}`);
}

function reasonOf(decode) {
  try {
    decode();
    return "";
  } catch (error) {
    return error.message;
  }
}

/**
 * A message, or a context, in the encoding that the reader named.
 * @param {string} text
 * @param {string} encoding
 */
export function readMessage(text, encoding) {
  const bytes = encoding === "text" ? new TextEncoder().encode(text) : encoding === "hex" ? fromHex(text) : fromBase64(text);
  let said = `Read as ${ENCODINGS[encoding]}: ${bytesOf(bytes.length)}.`;
  if (encoding === "text" && /^(?:[0-9a-fA-F]{2})+$/.test(text)) said += " These characters are hexadecimal digits, too: choose the encoding if you mean that.";
  return { bytes, said };
}
