// A program that uses every function, as TypeScript sees it; tsc reads it, and nobody runs it.
import { ed25519, ed25519ph, init, p256, p384, RULES, SigmillError, verifyColumns, x25519 } from "sigmill";
import type { Bytes, EcJwk, Explanation, Reason, Rule, Verdicts } from "sigmill";
import * as inline from "sigmill/inline";
import * as small from "sigmill/ed25519";
import { Binary, vectorFromArray } from "apache-arrow";

await init();
await inline.init(fetch("sigmill.wasm"));
await small.init(new Uint8Array(8));

const message = new TextEncoder().encode("hello");
const { secretKey, publicKey } = ed25519.keygen();
const signature: Bytes = ed25519.sign(message, secretKey, { hedged: true });
const valid: boolean = ed25519.verify(signature, Buffer.from(message), publicKey, { rule: "zip215" });
const why: Reason | null = ed25519.verifyReason(signature, message, publicKey, { variant: "ctx", context: message });
const facts: Explanation = ed25519.explain(signature, message, publicKey);
const rule: Rule = RULES[0];
const ofRule: Reason | null = facts.verdicts[rule];
await crypto.subtle.importKey("raw", publicKey, "Ed25519", true, ["verify"]);

{
  using key = ed25519.signingKey(secretKey);
  using prepared = ed25519.prepare(key.publicKey);
  prepared.verify(key.sign(message), message, { rule });
}
const streamed: boolean = await ed25519.verifyStream(signature, new Blob([message]), publicKey, { rule: "strict" });
const whole: Bytes = await ed25519ph.signStream(new Blob([message]).stream(), secretKey, { context: message });

const shared: Bytes = x25519.getSharedSecret(secretKey, publicKey);
const curve = p256.keygen();
const der: Bytes = p256.sign(message, curve.secretKey, { format: "der", hash: "sha512", lowS: true });
p384.verify(der, message, curve.publicKey, { format: "der" });
const jwk: EcJwk = p256.exportPublicKey("jwk", curve.publicKey);
const pem: string = p256.exportSecretKey("pem", curve.secretKey);
const raw: Bytes = p256.importSecretKey("sec1", p256.exportSecretKey("sec1", curve.secretKey));

const keys = vectorFromArray([publicKey], new Binary());
const verdicts: Verdicts = verifyColumns({ keys, messages: [message], signatures: [null] }, { rule: "strict" });
verifyColumns({ keys, messages: [message], signatures: [signature] }, { specs: [{ algorithm: "p256" }, {}], specOfRow: [1] });
small.verifyColumns({ keys, messages: [message], signatures: [signature] }, { prehashed: true, variant: "ph" });

try {
  // @ts-expect-error a message is bytes
  ed25519.verify(signature, "hello", publicKey);
} catch (error) {
  if (error instanceof SigmillError && error.code === "type") console.log(error.message);
}
// @ts-expect-error no such rule
ed25519.verify(signature, message, publicKey, { rule: "best" });
// @ts-expect-error no such option
ed25519.verify(signature, message, publicKey, { zip215: true });
// @ts-expect-error the small module has one algorithm
small.verifyColumns({ keys, messages: [], signatures: [] }, { algorithm: "p256" });
// @ts-expect-error a container of curves alone
ed25519.importSecretKey("sec1", secretKey);

console.log(valid, why, ofRule, streamed, whole, shared, jwk, pem, raw, verdicts.reasons.equation);
