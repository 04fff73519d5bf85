/** One signature: its fields, its facts, the verdict of each rule, and the programs that accept it. */
import wasm from "../dist/ed25519.wasm";
import { RULES, ed25519, init } from "../src/ed25519.js";
import { InputError, bytesOf, fromJws, readBytes, readMessage, toHex } from "./decode.js";
import { el, facts, section, tableOf, verdict } from "./elements.js";
import { EXAMPLES } from "./examples.js";
import { PROGRAMS, accepts } from "./programs.js";
import { REASONS_IN_WORDS, RULES_IN_WORDS, pointInWords, rangeInWords, residualInWords } from "./words.js";

const LARGEST_MESSAGE = 2 ** 28;
const KEY = { noun: "an Ed25519 public key", length: 32, isKey: true };
const SIGNATURE = { noun: "an Ed25519 signature", length: 64, isKey: false };
const FIELDS = { key: "key", message: "message", signature: "signature", context: "context" };

/**
 * @param {HTMLElement} panel
 * @returns {(row: { key: string, message: string, signature: string, variant: string, context: string }) => Promise<void>} fills the
 *   fields with hexadecimal and explains it
 */
export function makeExplain(panel) {
  const at = (id) => panel.querySelector(`#${id}`);
  const [status, results, form] = [".status", ".results", "form"].map((name) => panel.querySelector(name));
  const ready = init(wasm);

  const note = (field, text, isWrong) => {
    const place = at(`${field}-note`);
    place.textContent = text;
    place.classList.toggle("wrong", isWrong);
    at(field).setAttribute("aria-invalid", String(isWrong));
  };

  const readers = {
    key: async () => readBytes(at("key").value, at("key-encoding").value, KEY),
    signature: async () => readBytes(at("signature").value, at("signature-encoding").value, SIGNATURE),
    message: async () => {
      if (at("message-encoding").value !== "file") return readMessage(at("message").value, at("message-encoding").value);
      const [file] = at("message-file").files;
      if (file === undefined) throw new InputError("no file is chosen");
      if (file.size > LARGEST_MESSAGE) throw new InputError(`${file.name} has ${bytesOf(file.size)}; at most ${LARGEST_MESSAGE} are read`);
      try {
        return { bytes: new Uint8Array(await file.arrayBuffer()), said: `Read from ${file.name}: ${bytesOf(file.size)}.` };
      } catch (error) {
        throw new InputError(`${file.name} cannot be read: ${error.message}`);
      }
    },
    context: async () => {
      if (at("variant").value === "pure") return { bytes: new Uint8Array(0), said: "" };
      const found = readMessage(at("context").value, at("context-encoding").value);
      if (found.bytes.length > 255) throw new InputError(`${bytesOf(found.bytes.length)}; a context has at most 255`);
      return found;
    },
  };

  /** The bytes of a field, or the error that stands below it. */
  const read = async (field) => {
    try {
      const { bytes, said } = await readers[field]();
      note(field, said, false);
      return { bytes, error: null };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      note(field, `${FIELDS[field]}: ${error.message}.`, true);
      return { bytes: null, error: `${FIELDS[field]}: ${error.message}` };
    }
  };

  const showParts = () => {
    const isFile = at("message-encoding").value === "file";
    at("message").hidden = isFile;
    at("message-file-part").hidden = !isFile;
    at("context-part").hidden = at("variant").value === "pure";
  };

  let last = 0;
  const explain = async () => {
    const number = ++last;
    results.replaceChildren();
    await ready;
    const variant = at("variant").value;
    const [key, message, signature, context] = await Promise.all(["key", "message", "signature", "context"].map(read));
    if (number !== last) return;
    const errors = [key, message, signature, context].map(({ error }) => error).filter((error) => error !== null);
    if (errors.length > 0) {
      status.textContent = `Not explained. ${errors.join("; ")}.`;
      form.querySelector("[aria-invalid=true]")?.focus();
      return;
    }
    const options = { variant, context: context.bytes };
    const explanation = ed25519.explain(signature.bytes, message.bytes, key.bytes, options);
    const valid = RULES.filter((rule) => explanation.verdicts[rule] === null);
    const count = valid.length === RULES.length ? "all 8 rules" : valid.length === 0 ? "no rule" : `${valid.length} of 8 rules: ${valid.join(", ")}`;
    status.textContent = `Valid under ${count}.`;
    results.replaceChildren(
      factsOf(explanation, key.bytes, signature.bytes, variant),
      rulesOf(explanation),
      programsOf(explanation, signature.bytes, variant),
    );
  };

  const guarded = async (work) => {
    try {
      await work();
    } catch (error) {
      status.textContent = `Not explained. ${error.message}`;
    }
  };

  const fill = async ({ key, message, signature, variant, context }) => {
    const texts = { key, message, signature, context };
    for (const [field, text] of Object.entries(texts)) {
      at(field).value = text;
      at(`${field}-encoding`).value = "hex";
    }
    at("variant").value = variant;
    showParts();
    await guarded(explain);
  };

  at("fill").addEventListener("click", async () => {
    try {
      const { message, signature, alg } = fromJws(at("jws").value);
      at("message").value = message;
      at("message-encoding").value = "text";
      at("signature").value = signature;
      at("signature-encoding").value = "base64";
      at("variant").value = "pure";
      showParts();
      note("jws", `Filled: message and signature; alg is ${alg}. The message is header and payload as they stand, with the dot.`, false);
      await guarded(() => Promise.all(["message", "signature"].map(read)));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      note("jws", `JWS: ${error.message}.`, true);
    }
  });
  for (const field of Object.keys(FIELDS)) {
    for (const id of [field, `${field}-encoding`]) {
      at(id).addEventListener("change", () => {
        showParts();
        if (at(field).value !== "" || at(`${field}-note`).textContent !== "") guarded(() => read(field));
      });
    }
  }
  at("message-file").addEventListener("change", () => guarded(() => read("message")));
  at("variant").addEventListener("change", showParts);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    guarded(explain);
  });
  at("example").append(...EXAMPLES.map(({ name }, i) => el("option", { value: i }, name)));
  at("example").addEventListener("change", ({ target }) => {
    if (target.value !== "") fill(EXAMPLES[target.value]);
  });
  showParts();
  return fill;
}

