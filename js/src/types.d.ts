/** Bytes that a function returns: memory of their own. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A verification rule, by which alone it is said which signatures of Ed25519 are valid. */
export type Rule = "common" | "rfc8032_exact" | "rfc8032" | "zip215" | "strict" | "no_small_key" | "no_small" | "legacy";

/** The first requirement that an invalid signature violates. */
export type Reason =
  | "key_length"
  | "signature_length"
  | "key_not_a_point"
  | "key_not_canonical"
  | "key_small_order"
  | "r_not_a_point"
  | "r_not_canonical"
  | "r_small_order"
  | "s_out_of_range"
  | "equation"
  | "r_out_of_range"
  | "s_high"
  | "digest_empty"
  | "signature_der"
  | "digest_length";

/** Ed25519, Ed25519ctx, Ed25519ph. */
export type Variant = "pure" | "ctx" | "ph";

/** The hash function of ECDSA; with `none` the message is the digest. */
export type Hash = "sha256" | "sha384" | "sha512" | "none";

export type ErrorCode =
  | "not_initialized"
  | "trapped"
  | "module"
  | "internal"
  | "memory"
  | "randomness"
  | "type"
  | "length"
  | "option"
  | "disposed"
  | "key"
  | "key_pair"
  | "not_contributory"
  | "fault"
  | "digest_empty"
  | "container"
  | "jwk"
  | "column";

/** An error about arguments, or about the module. An invalid signature is none. */
export class SigmillError extends Error {
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown });
  readonly code: ErrorCode;
}

/** The bytes of a module, a compiled module, or the answer to a request for it. */
export type ModuleSource = Uint8Array | ArrayBuffer | WebAssembly.Module | Response;

/**
 * Prepares the module; everything else is synchronous after it. Without an argument it reads the file of the package. A second
 * call does nothing, unless the module has failed.
 *
 * @throws SigmillError `module`, `type`
 */
export type Init = (source?: ModuleSource | Promise<ModuleSource>) => Promise<void>;

export interface Keypair {
  secretKey: Bytes;
  publicKey: Bytes;
}

export interface VariantOptions {
  /** By default that of the namespace. */
  variant?: Variant;
  /** At most 255 bytes, for `ctx` and `ph`. */
  context?: Uint8Array;
}

export interface VerifyOptions extends VariantOptions {
  /** `common` by default. */
  rule?: Rule;
}

export interface SignOptions extends VariantOptions {
  /** Mixes random bytes into the nonce; without it signatures are deterministic (RFC 8032). */
  hedged?: boolean;
  /** Makes the signature twice and verifies it before it is returned. */
  checked?: boolean;
}

export interface PrehashedOptions {
  /** `common` by default. */
  rule?: Rule;
  /** At most 255 bytes. */
  context?: Uint8Array;
}

/** One point: the public key, or the R of a signature. */
export interface PointReport {
  /** There is a point with this encoding. If not, the rest means nothing. */
  decodes: boolean;
  canonical: boolean;
  /** The order is 1, 2, 4 or 8. */
  smallOrder: boolean;
  /** The order of the torsion part: 1 for a point of the prime-order group. */
  torsionOrder: number;
}

/** All facts about one signature, and the verdict of each rule: null if it is valid. */
export interface Explanation {
  a: PointReport;
  r: PointReport;
  /** SHA-512(dom ‖ R ‖ A ‖ PH(M)) mod ℓ, 32 bytes, little-endian. */
  k: Bytes;
  sBelowOrder: boolean;
  /** [S]B = R + [k]A. */
  exact: boolean;
  /** [8][S]B = [8]R + [8][k]A. */
  cofactored: boolean;
  /** The order of the torsion part of [S]B − [k]A − R; null if a point does not decode. */
  residualTorsionOrder: number | null;
  verdicts: Record<Rule, Reason | null>;
}

