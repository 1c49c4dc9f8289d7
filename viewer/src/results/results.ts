// What commands print with --json, each kind in its own way; what is not known yet as its fields.
import { facts, h, said } from "../dom";
import { number } from "../format";
import type { Section } from "../payload";

export type Fields = Record<string, unknown>;

export function showResult(section: Section): HTMLElement {
  const result = section.result as Fields;
  const command = String(result.command);
  return h("section", { class: "card" }, h("h2", {}, said(command), " ", said(section.name)), plain(result));
}

export function plain(result: Fields): HTMLElement {
  return facts(
    Object.entries(result)
      .filter(([, value]) => value !== null && typeof value !== "object")
      .map(([key, value]) => [key, typeof value === "number" ? number(value) : said(value)]),
  );
}
