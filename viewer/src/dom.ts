// Elements from code. Values become text nodes, never markup.

export type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

function setAttributes(element: Element, attributes: Attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false) element.setAttribute(key, String(value));
  }
}

function append(element: Element, children: Child[]) {
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child));
}

// A text from a file, with characters that would turn the direction of writing, or are not seen at all, named.
export function clean(text: unknown): string {
  return String(text ?? "").replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => `[U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );
}

export function said(text: unknown): HTMLElement {
  return h("bdi", { class: "said" }, clean(text));
}

// Named facts as tiles, the important first.
export function facts(rows: [string, Child | Child[]][]): HTMLElement {
  return h(
    "dl",
    { class: "facts" },
    ...rows.map(([name, value]) =>
      h("div", {}, h("dt", {}, name), h("dd", {}, ...(Array.isArray(value) ? value : [value]))),
    ),
  );
}

export function table(head: string[], rows: Child[][], caption?: string): HTMLElement {
  const body = rows.map((row) =>
    h("tr", {}, ...row.map((cell) => h("td", { class: typeof cell === "number" ? "number" : "" }, cell))),
  );
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption ?? head.join(", ") },
    h(
      "table",
      {},
      caption ? h("caption", {}, caption) : null,
      h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...body),
    ),
  );
}

export type Tone = "good" | "bad" | "warn" | "plain";

// What a reader wants to know first, in one line.
export function verdict(tone: Tone, word: string, ...rest: Child[]): HTMLElement {
  return h("p", { class: "verdict" }, h("span", { class: `chip ${tone}` }, word), " ", ...rest);
}

export function details(summary: string, ...children: Child[]): HTMLElement {
  return h("details", {}, h("summary", {}, summary), ...children);
}
