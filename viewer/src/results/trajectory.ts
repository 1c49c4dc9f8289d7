// A mechanism with few degrees of freedom, or a scene run from event to event: its motion over time and in the phase
// plane, its events on the time axis, and the bodies of a scene in 3D.
import { details, facts, h, said, svg, verdict, type Child } from "../dom";
import { Figure, rangeOf } from "../figure";
import { count, number, percent } from "../format";
import { plot, palette, PlotGroup } from "../plots";
import { nameOf } from "../run/names";
import { playback } from "../run/playback";
import { Player, type Mark } from "../run/player";
import type { ShownRun } from "../run/run";
import { States } from "../run/states";
import { largest, type Column, type TableSection } from "../tables";
import { eventTable, type EventRow } from "./simulate";
import { stateColour } from "./states";

// In space a contact slips in any direction.
const modesOf = (s: TableSection) => (s.dim === 2 ? ["free", "stick", "slip+", "slip-"] : ["free", "stick", "slip"]);
const kinds = ["", "status", "impact", "accumulation"];
const known = /^(time|mode|r_[NTS]|share|gap|u_[NTS]|kinetic|potential|work_\w+|closure)\d*$/;

export function showTrajectory(s: TableSection, bytes: ArrayBuffer | null): ShownRun {
  const c = s.samples ?? {};
  const time = (c.time ?? []) as number[];
  const events = eventRows(s);
  const group = new PlotGroup();
  const marks: Mark[] = events.map((e) => ({ time: e.time, label: `${number(e.time)} s: ${e.from} to ${e.to}`, tone: e.kind }));
  const player = new Player(time, marks, modeStrips(c, time, modesOf(s)));
  const portraits = phases(c, stateOf(c), time, !s.play);
  const picked = h("div", { class: "plots picked" });
  const played = s.play && bytes ? playback(new States(s.play, bytes), player, group, picked) : null;
  const seek = (at: number) => {
    player.pause();
    player.seek(at);
  };
  group.seek = seek;
  player.listen((at) => {
    group.moveTo(at);
    portraits.forEach((p) => p.moveTo(at));
  });
  const element = h(
    "section",
    { class: played ? "card run" : "card" },
    h("h2", {}, said(s.title ?? s.mechanism ?? s.name)),
    trajectoryVerdict(s, events),
    facts([
      ["time simulated", `${number(time[time.length - 1])} s`],
      ["impacts", number(events.filter((e) => e.kind === "impact").length)],
      ["scheme", said(s.scheme)],
      ["outputs", number(time.length)],
      ["energy unexplained", percent(largest(c.closure))],
    ]),
    played ? played.element : player.element,
    markKey(events, modesOf(s)),
    picked,
    h("div", { class: "plots figures" }, ...portraits.map((p) => p.element)),
    h("div", { class: "plots" }, ...panels(s, time, events, group)),
    h("h3", {}, "Events"),
    eventTable(events, { seek, contact: (k) => contactName(s, k) }),
    s.parameters ? details("Parameters", h("p", {}, said(s.parameters))) : null,
  );
  return { element, chosen: () => null, dispose: () => played?.dispose() };
}

function trajectoryVerdict(s: TableSection, events: EventRow[]): HTMLElement {
  const whole = s.ended === "duration";
  return verdict(
    whole ? "good" : "warn",
    count(events.length, "event"),
    s.scheme === "events" ? "each located in time; it ended by " : "noticed by the scheme; it ended by ",
    said(s.ended),
    ".",
  );
}

const stateOf = (c: Record<string, Column>) => Object.keys(c).filter((name) => !known.test(name));

