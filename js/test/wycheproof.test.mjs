/** ECDSA and X25519 on Wycheproof's vectors, one at a time and as tables. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cases, hex, isNoble, sigmill, toHex } from "./vectors.mjs";

const { init, p256, p384, verifyColumns, x25519 } = sigmill;
const folder = process.env.SIGMILL_MODULES;
await init(folder && !isNoble ? readFileSync(`${folder}/sigmill.wasm`) : undefined);

for (const [algorithm, curve, number, sets] of [
  ["p256", p256, 256, ["sha256", "sha512"]],
  ["p384", p384, 384, ["sha256", "sha384", "sha512"]],
]) {
  for (const hash of sets) {
    for (const [format, suffix] of [
      ["der", ""],
      ["raw", "_p1363"],
    ]) {
      if (algorithm === "p384" && hash === "sha256" && format === "raw") continue;
      test(`ECDSA on ${algorithm}, ${hash}, ${format}`, () => {
        const found = cases(`ecdsa_secp${number}r1_${hash}${suffix}_test.json`);
        const table = { keys: [], messages: [], signatures: [] };
        const expected = found.map(({ group, msg, sig, result, tcId }) => {
          const [key, message, signature] = [group.publicKey.uncompressed, msg, sig].map(hex);
          table.keys.push(key);
          table.messages.push(message);
          table.signatures.push(signature);
          const isValid = curve.verify(signature, message, key, { hash, format });
          assert.equal(isValid, result === "valid", `case ${tcId}`);
          return isValid;
        });
        const verdicts = verifyColumns(table, { algorithm, hash, format });
        expected.forEach((isValid, row) => assert.equal(verdicts.isValid(row), isValid, `row ${row}`));
        assert.ok(verdicts.valid > 0 && verdicts.invalid > 0);
      });
    }
  }
}

test("X25519", () => {
  const zeros = "00".repeat(32);
  let refused = 0;
  for (const { tcId, private: secret, public: key, shared } of cases("x25519_test.json")) {
    const agree = () => toHex(x25519.getSharedSecret(hex(secret), hex(key)));
    if (shared === zeros) {
      assert.throws(agree, { code: "not_contributory" }, `case ${tcId}`);
      refused += 1;
    } else {
      assert.equal(agree(), shared, `case ${tcId}`);
    }
  }
  assert.ok(refused > 10);
});
