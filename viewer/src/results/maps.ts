// An atlas (regions of a plane of parameters), a trace (branches over one), critical friction.
import { details, facts, h, said, svg, table, verdict, type Child } from "../dom";
import { Figure, rangeOf } from "../figure";
import { count, number, percent, seconds, symbol } from "../format";
import { palette } from "../plots";
import { plain, type Fields } from "./results";
import { chip, stateColour } from "./states";

interface Axis {
  name: string;
  from: number;
  to: number;
}

interface Kind {
  label: string;
  count: number | null;
  complete: boolean;
  area: number;
  solutions: { kind: string; dimension: number; states?: string[]; cells?: { states: string[] }[] }[];
}

interface Region {
  kind: string;
  count: number | null;
  area: number;
  x: number;
  y: number;
  outline: [number, number][][];
}

const byCount = ["#b8433a", "#9fc5e8", "#f3c770", "#8fce9b", "#c6a2dd", "#f29f8f"];
const countColour = (n: number | null) => (n === null ? "#999999" : byCount[Math.min(n, byCount.length - 1)]);

export function showAtlas(r: Fields): HTMLElement[] {
  const kinds = (r.kinds ?? []) as Kind[];
  const regions = (r.regions ?? []) as Region[];
  const [x, y] = [r.x as Axis, r.y as Axis];
  const counts = [...new Set(kinds.map((k) => k.count))].sort((a, b) => (a ?? 99) - (b ?? 99));
  const figure = new Figure({
    title: "Number of solutions",
    about: `over ${x.name} and ${y.name}, in ${regions.length} regions`,
    x: { ...x, label: symbol(x.name) },
    y: { ...y, label: symbol(y.name) },
    height: 460,
  });
  for (const region of [...regions].sort((a, b) => b.area - a.area)) {
    const d = region.outline
      .map((ring) => "M" + ring.map(([px, py]) => `${figure.x(px).toFixed(2)} ${figure.y(py).toFixed(2)}`).join("L") + "Z")
      .join("");
    figure.add(svg("path", { d, fill: countColour(region.count), "fill-rule": "evenodd", class: "region" }));
  }
  for (const region of regions) figure.text(region.x, region.y, region.kind, { class: "region-name" });
  return [
    verdict(
      r.complete ? "good" : "warn",
      `${count(kinds.length, "kind")} of solution sets`,
      r.complete ? "The map is complete." : "The map was cut short.",
    ),
    facts([
      ["model", said(r.model ?? r.file)],
      ["regions", number(regions.length)],
      ["cells", number(r.cells)],
      ["problems enumerated", number(r.problems)],
      ["time", seconds(r.time_s)],
    ]),
    figure.element,
    h(
      "p",
      { class: "keys" },
      ...counts.map((n) =>
        h("span", { class: "swatch" }, h("i", { style: `background:${countColour(n)}` }), n === null ? "not settled" : count(n, "solution")),
      ),
    ),
    table(
      ["kind", "solutions", "share of the map", "states of each"],
      kinds.map((k) => [
        h("b", {}, k.label),
        k.count === null ? "–" : number(k.count),
        percent(k.area),
        h("span", {}, ...k.solutions.flatMap((s, i): Child[] => [i ? " · " : null, ...statesOf(s)])),
      ]),
    ),
    details("All fields", plain(r)),
  ];
}

function statesOf(s: Kind["solutions"][0]): Child[] {
  if (s.states) return s.states.map(chip);
  return [`a continuum of dimension ${s.dimension} (`, ...(s.cells ?? []).flatMap((c) => c.states.map(chip)), ")"];
}

// ---- traces -----------------------------------------------------------------------------------

interface TracePoint {
  parameter: number;
  u: number[];
  r: number[];
  states: string[];
}