// Columns of a scene are BODY.x, BODY.q0, BODY.w1 and so on; metres, angles and turns do not share an axis.
function panels(s: TableSection, time: number[], events: EventRow[], group: PlotGroup): (HTMLElement | null)[] {
  const c = s.samples ?? {};
  const panel = (title: string, names: string[], about: string) =>
    names.length === 0
      ? null
      : plot({
          title,
          about,
          x: time,
          xLabel: "time",
          group,
          marks: events.map((e) => ({ x: e.time, label: e.to })),
          curves: names.slice(0, 8).map((name, k) => ({ label: name, values: c[name], colour: k })),
        });
  const some = (test: RegExp) => Object.keys(c).filter((name) => test.test(name) && largest(c[name]) > 0);
  const state = stateOf(c);
  const turning = (name: string) => s.play !== undefined && /\.(q\d|w\d|angle'?)$/.test(name);
  const rate = (name: string) => /'$|\.w\d$/.test(name);
  const of = (turns: boolean, rates: boolean) => state.filter((name) => turning(name) === turns && rate(name) === rates);
  const velocities = of(false, true);
  return [
    panel("Coordinates", of(false, false), "the state over time"),
    panel("Velocities", velocities.length ? velocities : some(/^u_T\d*$/), "their rates over time"),
    panel(s.dim === 2 ? "Angles" : "Turns, as quaternions", of(true, false), "of the bodies over time"),
    panel(s.dim === 2 ? "Rates of turn" : "Spin, in the axes of the body", of(true, true), "over time"),
    panel("Contact forces", some(/^r_[NTS]\d*$/), "normal and tangential"),
    panel("Gap", some(/^gap\d*$/), "of the contacts"),
    panel("Energy", ["kinetic", "potential"].filter((n) => (c[n] ?? []).some((v) => v !== null)), "over time"),
    panel("Work done since the start", some(/^work_/), "term by term"),
  ];
}

function contactName(s: TableSection, contact: number): Child {
  const pair = s.play?.pairs?.[contact];
  return pair ? h("span", {}, nameOf(s.play!, pair[0]), " – ", nameOf(s.play!, pair[1])) : number(contact);
}

function eventRows(s: TableSection): EventRow[] {
  const e = s.events ?? {};
  const modes = modesOf(s);
  return ((e.time ?? []) as number[]).map((time, k) => ({
    time,
    contact: Number(e.contact?.[k] ?? 0),
    from: modes[Number(e.from?.[k] ?? 0)] ?? "–",
    to: modes[Number(e.to?.[k] ?? 0)] ?? "–",
    kind: kinds[Number(e.kind?.[k] ?? 0)] ?? "",
  }));
}

// Which state each contact is in, as a strip over time.
function modeStrips(c: Record<string, Column>, time: number[], modes: string[]): Element[] {
  const names = Object.keys(c).filter((name) => /^mode\d*$/.test(name));
  const span = time[time.length - 1] - time[0] || 1;
  return names.map((name) => {
    const picture = svg("svg", {
      viewBox: "0 0 1000 14",
      preserveAspectRatio: "none",
      class: "strip",
      role: "img",
      "aria-label": `States of contact ${name.slice(4) || "0"} over time`,
    });
    const mode = c[name];
    for (let k = 0, from = 0; k < time.length; k++) {
      if (k + 1 < time.length && mode[k + 1] === mode[from]) continue;
      const [x, to] = [time[from], time[Math.min(k + 1, time.length - 1)]];
      picture.append(
        svg("rect", {
          x: (1000 * (x - time[0])) / span,
          width: Math.max(0.3, (1000 * (to - x)) / span),
          height: 14,
          fill: stateColour[modes[Number(mode[from])]] ?? "#888",
        }),
      );
      from = k + 1;
    }
    return picture;
  });
}

// What the marks and the strips below the slider mean.
function markKey(events: EventRow[], modes: string[]): HTMLElement {
  const found = new Set(events.map((e) => e.kind));
  return h(
    "p",
    { class: "keys" },
    ...kinds.filter((kind) => found.has(kind)).map((kind) => h("span", { class: "swatch mark" }, h("i", { class: kind }), kind)),
    ...modes.map((m) => h("span", { class: "swatch" }, h("i", { style: `background:${stateColour[m]}` }), m)),
  );
}

// How far v is from the rate of x, 0 .. 1, by the trapezoidal rule.
function strangeness(x: Column, v: Column, time: number[]): number {
  let [apart, both] = [0, 0];
  for (let k = 1; k < time.length; k++) {
    const dx = Number(x[k]) - Number(x[k - 1]);
    const moved = ((Number(v[k]) + Number(v[k - 1])) / 2) * (time[k] - time[k - 1]);
    apart += (dx - moved) ** 2;
    both += dx ** 2 + moved ** 2;
  }
  return both > 0 ? apart / both : 1;
}

// Coordinates with the velocity that is their rate: x' by its name, others by their numbers where `guess` allows it.
function pairsOf(c: Record<string, Column>, state: string[], time: number[], guess: boolean): [string, string][] {
  return state.flatMap((x): [string, string][] => {
    if (largest(c[x]) === 0) return [];
    if (state.includes(x + "'")) return [[x, x + "'"]];
    if (!guess) return [];
    const best = state
      .filter((v) => v !== x)
      .map((v): [number, string] => [strangeness(c[x], c[v], time), v])
      .sort((a, b) => a[0] - b[0])[0];
    return best && best[0] < 0.1 ? [[x, best[1]]] : [];
  });
}

function phases(c: Record<string, Column>, state: string[], time: number[], guess: boolean) {
  const pairs = pairsOf(c, state, time, guess);
  return pairs.slice(0, 4).map(([x, v]) => {
    const figure = new Figure({
      title: `Phase portrait: ${v} over ${x}`,
      about: "the path of the motion",
      x: { ...rangeOf(c[x]), label: x },
      y: { ...rangeOf(c[v]), label: v },
      height: 320,
    });
    const points = time.map((_, k) => [c[x][k], c[v][k]] as [number, number]).filter((p) => p[0] !== null && p[1] !== null);
    figure.path(points, { stroke: palette(0), "stroke-width": 1.3 });
    const dot = svg("circle", { r: 5, fill: "#d0386b" });
    figure.add(dot);
    const moveTo = (at: number) => {
      const k = Math.max(0, time.findIndex((t) => t >= at));
      dot.setAttribute("cx", String(figure.x(Number(c[x][k]))));
      dot.setAttribute("cy", String(figure.y(Number(c[v][k]))));
    };
    moveTo(time[0]);
    return { element: figure.element, moveTo };
  });
}
