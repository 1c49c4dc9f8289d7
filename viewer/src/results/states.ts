// States of contacts: names, colours, and a small picture of each contact with its reaction and velocity.
import { h, svg } from "../dom";

export const stateColour: Record<string, string> = {
  free: "#8b95a1",
  stick: "#2f7fc1",
  slip: "#d9762a",
  "slip+": "#d9762a",
  "slip-": "#a44fb0",
  cross: "#b03060",
};

export function chip(state: string): HTMLElement {
  return h("span", { class: "state", style: `--colour:${stateColour[state] ?? "#888"}` }, state);
}

const SIZE = 76;
const LONGEST = 34; // an arrow along the normal or the tangent

function arrow(x: number, y: number, dx: number, dy: number, kind: string): SVGElement[] {
  const length = Math.hypot(dx, dy);
  if (length < 1) return [];
  const [ux, uy] = [dx / length, dy / length];
  const [tx, ty] = [x + dx, y + dy];
  const head = `M${tx} ${ty}L${tx - 7 * ux + 3.5 * uy} ${ty - 7 * uy - 3.5 * ux}L${tx - 7 * ux - 3.5 * uy} ${ty - 7 * uy + 3.5 * ux}Z`;
  return [
    svg("line", { x1: x, y1: y, x2: tx - 4 * ux, y2: ty - 4 * uy, class: kind, "stroke-width": 2.2 }),
    svg("path", { d: head, class: kind }),
  ];
}

// Normal upwards, tangent to the right; reaction and velocity over their largest.
export function glyph(contact: number, state: string, r: [number, number], u: [number, number]): HTMLElement {
  const ground = SIZE - 16;
  const middle = SIZE / 2;
  const at = ground - (u[0] > 0.02 ? 7 : 0); // a contact that opens is off the ground
  return h(
    "figure",
    { class: "glyph" },
    svg(
      "svg",
      { viewBox: `0 0 ${SIZE} ${SIZE}`, width: SIZE, height: SIZE, role: "img", "aria-label": `contact ${contact}: ${state}` },
      svg("line", { x1: 6, x2: SIZE - 6, y1: ground, y2: ground, class: "ground" }),
      svg("circle", { cx: middle, cy: at, r: 3.5, fill: stateColour[state] ?? "#888" }),
      ...arrow(middle, at, LONGEST * r[1], -LONGEST * r[0], "reaction"),
      ...arrow(middle, at, LONGEST * u[1], -LONGEST * u[0], "velocity"),
    ),
    h("figcaption", {}, `${contact} `, chip(state)),
  );
}

// Glyphs of one solution, dim numbers for each contact.
export function glyphs(dim: number, states: string[], r: number[], u: number[], most = 24): HTMLElement {
  const size = (x: number[], c: number): [number, number] => {
    const tangent = x.slice(dim * c + 1, dim * c + dim);
    return [x[dim * c] ?? 0, dim === 2 ? (tangent[0] ?? 0) : Math.hypot(...tangent)];
  };
  const largest = (x: number[]) => Math.max(1e-300, ...x.map((v) => Math.abs(v)));
  const [rMost, uMost] = [largest(r), largest(u)];
  const over = (v: [number, number], most_: number): [number, number] => [v[0] / most_, v[1] / most_];
  return h(
    "div",
    { class: "glyphs" },
    ...states
      .slice(0, most)
      .map((state, c) => glyph(c, state, over(size(r, c), rMost), u.length ? over(size(u, c), uMost) : [0, 0])),
    states.length > most ? h("p", {}, `and ${states.length - most} more contacts`) : null,
  );
}

export function glyphKey(): HTMLElement {
  return h(
    "p",
    { class: "note" },
    "Each picture is one contact, its normal upwards: ",
    h("b", { class: "reaction-word" }, "reaction"),
    " and ",
    h("b", { class: "velocity-word" }, "relative velocity"),
    ", each over the largest of the solution.",
  );
}
