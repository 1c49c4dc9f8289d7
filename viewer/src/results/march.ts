// Elastic bodies: the deformed mesh at a moment, contact forces, and what happened over time.
import { Color } from "three";
import { facts, h, said, verdict } from "../dom";
import { count, number, percent } from "../format";
import { isDark, plot, PlotGroup } from "../plots";
import { scale, scaleGradient, stateColours, stateNames } from "../run/colour";
import { Player } from "../run/player";
import { largest, type TableSection } from "../tables";

interface Model {
  dim: number;
  nodes: number[];
  first: number[];
  element: number[];
  contactNode: number[];
  contactPlace: number[]; // point, normal, share of the surface: 7 numbers a contact
}

export function showMarch(s: TableSection): HTMLElement {
  const steps = s.steps ?? {};
  const unsolved = (steps.solved ?? []).filter((v) => v === 0).length;
  const time = (steps.time ?? []) as number[];
  const group = new PlotGroup();
  const player = new Player(time);
  group.seek = (at) => {
    player.pause();
    player.seek(at);
  };
  player.listen((at) => group.moveTo(at));
  const line = (title: string, names: [string, string][], about: string, logY = false) =>
    plot({
      title,
      about,
      x: time,
      xLabel: "time",
      group,
      logY,
      curves: names.filter(([n]) => steps[n]).map(([n, label], k) => ({ label, values: steps[n], colour: k })),
    });
  return h(
    "section",
    { class: "card" },
    h("h2", {}, said(s.name)),
    unsolved
      ? verdict("bad", "not solved", `${count(unsolved, "step")} of ${number(time.length)} without an answer.`)
      : verdict("good", "solved", `Every one of ${count(time.length, "step")} was solved; the largest error is ${number(largest(steps.error), 2)}.`),
    facts([
      ["time", `${number(time[time.length - 1])} s`],
      ["contacts", number(largest(steps.contacts))],
      ["energy unexplained", percent(largest(steps.closure))],
    ]),
    ...(s.model ? [meshPicture(s, player)] : []),
    player.element,
    h("h3", {}, "Over time"),
    h(
      "div",
      { class: "plots" },
      line("Contact force", [["force_n", "normal"], ["force_t1", "tangent"], ["force_t2", "second tangent"]], "sum over the contacts"),
      line("States", [["free", "free"], ["stick", "stick"], ["slip", "slip"]], "how many contacts"),
      line("Energy", [["elastic", "elastic"], ["kinetic", "kinetic"]], "stored"),
      line("Work", [["load", "loads"], ["support", "moved supports"], ["obstacle", "obstacles"], ["friction", "friction"]], "since the start"),
      line("Error of each step", [["error", "error"]], "judged from the raw data", true),
      line("Work of the solver", [["iterations", "iterations"]], "of each step"),
      line("Time of each step", [["time_s", "seconds"]], "of computing"),
    ),
  );
}

function meshPicture(s: TableSection, player: Player): HTMLElement {
  const model: Model = {
    dim: s.dim,
    nodes: (s.model!.nodes ?? []) as number[],
    first: (s.model!.element_first ?? []) as number[],
    element: (s.model!.element_nodes ?? []) as number[],
    contactNode: (s.model!.contact_node ?? []) as number[],
    contactPlace: (s.model!.contact_point_normal_share ?? []) as number[],
  };
  const moved = (s.frames?.displacement ?? []) as number[];
  const rows = s.sizes.frames?.displacement?.[0] ?? 0;
  const ndof = s.sizes.frames?.displacement?.[1] ?? 0;
  const force = (s.frames?.force_velocity_gap ?? []) as number[];
  const state = (s.frames?.state ?? []) as number[];
  const most = moved.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
  const box = bounds(model);
  const strongest = largestPressure(model, force);
  const natural = most > 0 ? Math.max(1, (0.08 * box.size) / most) : 1;
  const canvas = h("canvas", { class: "mesh", role: "img", "aria-label": "The deformed mesh with its contact forces" });
  const slider = h("input", { type: "range", min: 0, max: 1, step: 0.01, value: 0.5, "aria-label": "How much displacements are magnified" });
  const said_ = h("span", {}, "");
  const draw = () => {
    const frame = Math.min(rows - 1, nearest(player.times, player.time));
    const factor = natural ** (2 * Number(slider.value));
    said_.textContent = `displacements × ${number(factor, 2)}`;
    drawMesh(canvas, model, box, {
      u: moved.slice(frame * ndof, (frame + 1) * ndof),
      factor,
      most,
      force,
      strongest,
      at: frame,
      state: state.slice(frame * model.contactNode.length, (frame + 1) * model.contactNode.length),
    });
  };
  player.listen(draw);
  slider.addEventListener("input", draw);
  new ResizeObserver(draw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  player.seek(player.times[player.times.length - 1]);
  return h(
    "div",
    {},
    h("div", { class: "picture" }, canvas),
    h("div", { class: "tools" }, h("label", {}, "Magnify ", slider), said_),
    h(
      "p",
      { class: "keys" },
      h("span", { class: "ramp" }, h("b", {}, "displacement"), "0", h("i", { style: `background:${scaleGradient()}` }), number(most, 3)),
      h("span", {}, `longest line at a contact: pressure ${number(strongest, 3)}`),
      ...stateNames.map((name, k) => h("span", { class: "swatch" }, h("i", { style: `background:${stateColours[k]}` }), name)),
    ),
  );
}

function nearest(times: ArrayLike<number>, time: number): number {
  let best = 0;
  for (let k = 1; k < times.length; k++) if (Math.abs(times[k] - time) < Math.abs(times[best] - time)) best = k;
  return best;
}

// In space as seen from the side and a little above.
function flat(model: Model, x: number, y: number, z: number): [number, number] {
  if (model.dim === 2) return [x, y];
  return [0.87 * x - 0.5 * y, z + 0.25 * x + 0.43 * y];
}

function bounds(model: Model) {
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let k = 0; k + model.dim <= model.nodes.length; k += model.dim) {
    const [x, y] = flat(model, model.nodes[k], model.nodes[k + 1], model.dim === 3 ? model.nodes[k + 2] : 0);
    [x0, x1, y0, y1] = [Math.min(x0, x), Math.max(x1, x), Math.min(y0, y), Math.max(y1, y)];
  }
  return { x0, x1, y0, y1, size: Math.hypot(x1 - x0, y1 - y0) || 1 };
}

