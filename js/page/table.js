/** A table: its columns, the counts of its verdicts, the first invalid rows, and all verdicts to save. */
import { RULES } from "../src/ed25519.js";
import { el, facts, save, section, tableOf, verdict } from "./elements.js";
import { REASONS_IN_WORDS, RULES_IN_WORDS } from "./words.js";

/** Names by which a column is chosen at first. */
const COLUMNS = [
  { name: "key", label: "Key", names: ["key", "public_key", "publickey", "pk"], encodings: ["hex", "base64"] },
  { name: "message", label: "Message", names: ["message", "msg"], encodings: ["hex", "base64", "text"] },
  { name: "signature", label: "Signature", names: ["signature", "sig"], encodings: ["hex", "base64"] },
  { name: "variant", label: "Variant", names: ["variant"], none: "pure in all rows" },
  { name: "context", label: "Context", names: ["context"], none: "no context", encodings: ["hex", "base64", "text"] },
];
const ENCODING = { hex: "hexadecimal", base64: "base64", text: "text (UTF-8)" };
const WITHOUT_IN_WORDS = {
  null: "something in the row is null",
  unknown: "the variant is none of pure, ctx and ph",
  context: "a context of more than 255 bytes, or one with the variant pure",
  unreadable: "a cell is not in its encoding",
};
const count = (number) => number.toLocaleString("en-US");

/**
 * @param {HTMLElement} panel
 * @param {string} source of the worker
 * @param {(row: object) => void} explain
 */
