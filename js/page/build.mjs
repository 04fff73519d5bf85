// Builds dist/explain.html: one file, with its script, its module and its style inside. Needs dist/ed25519.wasm (tools/js build).
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { VERSION } from "../src/names.js";

const here = (name) => new URL(name, import.meta.url);
const text = (name) => readFileSync(here(name), "utf8");

const { outputFiles } = await build({
  entryPoints: [here("page.js").pathname],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  platform: "browser",
  target: ["chrome111", "firefox115", "safari16.4"],
  charset: "utf8",
  legalComments: "inline",
  loader: { ".wasm": "binary" },
  // where the package would find its module beside itself; the page has it inside
  define: { "import.meta.url": '"about:blank"' },
});
const script = outputFiles[0].text;
const style = text("../../report/src/page.css") + text("page.css");
for (const [name, part, end] of [["script", script, "</script"], ["script", script, "<!--"], ["style", style, "</style"]]) {
  if (part.includes(end)) throw new Error(`page: the ${name} has ${end} in it, which would end it`);
}

const hash = (part) => `'sha256-${createHash("sha256").update(part).digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)} 'wasm-unsafe-eval'`,
  `style-src ${hash(style)}`,
  "worker-src blob:",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const inside = ["papaparse", "hyparquet", "hyparquet-compressors", "hysnappy", "fzstd"];
const licenses = inside.map((name) => `${name}:\n${text(`../node_modules/${name}/LICENSE`)}`).join("\n");
if (licenses.includes("-->")) throw new Error("page: a license has --> in it");
const parts = { LICENSES: licenses, POLICY: policy, STYLE: style, SCRIPT: script, VERSION };
const page = text("index.html").replace(/%([A-Z]+)%/g, (_, name) => parts[name]);
writeFileSync(here("../dist/explain.html"), page);
console.log(`js/dist/explain.html: ${Buffer.byteLength(page)} bytes`);