/** A message in pieces. */
export type MessageStream = ReadableStream<Uint8Array> | Blob | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A key or stream that stays in the module until it is disposed of. */
export interface Held {
  /** Drops it; a secret key is wiped. A second call does nothing. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** A secret key of Ed25519 that stays in the module, with what signing derives from it. */
export interface SigningKey extends Held {
  readonly publicKey: Bytes;
  sign(message: Uint8Array, options?: SignOptions): Bytes;
  /** Signs SHA-512 of a message by Ed25519ph. */
  signPrehashed(digest: Uint8Array, options?: { context?: Uint8Array }): Bytes;
}

/** A public key of Ed25519 with tables of its multiples, 160 KiB: for several signatures by one key. */
export interface PreparedKey extends Held {
  readonly publicKey: Bytes;
  verify(signature: Uint8Array, message: Uint8Array, options?: VerifyOptions): boolean;
  verifyReason(signature: Uint8Array, message: Uint8Array, options?: VerifyOptions): Reason | null;
  verifyPrehashed(signature: Uint8Array, digest: Uint8Array, options?: PrehashedOptions): boolean;
}

/** The verification of one signature of a message that comes in pieces. */
export interface Verifier extends Held {
  update(piece: Uint8Array): this;
  /** Whether the signature is valid; ends the verifier. */
  verify(): boolean;
  /** Why it is not valid, or null; ends the verifier. */
  verifyReason(): Reason | null;
}

export interface OkpJwk {
  kty: "OKP";
  crv: "Ed25519" | "X25519";
  x: string;
  d?: string;
  alg?: string;
}

export interface EcJwk {
  kty: "EC";
  crv: "P-256" | "P-384";
  x: string;
  y: string;
  d?: string;
  alg?: string;
}

/** Keys from and to other formats. A format is named, never guessed. Those of secret keys are not constant time in JWK. */
export interface KeyFormats<Jwk> {
  /** The public key by itself: 32 bytes, or SEC1, uncompressed. */
  importPublicKey(format: "raw" | "spki", data: Uint8Array): Bytes;
  importPublicKey(format: "pem", data: string | Uint8Array): Bytes;
  importPublicKey(format: "jwk", data: object): Bytes;
  exportPublicKey(format: "raw" | "spki", publicKey: Uint8Array): Bytes;
  exportPublicKey(format: "pem", publicKey: Uint8Array): string;
  exportPublicKey(format: "jwk", publicKey: Uint8Array): Jwk;
  /** The secret key by itself. A public key beside it is compared with the derived one. */
  importSecretKey(format: "raw" | "pkcs8", data: Uint8Array): Bytes;
  importSecretKey(format: "pem", data: string | Uint8Array): Bytes;
  importSecretKey(format: "jwk", data: object): Bytes;
  exportSecretKey(format: "raw" | "pkcs8", secretKey: Uint8Array): Bytes;
  exportSecretKey(format: "pem", secretKey: Uint8Array): string;
  exportSecretKey(format: "jwk", secretKey: Uint8Array): Jwk;
}

/** Ed25519 (RFC 8032). Verification takes bytes of any length and value; its time depends on them. */
export interface Ed25519 extends KeyFormats<OkpJwk> {
  /** A new key from `crypto.getRandomValues`, or that of a seed. */
  keygen(seed?: Uint8Array): Keypair;
  getPublicKey(secretKey: Uint8Array): Bytes;
  sign(message: Uint8Array, secretKey: Uint8Array, options?: SignOptions): Bytes;
  /** Signs SHA-512 of a message by Ed25519ph. */
  signPrehashed(digest: Uint8Array, secretKey: Uint8Array, options?: { context?: Uint8Array }): Bytes;
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array, options?: VerifyOptions): boolean;
  /** The first requirement that is violated, or null if the signature is valid. */
  verifyReason(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array, options?: VerifyOptions): Reason | null;
  /** Verifies by Ed25519ph, given SHA-512 of the message. */
  verifyPrehashed(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array, options?: PrehashedOptions): boolean;
  verifyPrehashedReason(
    signature: Uint8Array,
    digest: Uint8Array,
    publicKey: Uint8Array,
    options?: PrehashedOptions,
  ): Reason | null;
  /** Why a rule rejects a public key as such, or null. */
  checkKey(publicKey: Uint8Array, options?: { rule?: Rule }): Reason | null;
  explain(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array, options?: VariantOptions): Explanation;
  signingKey(secretKey: Uint8Array): SigningKey;
  prepare(publicKey: Uint8Array): PreparedKey;
  verifier(signature: Uint8Array, publicKey: Uint8Array, options?: VerifyOptions): Verifier;
  verifyStream(
    signature: Uint8Array,
    message: MessageStream,
    publicKey: Uint8Array,
    options?: VerifyOptions,
  ): Promise<boolean>;
  verifyStreamReason(
    signature: Uint8Array,
    message: MessageStream,
    publicKey: Uint8Array,
    options?: VerifyOptions,
  ): Promise<Reason | null>;
  /** Signs a stream by Ed25519ph. Other variants read a message twice to sign it. */
  signStream(message: MessageStream, secretKey: Uint8Array, options?: VariantOptions): Promise<Bytes>;
}

