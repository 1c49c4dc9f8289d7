// Curves over time: of the whole run, and of what is picked.
import { h } from "../dom";
import { number, percent } from "../format";
import { plot, type Curve, type PlotGroup } from "../plots";
import { linkText, textOf } from "./names";
import { sizeOf, type RunSection, type States } from "./states";

export const largest = (x: (number | null)[]) => x.reduce<number>((m, v) => Math.max(m, v ?? 0), 0);

// A run may have been given another tolerance than its scene's, which is all that its file has.
export const ownTolerance = (s: RunSection) => s.unsolved_steps > 0 || largest(s.columns.error) <= s.tolerance;

// ---- what is picked ---------------------------------------------------------------------------

export interface Picked {
  body: number; // -1: none
  pair: [number, number] | null;
  link: number; // -1: none
}

export function showPicked(target: HTMLElement, states: States, picked: Picked, group: PlotGroup) {
  group.forget(target);
  const frames = Array.from(states.times, (_, k) => k);
  const over = (title: string, about: string, curves: Curve[]) =>
    plot({ title, about, x: Array.from(states.times), xLabel: "time", group, curves });
  target.replaceChildren(
    ...(picked.body >= 0 ? bodyPlots(states, picked.body, frames, over) : []),
    ...(picked.pair ? contactPlots(states, picked.pair, frames, over) : []),
    ...(picked.link >= 0 ? linkPlots(states, picked.link, frames, over) : []),
  );
}

type Over = (title: string, about: string, curves: Curve[]) => HTMLElement;

function bodyPlots(states: States, body: number, frames: number[], over: Over): HTMLElement[] {
  const name = textOf(states.section, body);
  const axes = ["x", "y", "z"].slice(0, states.section.dim);
  const force = frames.map((k) => {
    const c = states.contactsOf(k);
    let sum = 0;
    for (let i = 0; i < c.count; i++) if (c.a[i] === body || c.b[i] === body) sum += sizeOf(c, i);
    return sum;
  });
  return [
    over(
      `Position of ${name}`,
      "its centre over time",
      axes.map((a, d) => ({ label: a, values: frames.map((k) => states.coordinate(k, body, d)), colour: d })),
    ),
    over(`Speed of ${name}`, "of its centre over time", [
      { label: "speed", values: frames.map((k) => states.speedOf(k, body)), colour: 0 },
    ]),
    over(`Contact forces on ${name}`, "sum of their sizes over time", [{ label: "force", values: force, colour: 1 }]),
  ];
}

// A contact is what is between two things, at however many points.
function contactPlots(states: States, pair: [number, number], frames: number[], over: Over): HTMLElement[] {
  const between = frames.map((k) => states.between(states.contactsOf(k), ...pair));
  const names = pair.map((object) => textOf(states.section, object)).join(" and ");
  const ratio = between.map((b) => (b.normal > 0 ? b.friction / b.normal : null));
  return [
    over(`Contact of ${names}`, "normal force and friction over time", [
      { label: "normal", values: between.map((b) => b.normal), colour: 0 },
      { label: "friction", values: between.map((b) => b.friction), colour: 1 },
    ]),
    over(`Friction over normal force, ${names}`, "no more than the friction coefficient", [
      { label: "ratio", values: ratio, colour: 1, points: true },
    ]),
    over(`State of the contact of ${names}`, "0 no force, 1 stick, 2 slip; and how many points", [
      { label: "state", values: between.map((b) => b.state), colour: 2, stepped: true },
      { label: "points", values: between.map((b) => b.points), colour: 4, stepped: true },
    ]),
  ];
}

function linkPlots(states: States, link: number, frames: number[], over: Over): HTMLElement[] {
  const name = linkText(states.section, link);
  const part = (which: number) => frames.map((k) => states.loadsOf(k)[2 * link + which]);
  const moment = part(1);
  const curves: Curve[] = [{ label: "force", values: part(0), colour: 0 }];
  if (moment.some((m) => m > 0)) curves.push({ label: "moment", values: moment, colour: 3 });
  return [over(`What ${name} bears`, "size of its force and its moment over time", curves)];
}