const code = (text) => el("code", {}, text);

function factsOf(explanation, key, signature, variant) {
  const holds = (fact) => verdict(fact, fact ? "holds" : "does not hold");
  const isKnown = explanation.a.decodes && explanation.r.decodes;
  const equation = (fact) => (isKnown ? holds(fact) : verdict(null, "undefined: a point does not decode"));
  return section("Facts", facts([
    ["Variant", variant],
    ["Key A", el("span", {}, pointInWords(explanation.a), el("br"), code(toHex(key)))],
    ["R", el("span", {}, pointInWords(explanation.r), el("br"), code(toHex(signature.subarray(0, 32))))],
    ["S", el("span", {}, rangeInWords(explanation, signature), el("br"), code(toHex(signature.subarray(32))))],
    ["k", el("span", {}, "SHA-512(dom ‖ R ‖ A ‖ PH(M)) mod ℓ, little-endian", el("br"), code(toHex(explanation.k)))],
    ["Residual", `[S]B − [k]A − R is ${residualInWords(explanation)}`],
    ["Exact equation", el("span", {}, "the encoding of [S]B − [k]A is R: ", equation(explanation.exact))],
    ["Cofactored equation", el("span", {}, "[8]([S]B − [k]A − R) = 0: ", equation(explanation.cofactored))],
  ]));
}

function rulesOf({ verdicts }) {
  const rows = RULES.map((rule) => {
    const reason = verdicts[rule];
    const words = reason === null ? "valid" : `invalid: ${reason}`;
    const why = reason === null ? null : el("span", { class: "reason" }, REASONS_IN_WORDS[reason] ?? reason);
    const cell = el("span", { "data-rule": rule, "data-reason": reason ?? "ok" }, verdict(reason === null, words), why);
    return [code(rule), cell, RULES_IN_WORDS[rule]];
  });
  return section("Rules", tableOf("If several reasons apply, the first is given.", ["Rule", "Verdict", "Requirements"], rows));
}

function programsOf(explanation, signature, variant) {
  const rows = PROGRAMS.filter(({ variants = ["pure"] }) => variants.includes(variant)).map((entry) => {
    const accepted = accepts(entry, explanation, signature, variant);
    const words = accepted === null ? "not told" : accepted ? "accepts" : "refuses";
    const rule = entry.rule ? code(entry.rule) : el("span", {}, entry.like ? `none; otherwise as ${entry.like}: ` : "none: ", entry.note);
    return [entry.program, entry.versions, rule, verdict(accepted, words)];
  });
  const none = el("p", {}, `No program was compared for variant ${variant}.`);
  const caption = "By the rule that each version was seen to follow; other versions may follow another.";
  return section("Programs", rows.length > 0 ? tableOf(caption, ["Program", "Versions", "Rule", "Verdict"], rows) : none);
}