/** X25519 (RFC 7748). Constant time, as far as the engine is. */
export interface X25519 extends KeyFormats<OkpJwk> {
  keygen(seed?: Uint8Array): Keypair;
  getPublicKey(secretKey: Uint8Array): Bytes;
  /** 32 bytes, to be hashed before they are a key. @throws SigmillError `not_contributory` if they would be zero */
  getSharedSecret(secretKey: Uint8Array, publicKey: Uint8Array): Bytes;
  secretKeyFromEd25519(secretKey: Uint8Array): Bytes;
  publicKeyFromEd25519(publicKey: Uint8Array): Bytes;
}

export interface EcdsaVerifyOptions {
  /** That of the curve's size by default. */
  hash?: Hash;
  /** r ‖ s, or strict DER; never guessed. `raw` by default. */
  format?: "raw" | "der";
  /** Refuses an s above half of the order. False by default. */
  lowS?: boolean;
}

export interface EcdsaSignOptions extends Omit<EcdsaVerifyOptions, "lowS"> {
  /** Makes s at most half of the order. False by default. */
  lowS?: boolean;
  /** Mixes random bytes into the nonce; without it signatures are deterministic (RFC 6979). */
  hedged?: boolean;
  /** Makes the signature twice and verifies it before it is returned. */
  checked?: boolean;
}

/** A secret key of ECDSA that stays in the module. */
export interface EcdsaSigningKey extends Held {
  /** SEC1, uncompressed. */
  readonly publicKey: Bytes;
  sign(message: Uint8Array, options?: EcdsaSignOptions): Bytes;
}

/** ECDSA (FIPS 186-5). Public keys are SEC1, in either form. */
export interface Ecdsa extends KeyFormats<EcJwk> {
  keygen(): Keypair;
  /** SEC1, uncompressed by default. */
  getPublicKey(secretKey: Uint8Array, isCompressed?: boolean): Bytes;
  sign(message: Uint8Array, secretKey: Uint8Array, options?: EcdsaSignOptions): Bytes;
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array, options?: EcdsaVerifyOptions): boolean;
  verifyReason(
    signature: Uint8Array,
    message: Uint8Array,
    publicKey: Uint8Array,
    options?: EcdsaVerifyOptions,
  ): Reason | null;
  signingKey(secretKey: Uint8Array): EcdsaSigningKey;
  /** ECPrivateKey (RFC 5915), in DER. */
  importSecretKey(format: "raw" | "pkcs8" | "sec1", data: Uint8Array): Bytes;
  importSecretKey(format: "pem", data: string | Uint8Array): Bytes;
  importSecretKey(format: "jwk", data: object): Bytes;
  exportSecretKey(format: "raw" | "pkcs8" | "sec1", secretKey: Uint8Array): Bytes;
  exportSecretKey(format: "pem", secretKey: Uint8Array): string;
  exportSecretKey(format: "jwk", secretKey: Uint8Array): EcJwk;
}

/** A chunk of an Arrow vector, by its shape. */
export interface ArrowData {
  readonly type: { readonly typeId: number };
  readonly length: number;
}

/** Byte strings, one a row: null for none. */
export type Column = readonly (Uint8Array | null | undefined)[] | { readonly data: readonly ArrowData[] } | ArrowData;

export interface Table {
  keys: Column;
  messages: Column;
  signatures: Column;
}

export interface Ed25519Spec extends VerifyOptions {
  algorithm?: "ed25519";
  /** Messages are SHA-512 of messages; for variant `ph`. */
  prehashed?: boolean;
}

export interface EcdsaSpec extends EcdsaVerifyOptions {
  algorithm: "p256" | "p384";
}

/** Several specs, and the number of each row's. */
export interface ManySpecs<Spec> {
  specs: readonly Spec[];
  specOfRow: ArrayLike<number>;
}

/** The verdicts of a table, one a row. */
export interface Verdicts {
  /** One byte a row: 0 if it is valid, the number of the reason if not, 255 where something in the row is null. */
  readonly codes: Bytes;
  readonly length: number;
  readonly valid: number;
  readonly invalid: number;
  readonly null: number;
  readonly allValid: boolean;
  /** Rows that were rejected, by reason. */
  readonly reasons: Partial<Record<Reason, number>>;
  /** Null where something in the row is null. */
  isValid(row: number): boolean | null;
  reason(row: number): Reason | null;
  /** The first invalid rows. */
  bad(limit?: number): number[];
}

/**
 * Verifies every row of three columns, each with the verdict that it has alone. Columns are arrays of Uint8Array, or vectors of
 * apache-arrow (binary, fixed-size binary, utf8, a dictionary of them), and are copied once.
 */
export type VerifyColumns<Spec> = (table: Table, options?: Spec | ManySpecs<Spec>) => Verdicts;