export function showTrace(r: Fields): HTMLElement[] {
  const branches = (r.branches ?? []) as { points: TracePoint[]; ends: { reason: string } }[];
  const folds = (r.folds ?? []) as { parameter: number; states: string[]; branch: number; point: number }[];
  const changes = (r.changes ?? []) as { parameter: number; from: string[]; to: string[] }[];
  const over = r.over as Axis;
  const contacts = Math.min(4, Number(r.contacts));
  return [
    verdict(
      r.complete ? "good" : "warn",
      count(branches.length, "branch", "branches"),
      `followed over ${over.name} from ${number(over.from)} to ${number(over.to)}: ${count(folds.length, "fold")}, ${count(changes.length, "change")} of state.`,
      r.complete ? "" : " The search was cut short.",
    ),
    facts([
      ["points", number(branches.reduce((n, b) => n + b.points.length, 0))],
      ["largest error", number(r.error_max, 2)],
      ["time", seconds(r.time_s)],
    ]),
    h(
      "p",
      { class: "keys" },
      ...["free", "stick", "slip+", "slip-"].map((name) =>
        h("span", { class: "swatch" }, h("i", { style: `background:${stateColour[name]}` }), name),
      ),
      h("span", {}, "○ fold"),
    ),
    h(
      "div",
      { class: "plots figures" },
      ...Array.from({ length: contacts }, (_, c) => [
        tracePanel(branches, folds, over, c, "u", 1, `slip of contact ${c}`),
        tracePanel(branches, folds, over, c, "r", 0, `normal reaction of contact ${c}`),
      ]).flat(),
    ),
    folds.length
      ? table(
          ["fold at " + over.name, "states"],
          folds.map((f) => [number(f.parameter, 6), h("span", {}, ...f.states.map(chip))]),
        )
      : h("p", {}, "No folds."),
    details("All fields", plain(r)),
  ];
}

function tracePanel(
  branches: { points: TracePoint[] }[],
  folds: { branch: number; point: number }[],
  over: Axis,
  contact: number,
  of: "u" | "r",
  component: number,
  label: string,
): HTMLElement {
  const at = (p: TracePoint) => p[of][2 * contact + component];
  const figure = new Figure({
    title: label,
    about: `over ${over.name}`,
    x: { from: over.from, to: over.to, label: symbol(over.name) },
    y: { ...rangeOf(branches.flatMap((b) => b.points.map(at))), label },
    height: 300,
  });
  for (const branch of branches) {
    let piece: [number, number][] = [];
    branch.points.forEach((p, k) => {
      piece.push([p.parameter, at(p)]);
      const state = p.states[contact];
      if (k > 0 && branch.points[k + 1]?.states[contact] === state) return;
      figure.path(piece, { stroke: stateColour[state] ?? palette(0), "stroke-linecap": "round" });
      piece = [[p.parameter, at(p)]];
    });
  }
  for (const fold of folds) {
    const p = branches[fold.branch]?.points[fold.point];
    if (p) figure.add(svg("circle", { cx: figure.x(p.parameter), cy: figure.y(at(p)), r: 4.5, class: "fold" }));
  }
  return figure.element;
}

// ---- critical friction ------------------------------------------------------------------------

export function showCritical(r: Fields): HTMLElement[] {
  const names = ["bijective", "pmatrix", "andersson", "simplified"];
  const condition = (r.condition ?? {}) as Record<string, string>;
  const pattern = (r.pattern ?? {}) as Record<string, string[] | null>;
  const range = (r.range ?? {}) as Record<string, [unknown, unknown] | null>;
  return [
    verdict(
      r.complete ? "good" : "warn",
      `μ = ${number(r.mu_bijective, 6)}`,
      "Below this friction every load has exactly one solution, above it some have several.",
    ),
    facts([
      ["contacts", number(r.contacts)],
      ["parts", number(r.parts)],
      ["time", seconds(r.time_s)],
    ]),
    table(
      ["criterion", "critical friction", "range", "condition", "critical states"],
      names
        .filter((n) => r[`mu_${n}`] !== undefined)
        .map((n) => [
          n,
          number(r[`mu_${n}`], 6),
          range[n] ? `${number(range[n]![0], 6)} … ${number(range[n]![1], 6)}` : "–",
          said(condition[n] ?? "–"),
          h("span", {}, ...(pattern[n] ?? []).slice(0, 24).map(chip)),
        ]),
    ),
    details("All fields", plain(r)),
  ];
}
