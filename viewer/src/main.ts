// The page: a head, then a section for each input, in their order.
import "./style.css";
import { clean, h, said } from "./dom";
import { follow } from "./follow";
import { readBlob, readPayload, type Payload, type Section } from "./payload";
import { showMarch } from "./results/march";
import { showTrajectory } from "./results/trajectory";
import type { TableSection } from "./tables";
import { showResult } from "./results/results";
import type { Chosen } from "./run/playback";
import { showRun, type ShownRun } from "./run/run";
import type { RunSection } from "./run/states";

const isRun = (section: Section): section is RunSection => section.kind === "run";
const goesOn = (page: Payload) => page.sections.some((s) => isRun(s) && !s.finished);

// What is played, by the number of its section.
const runs = new Map<number, ShownRun>();

function show(section: Section, index: number, page: Document): HTMLElement {
  try {
    if (isRun(section)) {
      const before = runs.get(index);
      const chosen: Chosen | "end" | null = before?.chosen() ?? (payload.live && !section.finished ? "end" : null);
      before?.dispose();
      const run = showRun(section, readBlob(section.blob, page), chosen);
      runs.set(index, run);
      return run.element;
    }
    if (section.kind === "trajectory") {
      const { play } = section as TableSection;
      runs.get(index)?.dispose();
      const shown = showTrajectory(section as TableSection, play ? readBlob(play.blob, page) : null);
      runs.set(index, shown);
      return shown.element;
    }
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
const status = h("p", { class: "live", role: "status" });
const main = h("main", { class: only ? "single" : "several" }, ...payload.sections.map((s, k) => show(s, k, document)));
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
    status,
    main,
  );
if (payload.live && goesOn(payload) && location.protocol.startsWith("http"))
  follow(status, (newer) => {
    const found = readPayload(newer);
    const place = document.scrollingElement!.scrollTop;
    main.replaceChildren(...found.sections.map((s, k) => show(s, k, newer)));
    document.scrollingElement!.scrollTop = place;
    return goesOn(found);
  });
document.documentElement.dataset.ready = "true";
