/** The page; and the worker, which is the same script without a document. */
import { makeExplain } from "./explain.js";
import { makeTable } from "./table.js";
import { makeTabs } from "./tabs.js";
import { serve } from "./worker.js";

if (typeof document === "undefined") {
  serve();
} else {
  const source = document.currentScript.textContent;
  const show = makeTabs(document.querySelector("[role=tablist]"));
  const explain = makeExplain(document.querySelector("#explain"));
  makeTable(document.querySelector("#table"), source, (row) => {
    show("explain");
    explain(row);
  });
}
