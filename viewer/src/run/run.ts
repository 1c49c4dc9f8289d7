// A run of rigid bodies: what came of it, the playback, and curves over time that follow it.
import { details, facts, h, said, table, verdict } from "../dom";
import { count, number, percent, seconds } from "../format";
import { PlotGroup } from "../plots";
import { largest, ownTolerance, runCurves } from "./curves";
import { linkButton } from "./inspector";
import { nameOf } from "./names";
import { playback, type Chosen, type Picks } from "./playback";
import { Player } from "./player";
import { States, type RunSection } from "./states";

const mean = (x: (number | null)[]) => x.reduce<number>((s, v) => s + (v ?? 0), 0) / Math.max(1, x.length);

function meanAndMost(x: (number | null)[]): string {
  const most = largest(x);
  return mean(x) === most ? number(most) : `${number(mean(x), 3)}, at most ${number(most)}`;
}

export interface ShownRun {
  element: HTMLElement;
  chosen(): Chosen | null;
  dispose(): void;
}

// chosen: what a reader had chosen in a view of an earlier part of the run; "end": nobody did, show how far it is.
export function showRun(section: RunSection, bytes: ArrayBuffer, chosen: Chosen | "end" | null = null): ShownRun {
  const states = new States(section, bytes);
  const group = new PlotGroup();
  const player = new Player(states.times);
  const picked = h("div", { class: "plots picked" });
  const played = playback(states, player, group, picked);
  group.seek = (time) => {
    player.pause();
    player.seek(time);
  };
  player.listen((time) => group.moveTo(time));
  const element = h(
    "section",
    { class: "card run" },
    h("h2", {}, said(section.title ?? section.name)),
    runVerdict(section, states),
    runFacts(section, states),
    played.element,
    picked,
    h("h3", {}, "Over time"),
    runCurves(section, group),
    details("The scene", sceneFacts(section, states, played.picks)),
  );
  if (chosen === "end") player.seek(states.end);
  else if (chosen) played.choose(chosen);
  return { element, chosen: () => played.chosen(), dispose: () => played.dispose() };
}

// ---- what came of it --------------------------------------------------------------------------

function runVerdict(s: RunSection, states: States): HTMLElement {
  const worst = largest(s.columns.error);
  const whole = s.finished
    ? ""
    : ` The run is not finished: this page shows the part that is saved, up to ${number(states.end)} s of ${number(s.duration)} s.`;
  if (s.unsolved_steps > 0)
    return verdict(
      "bad",
      "not solved",
      `${count(s.unsolved_steps, "step")} of ${number(s.steps)} without an answer within the tolerance.${whole}`,
    );
  const tolerance = ownTolerance(s)
    ? `the tolerance ${number(s.tolerance, 2)}.`
    : `by a tolerance other than the scene's own ${number(s.tolerance, 2)}.`;
  return verdict(
    s.finished ? "good" : "warn",
    s.finished ? "solved" : "not finished",
    `Every one of ${count(s.steps, "step")} was solved and verified from the raw data; the largest error is ${number(worst, 2)}, ${tolerance}${whole}`,
  );
}

function runFacts(s: RunSection, states: States): HTMLElement {
  const c = s.columns;
  return facts([
    ["bodies", number(states.bodies)],
    ["time simulated", `${number(states.end)} s`],
    ["steps", `${number(s.steps)} of ${number(s.step)} s`],
    ["contacts in a step", meanAndMost(c.contacts)],
    ["largest overlap", number(largest(c.penetration), 3)],
    ["largest error", number(largest(c.error), 2)],
    ["energy unexplained", percent(s.closure)],
    ...(s.seconds > 0 ? ([["time of computing", seconds(s.seconds)]] as [string, string][]) : []),
  ]);
}

function sceneFacts(s: RunSection, states: States, picks: Picks): HTMLElement {
  const kinds = new Map<string, number>();
  s.shape.forEach((k) => kinds.set(s.shapes[k].kind, (kinds.get(s.shapes[k].kind) ?? 0) + 1));
  const shown =
    s.frames.length < s.frames_saved
      ? `${number(s.frames.length)} of ${number(s.frames_saved)}, evenly`
      : `all ${number(s.frames_saved)}`;
  const cut = s.frames.some((row) => row[4] > row[3]);
  return h(
    "div",
    {},
    facts([
      ["file", said(s.name)],
      ["dimension", `${s.dim}D`],
      ["gravity", s.gravity.map((x) => number(x)).join(", ")],
      ["solver", said(s.solver)],
      ["states in this page", shown],
      ["contacts in this page", cut ? "the strongest of each state" : "all that bear a force"],
      ["shapes", [...kinds].map(([kind, n]) => count(n, kind, kind === "box" ? "boxes" : kind + "s")).join(", ")],
      ["mass", number(s.mass.reduce((x, m) => x + m, 0))],
    ]),
    s.externals.length
      ? table(
          ["external object", "shape", "moves"],
          s.externals.map((e) => [said(e.name ?? "–"), e.shape.kind, e.moves ? "yes" : "no"]),
        )
      : null,
    s.links.length
      ? table(
          ["joint or element", "kind", "between", "largest force", "largest moment"],
          s.links.map((l, k) => [
            linkButton(states, k, picks),
            l.kind,
            h("span", {}, nameOf(s, l.a[0]), " and ", nameOf(s, l.b[0])),
            number(mostOf(states, 2 * k), 3),
            number(mostOf(states, 2 * k + 1), 3),
          ]),
        )
      : null,
  );
}

function mostOf(states: States, which: number): number {
  let most = 0;
  for (let k = 0; k < states.times.length; k++) most = Math.max(most, states.loadsOf(k)[which]);
  return most;
}