export function makeTable(panel, source, explain) {
  const at = (id) => panel.querySelector(`#${id}`);
  const [status, results, drop, progress, grid] = [".status", ".results", ".drop", "progress", ".grid"].map((name) => panel.querySelector(name));
  const form = at("columns");
  let file = null;
  let worker = null;

  const stop = () => {
    worker?.terminate();
    worker = null;
    progress.hidden = true;
    at("cancel").hidden = true;
  };

  /** Gives a worker one message, and each of its answers to `take`. */
  const ask = (message, take) => {
    stop();
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    worker = new Worker(url);
    const failed = (text) => {
      stop();
      status.textContent = `Not verified. ${file.name}: ${text}.`;
    };
    worker.onmessage = ({ data }) => (data.error === undefined ? take(data) : failed(data.error));
    worker.onerror = (event) => {
      event.preventDefault();
      failed(`the worker has failed: ${event.message ?? "no reason is given"}`);
    };
    worker.postMessage(message);
    URL.revokeObjectURL(url);
  };

  const chooser = ({ name, label, names, none, encodings }, columns) => {
    const chosen = columns.findIndex((column) => names.includes(column.toLowerCase()));
    const options = columns.map((column, i) => el("option", i === chosen ? { value: `=${column}`, selected: "" } : { value: `=${column}` }, column));
    if (none !== undefined) options.unshift(el("option", { value: "" }, none));
    else if (chosen < 0) options.unshift(el("option", { value: "", selected: "" }, "choose a column"));
    const parts = [el("label", { for: `column-${name}` }, label), el("select", { id: `column-${name}` }, ...options)];
    if (encodings) {
      parts.push(
        el("label", { for: `encoding-${name}`, class: "small" }, `Encoding of the column: ${label.toLowerCase()}`),
        el("select", { id: `encoding-${name}` }, ...encodings.map((encoding) => el("option", { value: encoding }, ENCODING[encoding]))),
      );
    }
    return el("div", { class: "field" }, ...parts);
  };

  const readColumns = () => {
    form.hidden = true;
    results.replaceChildren();
    status.textContent = "";
    ask({ task: "columns", file, delimiter: at("delimiter").value }, ({ kind, columns }) => {
      stop();
      at("delimiter-part").hidden = kind !== "csv";
      at("file-note").textContent = `${file.name}: ${kind === "csv" ? "text with a header" : "Parquet"}, ${count(file.size)} bytes, ${count(columns.length)} columns.`;
      grid.replaceChildren(...COLUMNS.map((column) => chooser(column, columns)));
      form.hidden = false;
    });
  };

  const open = (chosen) => {
    if (chosen === undefined) return;
    file = chosen;
    at("delimiter").value = /\.(tsv|tab)$/i.test(file.name) ? "\t" : ",";
    at("delimiter-part").hidden = true;
    at("file-note").textContent = "";
    readColumns();
  };

  const verify = () => {
    const columns = {};
    const encodings = {};
    for (const { name, label, none } of COLUMNS) {
      const { value } = at(`column-${name}`);
      if (value === "" && none === undefined) {
        status.textContent = `Not verified. ${label}: no column is chosen.`;
        at(`column-${name}`).focus();
        return;
      }
      columns[name] = value === "" ? null : value.slice(1);
      encodings[name] = at(`encoding-${name}`)?.value;
    }
    const rule = at("rule").value;
    results.replaceChildren();
    status.textContent = `Verifying under ${rule}.`;
    const job = { task: "verify", file, delimiter: at("delimiter").value, columns, encodings, rule, variant: "pure", context: new Uint8Array(0) };
    ask(job, (answer) => {
      if (answer.progress) {
        progress.value = answer.progress.share;
        progress.title = `${count(answer.progress.rows)} rows`;
        return;
      }
      stop();
      showResult(answer.result, rule);
    });
    progress.value = 0;
    progress.hidden = false;
    at("cancel").hidden = false;
  };

  const showResult = ({ rows, valid, invalid, without, bad, blank, failure, verdicts }, rule) => {
    const sum = (counts) => Object.values(counts).reduce((total, number) => total + number, 0);
    const [invalidRows, withoutRows] = [sum(invalid), sum(without)];
    const words = `${count(rows)} rows under ${rule}: ${count(valid)} valid, ${count(invalidRows)} invalid, ${count(withoutRows)} without a verdict.`;
    status.textContent = failure === null ? words : `Reading ended early. ${file.name}: ${failure}. Until then: ${words}`;
    const name = `${file.name.replace(/\.[^.]*$/, "")}.verdicts.csv`;
    const reasons = [
      ...Object.entries(invalid).map(([reason, number]) => [reason, verdict(false, "invalid"), count(number), REASONS_IN_WORDS[reason] ?? reason]),
      ...Object.entries(without).map(([reason, number]) => [reason, verdict(null, "no verdict"), count(number), WITHOUT_IN_WORDS[reason]]),
    ];
    results.replaceChildren(
      section(
        "Verdicts",
        facts([["Rule", rule], ["Rows", count(rows)], ["Valid", count(valid)], ["Invalid", count(invalidRows)], ["Without a verdict", count(withoutRows)]]),
        el("div", { class: "buttons" }, el("button", { type: "button", id: "save", onclick: () => save(verdicts, name) }, "Save the verdicts as CSV")),
      ),
      ...(reasons.length > 0 ? [section("Reasons", tableOf("", ["Reason", "Verdict", "Rows", "Meaning"], reasons))] : []),
      ...listOf("First invalid rows", bad, invalidRows),
      ...listOf("First rows without a verdict", blank, withoutRows),
    );
  };

  const listOf = (title, rows, all) => {
    if (rows.length === 0) return [];
    const cells = rows.map(({ row, reason, key, rest }) => [
      String(row),
      reason,
      el("code", {}, key.length > 128 ? `${key.slice(0, 128)}…` : key),
      rest && key.length === 64 && rest.signature.length === 128
        ? el("button", { type: "button", "aria-label": `Explain row ${row}`, onclick: () => explain({ key, ...rest }) }, "Explain")
        : "",
    ]);
    return [section(title, tableOf(`${count(rows.length)} of ${count(all)}; the first row behind the header is row 0.`, ["Row", "Reason", "Key", "More"], cells))];
  };

  at("file").addEventListener("change", ({ target }) => open(target.files[0]));
  at("delimiter").addEventListener("change", readColumns);
  at("rule").append(...RULES.map((rule) => el("option", { value: rule }, rule)));
  const sayRule = () => {
    at("rule-note").textContent = RULES_IN_WORDS[at("rule").value];
  };
  at("rule").addEventListener("change", sayRule);
  sayRule();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    verify();
  });
  at("cancel").addEventListener("click", () => {
    stop();
    status.textContent = "Cancelled.";
  });
  // a file that misses the field must not replace the page
  for (const type of ["dragover", "drop"]) document.addEventListener(type, (event) => event.preventDefault());
  drop.addEventListener("dragover", () => drop.classList.add("over"));
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", ({ dataTransfer }) => {
    drop.classList.remove("over");
    open(dataTransfer.files[0]);
  });
}
