// A run of rigid bodies: what came of it, the playback, and curves over time that follow it.
import { details, facts, h, said, table, verdict, type Child } from "../dom";
import { count, number, percent } from "../format";
import { readBlob } from "../payload";
import { isDark, plot, PlotGroup } from "../plots";
import { scaleGradient, stateColours, stateNames } from "./colour";
import { Player } from "./player";
import { Stage, type ColourBy, type Look } from "./stage";
import { sizeOf, States, type RunSection } from "./states";

const largest = (x: (number | null)[]) => x.reduce<number>((m, v) => Math.max(m, v ?? 0), 0);
const mean = (x: (number | null)[]) => x.reduce<number>((s, v) => s + (v ?? 0), 0) / Math.max(1, x.length);

export function showRun(section: RunSection): HTMLElement {
  const states = new States(section, readBlob(section.blob));
  const group = new PlotGroup();
  const player = new Player(states.times);
  const bodyPlots = h("div", { class: "plots picked" });
  const stage = stageElement(states, player, group, bodyPlots);
  group.seek = (time) => {
    player.pause();
    player.seek(time);
  };
  player.listen((time) => group.moveTo(time));
  return h(
    "section",
    { class: "card run" },
    h("h2", {}, said(section.title ?? section.name)),
    runVerdict(section, states),
    runFacts(section, states),
    stage,
    bodyPlots,
    h("h3", {}, "Over time"),
    curves(section, group),
    details("The scene", sceneFacts(section, states)),
  );
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

// A run may have been given another tolerance than its scene's, which is all that its file has.
const ownTolerance = (s: RunSection) => s.unsolved_steps > 0 || largest(s.columns.error) <= s.tolerance;

function runFacts(s: RunSection, states: States): HTMLElement {
  const c = s.columns;
  return facts([
    ["bodies", number(states.bodies)],
    ["time simulated", `${number(states.end)} s`],
    ["steps", `${number(s.steps)} of ${number(s.step)} s`],
    ["contacts in a step", `${number(mean(c.contacts), 3)}, at most ${number(largest(c.contacts))}`],
    ["largest overlap", number(largest(c.penetration), 3)],
    ["largest error", number(largest(c.error), 2)],
    ["energy unexplained", percent(s.closure)],
  ]);
}

function sceneFacts(s: RunSection, states: States): HTMLElement {
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
          ["joint or element", "kind", "between"],
          s.links.map((l) => [
            said(l.name ?? "–"),
            l.kind,
            h("span", {}, nameOf(s, states, l.a[0]), " and ", nameOf(s, states, l.b[0])),
          ]),
        )
      : null,
  );
}

function nameOf(s: RunSection, states: States, object: number): Node {
  if (object < 0) return document.createTextNode("the world");
  const name = object < states.bodies ? s.names[object] : s.externals[object - states.bodies]?.name;
  return said(name ?? `body ${object}`);
}

// ---- the playback -----------------------------------------------------------------------------

function stageElement(states: States, player: Player, group: PlotGroup, bodyPlots: HTMLElement): HTMLElement {
  const { section } = states;
  const canvas = h("canvas", {
    tabindex: 0,
    role: "img",
    "aria-label":
      "Playback of the bodies. Arrow keys turn the view, plus and minus change the distance, space plays, " +
      "N and P go from body to body.",
  });
  const label = h("div", { class: "tag", hidden: true });
  const legend = h("div", { class: "legend" });
  const inspector = h("div", { class: "inspector", "aria-live": "polite" });
  const look: Look = { colourBy: "speed", chains: false, dark: isDark() };
  let stage: Stage;
  try {
    stage = new Stage(states, canvas);
  } catch {
    return h("p", { class: "missing" }, "The playback needs WebGL, which this browser does not offer. The curves below do not.");
  }
  let due = false;
  let last = 0;
  const draw = (now: number) => {
    due = false;
    stage.pace(player.playing && last ? now - last : 0);
    last = player.playing ? now : 0;
    stage.show(player.time, look);
    stage.render();
    showLegend(legend, look, section, stage);
    showTag(label, stage, states, canvas);
    showInspector(inspector, stage, states, player.time, select);
  };
  const redraw = () => {
    if (!due) requestAnimationFrame(draw);
    due = true;
  };
  const select = (body: number) => {
    stage.selected = body;
    showBodyPlots(bodyPlots, states, body, group);
    redraw();
  };
  player.listen(redraw);
  player.stopped = redraw; // once more, sharply
  stage.controls.addEventListener("change", redraw);
  new ResizeObserver(() => {
    stage.resize(canvas.clientWidth, canvas.clientHeight);
    redraw();
  }).observe(canvas);
  let first = true;
  new ResizeObserver(() => {
    if (first && canvas.clientWidth) stage.view("home");
    first = first && !canvas.clientWidth;
  }).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    look.dark = isDark();
    redraw();
  });
  bindPicking(canvas, stage, select);
  bindKeys(canvas, stage, states, player, select, redraw);
  return h(
    "div",
    { class: "stage" },
    h("div", { class: "picture" }, canvas, label, legend),
    player.element,
    tools(look, stage, redraw),
    inspector,
  );
}

