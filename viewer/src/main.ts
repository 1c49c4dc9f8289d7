// The page: a head, then a section for each input, in their order.
import "./style.css";
import { clean, h, said } from "./dom";
import { readPayload, type Section } from "./payload";
import { showMarch } from "./results/march";
import { showTrajectory } from "./results/trajectory";
import type { TableSection } from "./tables";
import { showResult } from "./results/results";
import { showRun } from "./run/run";
import type { RunSection } from "./run/states";

function show(section: Section): HTMLElement {
  try {
    if (section.kind === "run") return showRun(section as RunSection);
    if (section.kind === "trajectory") return showTrajectory(section as TableSection);
    if (section.kind === "march") return showMarch(section as TableSection);
    return showResult(section);
  } catch (error) {
    console.error(error);
    return h(
      "section",
      { class: "card" },
      h("h2", {}, said(section.name)),
      h("p", { class: "missing" }, `This part cannot be shown: ${error instanceof Error ? error.message : error}`),
    );
  }
}

function titleOf(section: Section): string {
  if (typeof section.title === "string") return section.title;
  if (typeof section.mechanism === "string") return section.mechanism;
  const result = (section.result ?? {}) as Record<string, unknown>;
  const of = String(result.title ?? result.file ?? result.model ?? "")
    .split("/")
    .pop();
  return result.command && of ? `${result.command}: ${of}` : section.name;
}

// A page of one thing is called after it, unless it was given a title.
const payload = readPayload();
const only = payload.sections.length === 1 ? payload.sections[0] : null;
const title = payload.title ?? (only ? titleOf(only) : "Results");
document.title = clean(title);
document
  .getElementById("page")!
  .append(
    h(
      "header",
      { class: "top" },
      h("h1", {}, said(title)),
      h("p", { class: "maker" }, only ? said(only.name) : null, only ? " · " : null, `stickslip ${payload.version}`),
    ),
    h("main", { class: only ? "single" : "several" }, ...payload.sections.map(show)),
  );
document.documentElement.dataset.ready = "true";
