// A solve, and a check of a solution: the verdict, how it came about, where the forces are.
import { details, facts, h, said, table, verdict } from "../dom";
import { shares } from "../figure";
import { count, number, seconds } from "../format";
import { plot } from "../plots";
import { plain, type Fields } from "./results";
import { chip, stateColour } from "./states";

interface History {
  iteration: number[];
  error: (number | null)[];
  time_s: number[];
}

export function showSolve(r: Fields): HTMLElement[] {
  const states = (r.states ?? {}) as Record<string, number>;
  const history = r.history as History | undefined;
  return [
    solveVerdict(r),
    facts([
      ["contacts", number(r.contacts)],
      ["degrees of freedom", number(r.dofs)],
      ["error", number(r.error, 3)],
      ["tolerance", number(r.tolerance, 2)],
      ...(r.iterations === undefined ? [] : ([["iterations", number(r.iterations)]] as [string, string][])),
      ...(r.time_s === undefined ? [] : ([["time", seconds(r.time_s)]] as [string, string][])),
      ["solver", said(r.solver ?? "–")],
    ]),
    ...diagnosis(r.diagnosis as Fields | undefined),
    h("h3", {}, "States of the contacts"),
    shares(
      "States of the contacts",
      ["free", "stick", "slip"].map((name) => ({ name, value: states[name] ?? 0, colour: stateColour[name] })),
    ),
    h("div", { class: "plots" }, ...(history && hasCurve(history) ? [convergence(history, r)] : []), ...forces(r)),
    ...worst(r),
    details("All fields", plain(r), plain((r.settings ?? {}) as Fields)),
  ];
}

function solveVerdict(r: Fields): HTMLElement {
  const n = count(Number(r.contacts), "contact");
  const measure = r.measure === "fclib" ? r.error_fclib : r.error;
  const how = `verified from the raw data: error ${number(measure, 2)}, tolerance ${number(r.tolerance, 2)}.`;
  if (r.status === "solved") return verdict("good", "solved", `${n}, ${how}`);
  if (r.status === "no_solution") return verdict("bad", "no solution", `${n}: there is none, and that is proved.`);
  const why = r.stop_reason ? ` The method stopped: ${String(r.stop_reason).replace("_", " ")}.` : "";
  return verdict("warn", "not solved", `${n}, ${how}${why}`);
}

function diagnosis(d: Fields | undefined): HTMLElement[] {
  if (!d) return [];
  const contacts = (d.jamming_contacts ?? []) as number[];
  return [
    h("h3", {}, "Why"),
    h("p", {}, said(d.hint)),
    facts([
      ["a solution", said(d.existence)],
      ["margin", number(d.margin, 3)],
      ["contacts that jam", contacts.slice(0, 20).join(", ") + (contacts.length > 20 ? ", …" : "") || "–"],
    ]),
  ];
}

const hasCurve = (history: History) => history.error.filter((e) => typeof e === "number" && e > 0).length > 1;

function convergence(history: History, r: Fields): HTMLElement {
  return plot({
    title: "Convergence",
    about: `the error over the iterations, down to ${number(r.error, 2)}`,
    x: history.iteration,
    xLabel: "iteration",
    logY: true,
    height: 210,
    curves: [
      { label: "error", values: history.error, colour: 0 },
      { label: "tolerance", values: history.iteration.map(() => Number(r.tolerance)), colour: 1, dashed: true },
    ],
  });
}

function normals(r: Fields): number[] {
  const dim = Number(r.dim);
  const values = (r.r ?? []) as number[];
  return Array.from({ length: Math.floor(values.length / dim) }, (_, c) => values[dim * c]);
}

// Share of the contacts above each size of force.
function forces(r: Fields): HTMLElement[] {
  const sorted = normals(r)
    .filter((x) => x > 0)
    .sort((a, b) => a - b);
  if (sorted.length < 2) return [];
  const mean = sorted.reduce((s, x) => s + x, 0) / sorted.length;
  return [
    plot({
      title: "Distribution of the normal forces",
      about: `${count(sorted.length, "contact")} bear a force, ${number(mean, 3)} in the mean, ${number(sorted[sorted.length - 1], 3)} at most`,
      x: sorted,
      xLabel: "normal reaction",
      yLabel: "share of contacts above",
      logX: true,
      height: 210,
      curves: [{ label: "share above", values: sorted.map((_, k) => 1 - k / sorted.length), colour: 2, stepped: true }],
    }),
  ];
}

function worst(r: Fields): HTMLElement[] {
  const error = r.contact_error as number[] | undefined;
  const states = r.contact_states as string[] | undefined;
  const dim = Number(r.dim);
  if (!error || !states) return r.worst_contact === undefined ? [] : [h("p", {}, `Worst contact: ${number(r.worst_contact)}.`)];
  const part = (x: unknown, c: number) => {
    const v = ((x ?? []) as number[]).slice(dim * c, dim * (c + 1));
    return [number(v[0], 3), number(Math.hypot(...v.slice(1)), 3)];
  };
  const order = error.map((_, c) => c).sort((a, b) => error[b] - error[a]);
  return [
    h("h3", {}, "Worst contacts"),
    table(
      ["contact", "error", "state", "r normal", "r tangent", "u normal", "u tangent"],
      order.slice(0, 12).map((c) => [c, number(error[c], 2), chip(states[c]), ...part(r.r, c), ...part(r.u, c)]),
    ),
  ];
}