function tools(look: Look, stage: Stage, redraw: () => void): HTMLElement {
  const choose = h(
    "select",
    {
      change: () => {
        look.colourBy = choose.value as ColourBy;
        redraw();
      },
    },
    ...(["speed", "force", "status", "material"] as const).map((name) => h("option", { value: name }, name)),
  );
  const chains = h("input", {
    type: "checkbox",
    change: () => {
      look.chains = chains.checked;
      redraw();
    },
  });
  const view = (name: "home" | "top" | "side", text: string) =>
    h("button", { type: "button", click: () => (stage.view(name), redraw()) }, text);
  const flat = stage.states.section.dim === 2;
  return h(
    "div",
    { class: "tools" },
    h("label", {}, "Colour ", choose),
    h("label", { class: "check" }, chains, " Force chains"),
    h("span", { class: "group" }, view("home", "Home"), !flat && view("top", "Top"), !flat && view("side", "Side")),
  );
}

function bindPicking(canvas: HTMLCanvasElement, stage: Stage, select: (body: number) => void) {
  let down = { x: 0, y: 0 };
  canvas.addEventListener("pointerdown", (e) => (down = { x: e.clientX, y: e.clientY }));
  canvas.addEventListener("pointerup", (e) => {
    if (Math.hypot(e.clientX - down.x, e.clientY - down.y) > 4) return; // the view was turned
    const box = canvas.getBoundingClientRect();
    select(stage.pick((2 * (e.clientX - box.left)) / box.width - 1, 1 - (2 * (e.clientY - box.top)) / box.height));
  });
}

function bindKeys(
  canvas: HTMLCanvasElement,
  stage: Stage,
  states: States,
  player: Player,
  select: (body: number) => void,
  redraw: () => void,
) {
  const next = (by: number) => select((stage.selected + by + states.bodies + (stage.selected < 0 && by < 0 ? 1 : 0)) % states.bodies);
  const actions: Record<string, () => void> = {
    ArrowLeft: () => stage.orbit(-0.1, 0),
    ArrowRight: () => stage.orbit(0.1, 0),
    ArrowUp: () => stage.orbit(0, -0.1),
    ArrowDown: () => stage.orbit(0, 0.1),
    "+": () => stage.approach(1 / 1.15),
    "=": () => stage.approach(1 / 1.15),
    "-": () => stage.approach(1.15),
    " ": () => player.toggle(),
    n: () => next(1),
    p: () => next(-1),
    Escape: () => select(-1),
  };
  canvas.addEventListener("keydown", (event) => {
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
    redraw();
  });
}

function showLegend(legend: HTMLElement, look: Look, section: RunSection, stage: Stage) {
  const key = `${look.colourBy} ${look.chains} ${number(stage.forceScale, 2)}`;
  if (legend.dataset.key === key) return;
  legend.dataset.key = key;
  const ramp = (name: string, top: string) =>
    h("div", { class: "ramp" }, h("b", {}, name), "0", h("i", { style: `background:${scaleGradient}` }), top);
  const rows: Child[] = [];
  if (look.colourBy === "speed") rows.push(ramp("speed", number(section.speed_max, 3)));
  if (look.colourBy === "force") rows.push(ramp("force on a body", number(3 * stage.forceScale, 3)));
  if (look.colourBy === "status")
    rows.push(
      ...stateNames.map((name, k) =>
        h("span", { class: "swatch" }, h("i", { style: `background:${stateColours[k]}` }), name),
      ),
    );
  if (look.colourBy === "material")
    rows.push(h("span", {}, "material: ", said(section.materials.filter((m) => m).join(", "))));
  if (look.chains) rows.push(h("span", { class: "swatch" }, `thickest chain: ${number(stage.forceScale, 3)} or more`));
  legend.replaceChildren(...(rows as Node[]));
}