interface Moment {
  u: number[];
  factor: number;
  most: number;
  force: number[];
  strongest: number; // pressure of the run, whose line is the longest
  at: number;
  state: number[];
}

function drawMesh(canvas: HTMLCanvasElement, model: Model, box: ReturnType<typeof bounds>, m: Moment) {
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio];
  if (!width || !height) return;
  canvas.width = width;
  canvas.height = height;
  const g = canvas.getContext("2d")!;
  const pad = 0.14 * box.size;
  const zoom = Math.min(width / (box.x1 - box.x0 + 2 * pad), height / (box.y1 - box.y0 + 2 * pad));
  const at = (node: number): [number, number] => {
    const p = [0, 1, 2].map((d) =>
      d < model.dim ? model.nodes[model.dim * node + d] + m.factor * (m.u[model.dim * node + d] ?? 0) : 0,
    );
    const [x, y] = flat(model, p[0], p[1], p[2]);
    return [
      width / 2 + zoom * (x - (box.x0 + box.x1) / 2),
      height / 2 - zoom * (y - (box.y0 + box.y1) / 2),
    ];
  };
  const size = (node: number) => Math.hypot(...m.u.slice(model.dim * node, model.dim * (node + 1)));
  const colour = new Color();
  g.lineWidth = 0.8 * ratio;
  g.strokeStyle = isDark() ? "rgba(255,255,255,.35)" : "rgba(20,30,40,.4)";
  for (let e = 0; e + 1 < model.first.length; e++) {
    const nodes = model.element.slice(model.first[e], model.first[e + 1]);
    g.beginPath();
    for (const ring of outlines(model.dim, nodes)) {
      ring.forEach((n, k) => (k ? g.lineTo(...at(n)) : g.moveTo(...at(n))));
      g.closePath();
    }
    scale(nodes.reduce((x, n) => x + size(n), 0) / nodes.length / (m.most || 1), colour);
    g.fillStyle = "#" + colour.getHexString();
    if (model.dim === 2) g.fill();
    g.stroke();
  }
  drawForces(g, model, m, at, 0.12 * Math.min(width, height), ratio);
}

// Faces by their corners, which come first among the nodes of an element.
function outlines(dim: number, n: number[]): number[][] {
  if (dim === 2) return [n.slice(0, n.length === 3 || n.length === 6 ? 3 : 4)];
  const faces =
    n.length < 8 || n.length === 10
      ? [[0, 1, 2], [0, 1, 3], [1, 2, 3], [0, 2, 3]]
      : [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
  return faces.map((face) => face.map((k) => n[k]));
}

// Force over the contact's share of the surface; a contact without one: the force itself.
function shareOf(model: Model, contact: number): number {
  return model.contactPlace[7 * contact + 6] || 1;
}

// The first block of force_velocity_gap: forces in contact frames, normal first.
function largestPressure(model: Model, force: number[]): number {
  const nc = model.contactNode.length;
  const frame = 3 * nc * model.dim;
  let most = 0;
  for (let from = 0; from + frame <= force.length && nc; from += frame)
    for (let c = 0; c < nc; c++) most = Math.max(most, Math.abs(force[from + model.dim * c]) / shareOf(model, c));
  return most;
}

// Pressures as lines against the normals, out of the body.
function drawForces(
  g: CanvasRenderingContext2D,
  model: Model,
  m: Moment,
  at: (node: number) => [number, number],
  length: number,
  ratio: number,
) {
  const from = m.at * 3 * model.contactNode.length * model.dim;
  model.contactNode.forEach((node, c) => {
    if (node < 0) return;
    const [x, y] = at(node);
    const pressure = (m.force[from + model.dim * c] ?? 0) / shareOf(model, c) / (m.strongest || 1);
    const [nx, ny, nz] = model.contactPlace.slice(7 * c + 3, 7 * c + 6);
    const [dx, dy] = flat(model, nx ?? 0, ny ?? 0, nz ?? 0);
    g.strokeStyle = g.fillStyle = stateColours[m.state[c]] ?? "#888";
    g.lineWidth = 2.5 * ratio;
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(x - length * pressure * dx, y + length * pressure * dy);
    g.stroke();
    g.beginPath();
    g.arc(x, y, 3 * ratio, 0, 2 * Math.PI);
    g.fill();
  });
}