// ---- the whole run ----------------------------------------------------------------------------

export function runCurves(s: RunSection, group: PlotGroup): HTMLElement {
  const c = s.columns;
  const x = c.time;
  const has = (name: string) => (c[name] ?? []).some((v) => v !== null && v !== 0);
  const total = x.map((_, k) => (c.kinetic[k] ?? 0) + (c.potential[k] ?? 0) + (c.elastic?.[k] ?? 0));
  const works: [string, string, number][] = [
    ["work_contact", "contacts", 1],
    ["work_external", "loads and moved objects", 2],
    ["work_integrator", "the scheme", 4],
    ["work_correction", "correction of overlap", 3],
    ["work_joint", "joints", 5],
    ["work_element", "dampers", 6],
  ];
  return h(
    "div",
    { class: "plots" },
    plot({
      title: "Contacts",
      about: `up to ${number(largest(c.contacts))} in a step`,
      x,
      xLabel: "time",
      group,
      curves: [
        { label: "found", values: c.contacts, colour: 4 },
        { label: "with a force", values: c.active, colour: 0 },
      ],
    }),
    plot({
      title: "Energy",
      about: "kinetic, potential, elastic and their sum",
      x,
      xLabel: "time",
      group,
      curves: [
        { label: "kinetic", values: c.kinetic, colour: 1 },
        { label: "potential", values: c.potential, colour: 2 },
        ...(has("elastic") ? [{ label: "elastic", values: c.elastic, colour: 3 }] : []),
        { label: "sum", values: total, colour: 0 },
      ],
    }),
    plot({
      title: "Work done since the start",
      about: "what the energy went into, term by term",
      x,
      xLabel: "time",
      group,
      curves: works.filter(([name]) => has(name)).map(([name, label, colour]) => ({ label, values: c[name], colour })),
    }),
    plot({
      title: "Energy that the balance leaves open",
      about: `stored energy less the work done, since the start; at most ${percent(s.closure)} of the largest term`,
      x,
      xLabel: "time",
      group,
      curves: [{ label: "open", values: c.open ?? [], colour: 1 }],
    }),
    plot({
      title: "Largest overlap",
      about: `at most ${number(largest(c.penetration), 3)}`,
      x,
      xLabel: "time",
      group,
      curves: [{ label: "overlap", values: c.penetration, colour: 1 }],
    }),
    plot({
      title: "Error of each step",
      about: `at most ${number(largest(c.error), 2)}`,
      x,
      xLabel: "time",
      logY: true,
      group,
      curves: [
        { label: "error", values: c.error, colour: 0 },
        ...(ownTolerance(s) ? [{ label: "tolerance", values: x.map(() => s.tolerance), colour: 1, dashed: true }] : []),
      ],
    }),
    ...solverPlots(s, group),
  );
}

// Times where the run has them: without, the same run is the same file everywhere, and iterations stand for them.
function solverPlots(s: RunSection, group: PlotGroup): HTMLElement[] {
  const c = s.columns;
  const over = (title: string, about: string, curves: Curve[]) =>
    plot({ title, about, x: c.time, xLabel: "time", group, curves });
  const iterations = { label: "iterations", values: c.iterations, colour: 0 };
  if (!(s.seconds > 0))
    return [over("Work of the solver: iterations", "of each step; simulate --clock keeps times of computing, too", [iterations])];
  const milli = (x: (number | null)[]) => x.map((v) => (v === null ? null : 1000 * v));
  return [
    over("Time of computing, milliseconds", "of each step, and of the solver in it, by the clock", [
      { label: "step", values: milli(c.clock_step), colour: 4 },
      { label: "solver", values: milli(c.clock_solve), colour: 0 },
    ]),
    over("Work of the solver: iterations", "of each step", [iterations]),
  ];
}
