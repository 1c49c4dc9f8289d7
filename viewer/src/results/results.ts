// What commands print with --json, each kind in its own way; what is not known as its fields.
import { facts, h, said, verdict } from "../dom";
import { number } from "../format";
import type { Section } from "../payload";
import { showBench } from "./bench";
import { showCertificate } from "./certify";
import { showEnumeration } from "./enumerate";
import { showAtlas, showCritical, showTrace } from "./maps";
import { showSimulate } from "./simulate";
import { showSolve } from "./solve";

export type Fields = Record<string, unknown>;

const views: Record<string, (result: Fields) => HTMLElement[]> = {
  solve: showSolve,
  check: showSolve,
  certify: showCertificate,
  enumerate: showEnumeration,
  atlas: showAtlas,
  trace: showTrace,
  critical: showCritical,
  bench: showBench,
  simulate: showSimulate,
};

export function showResult(section: Section): HTMLElement {
  const result = section.result as Fields;
  const command = String(result.command);
  const failed = result.status === "failed";
  const view = failed ? showFailure : (views[command] ?? ((r: Fields) => [plain(r)]));
  const of = result.file ?? result.model;
  return h(
    "section",
    { class: "card" },
    h("h2", {}, said(command), of ? " of " : "", of ? said(of) : null),
    ...view(result),
    ...notes(result),
  );
}

function showFailure(r: Fields): HTMLElement[] {
  return [verdict("bad", "failed", said(r.message)), plain(r)];
}

function notes(r: Fields): HTMLElement[] {
  const texts = (r.notes ?? []) as string[];
  return texts.map((text) => h("p", { class: "note" }, "Note: ", said(text)));
}

// The fields that are one value.
export function plain(result: Fields): HTMLElement {
  return facts(
    Object.entries(result)
      .filter(([, value]) => value === null || typeof value !== "object")
      .map(([key, value]) => [
        key,
        typeof value === "number" ? number(value) : said(value === null ? "–" : value === true ? "yes" : value === false ? "no" : value),
      ]),
  );
}