function showTag(label: HTMLElement, stage: Stage, states: States, canvas: HTMLCanvasElement) {
  label.hidden = stage.selected < 0;
  if (label.hidden) return;
  const at = stage.where(stage.selected);
  label.replaceChildren(nameOf(states.section, states, stage.selected));
  label.style.left = `${((at.x + 1) / 2) * canvas.clientWidth}px`;
  label.style.top = `${((1 - at.y) / 2) * canvas.clientHeight}px`;
}

function showInspector(
  inspector: HTMLElement,
  stage: Stage,
  states: States,
  time: number,
  select: (body: number) => void,
) {
  const body = stage.selected;
  const contacts = states.contactsAt(time);
  if (body < 0) {
    const text = "Pick a body in the picture, or press N there, to see its numbers.";
    if (inspector.textContent !== text) inspector.replaceChildren(text);
    return;
  }
  const p = states.position;
  const touching: Child[][] = [];
  for (let k = 0; k < contacts.count; k++) {
    if (contacts.a[k] !== body && contacts.b[k] !== body) continue;
    const other = contacts.a[k] === body ? contacts.b[k] : contacts.a[k];
    const normal = [0, 1, 2].reduce((s, d) => s + (contacts.force[3 * k + d] * contacts.normal[3 * k + d]) / 32767, 0);
    const size = sizeOf(contacts, k);
    const across = Math.sqrt(Math.max(0, size * size - (normal * contacts.forceUnit) ** 2));
    touching.push([
      nameOf(states.section, states, other),
      number(normal * contacts.forceUnit, 3),
      number(across, 3),
      stateNames[contacts.state[k]],
    ]);
  }
  inspector.replaceChildren(
    h(
      "h3",
      {},
      nameOf(states.section, states, body),
      " ",
      h("button", { type: "button", class: "small", click: () => select(-1) }, "Deselect"),
    ),
    facts([
      ["position", [0, 1, 2].slice(0, states.section.dim).map((d) => number(p[3 * body + d], 4)).join(", ")],
      ["speed", number(states.speed[body], 3)],
      ["mass", number(states.section.mass[body], 4)],
      ["contact forces", number(stage.forceOf(body), 3)],
      ["status", stateNames[stage.statusOf(body)]],
    ]),
    touching.length ? table(["contact with", "normal", "friction", "state"], touching) : h("p", {}, "It touches nothing now."),
  );
}

// ---- curves -----------------------------------------------------------------------------------

function showBodyPlots(target: HTMLElement, states: States, body: number, group: PlotGroup) {
  group.plots.splice(0, group.plots.length, ...group.plots.filter((p) => document.contains(p.root) && !target.contains(p.root)));
  if (body < 0) return target.replaceChildren();
  const frames = Array.from(states.times, (_, k) => k);
  const x = Array.from(states.times);
  const force = frames.map((k) => {
    const c = states.contactsOf(k);
    let sum = 0;
    for (let i = 0; i < c.count; i++) if (c.a[i] === body || c.b[i] === body) sum += sizeOf(c, i);
    return sum;
  });
  const name = states.section.names[body] ?? `body ${body}`;
  const axes = ["x", "y", "z"].slice(0, states.section.dim);
  target.replaceChildren(
    plot({
      title: `Position of ${name}`,
      about: "its centre over time",
      x,
      xLabel: "time",
      group,
      curves: axes.map((a, d) => ({ label: a, values: frames.map((k) => states.coordinate(k, body, d)), colour: d })),
    }),
    plot({
      title: `Speed of ${name}`,
      about: "of its centre over time",
      x,
      xLabel: "time",
      group,
      curves: [{ label: "speed", values: frames.map((k) => states.speedOf(k, body)), colour: 0 }],
    }),
    plot({
      title: `Contact forces on ${name}`,
      about: "sum of their sizes over time",
      x,
      xLabel: "time",
      group,
      curves: [{ label: "force", values: force, colour: 1 }],
    }),
  );
}

function curves(s: RunSection, group: PlotGroup): HTMLElement {
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
    plot({
      title: "Work of the solver",
      about: "iterations of each step",
      x,
      xLabel: "time",
      group,
      curves: [{ label: "iterations", values: c.iterations, colour: 0 }],
    }),
  );
}
