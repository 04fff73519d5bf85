/** Elements of the page. Text of others is always text, never markup. */

/**
 * @param {string} name
 * @param {Record<string, any>} [properties] attributes; `onclick` is a listener
 * @param {...(Node | string | null)} children
 */
export function el(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [property, value] of Object.entries(properties)) {
    if (property === "onclick") element.addEventListener("click", value);
    else element.setAttribute(property, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** A table of rows of cells; `names` are its columns, which phones show beside each cell. */
export function tableOf(caption, names, rows) {
  return el(
    "table", { class: "rows" },
    caption === "" ? null : el("caption", {}, caption),
    el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...rows.map(([first, ...cells]) =>
      el("tr", {}, el("th", { scope: "row" }, first), ...cells.map((cell, i) => el("td", { "data-name": names[i + 1] }, cell))))),
  );
}

/** A verdict in words, with a mark before them. */
export function verdict(isValid, words) {
  const [style, mark] = isValid === null ? ["n", "–"] : isValid ? ["v", "✓"] : ["i", "✗"];
  return el("span", { class: "mark" }, el("b", { class: `sign ${style}`, "aria-hidden": "true" }, mark), words);
}

export const section = (title, ...children) => el("section", {}, el("h2", {}, title), ...children);

/** A list of names and values. */
export const facts = (entries) => el("dl", {}, ...entries.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));

/** Lets the browser save a blob under a name. */
export function save(blob, name) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
