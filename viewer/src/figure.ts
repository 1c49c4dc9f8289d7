// Figures as SVG: axes and what is drawn in them. For curves that turn back, maps and glyphs, which uPlot does not draw.
import { clean, h, svg } from "./dom";
import { number } from "./format";

export interface Range {
  from: number;
  to: number;
}

export interface FigureOptions {
  title: string;
  about: string;
  x: Range & { label: string; log?: boolean };
  y: Range & { label: string; log?: boolean };
  height?: number;
  equal?: boolean; // the same scale on both axes
}

const LEFT = 62;
const BOTTOM = 42;
const TOP = 10;
const RIGHT = 14;

// On a phone a figure is smaller, its letters are not.
const naturalWidth = () => (window.innerWidth < 560 ? 380 : 640);

export class Figure {
  readonly element: HTMLElement;
  readonly root: SVGSVGElement;
  private readonly inside: SVGGElement;
  private readonly width = naturalWidth();
  private readonly height: number;

  constructor(readonly o: FigureOptions) {
    this.height = o.equal
      ? Math.min(560, ((this.width - LEFT - RIGHT) * (o.y.to - o.y.from)) / (o.x.to - o.x.from) + TOP + BOTTOM)
      : ((o.height ?? 340) * Math.min(1, this.width / 480));
    this.inside = svg("g", {});
    this.root = svg("svg", {
      viewBox: `0 0 ${this.width} ${this.height}`,
      class: "figure",
      role: "img",
      "aria-label": clean(`${o.title}: ${o.about}`),
    });
    this.axes();
    this.root.append(this.inside);
    this.element = h("figure", { class: "plot wide" }, h("figcaption", {}, clean(o.title)), this.root);
  }

  x(value: number): number {
    return LEFT + part(value, this.o.x) * (this.width - LEFT - RIGHT);
  }
  y(value: number): number {
    return this.height - BOTTOM - part(value, this.o.y) * (this.height - TOP - BOTTOM);
  }

  add(...elements: SVGElement[]) {
    this.inside.append(...elements);
  }

  path(points: [number, number][], attributes: Record<string, string | number>) {
    const d = points.map(([x, y], k) => `${k ? "L" : "M"}${this.x(x).toFixed(2)} ${this.y(y).toFixed(2)}`).join("");
    this.add(svg("path", { fill: "none", "stroke-width": 1.8, d, ...attributes }));
  }

  text(x: number, y: number, text: string, attributes: Record<string, string | number> = {}) {
    this.add(svg("text", { x: this.x(x), y: this.y(y), "text-anchor": "middle", ...attributes }, text));
  }

  private axes() {
    const bottom = this.height - BOTTOM;
    for (const value of ticks(this.o.x, this.width < 500 ? 5 : 7)) {
      const x = this.x(value);
      this.root.append(
        svg("line", { x1: x, x2: x, y1: TOP, y2: bottom, class: "grid" }),
        svg("text", { x, y: bottom + 16, "text-anchor": "middle", class: "tick" }, number(value, 3)),
      );
    }
    for (const value of ticks(this.o.y, 6)) {
      const y = this.y(value);
      this.root.append(
        svg("line", { x1: LEFT, x2: this.width - RIGHT, y1: y, y2: y, class: "grid" }),
        svg("text", { x: LEFT - 7, y: y + 4, "text-anchor": "end", class: "tick" }, number(value, 3)),
      );
    }
    const middle = (TOP + bottom) / 2;
    this.root.append(
      svg("rect", { x: LEFT, y: TOP, width: this.width - LEFT - RIGHT, height: bottom - TOP, class: "frame" }),
      svg("text", { x: (LEFT + this.width - RIGHT) / 2, y: this.height - 6, "text-anchor": "middle" }, clean(this.o.x.label)),
      svg("text", { x: 13, y: middle, "text-anchor": "middle", transform: `rotate(-90 13 ${middle})` }, clean(this.o.y.label)),
    );
  }
}

function part(value: number, r: Range & { log?: boolean }): number {
  if (r.log) return Math.log(value / r.from) / Math.log(r.to / r.from);
  return (value - r.from) / (r.to - r.from || 1);
}

export function ticks(r: Range & { log?: boolean }, most: number): number[] {
  if (r.log) {
    const first = Math.ceil(Math.log10(r.from) - 1e-9);
    const last = Math.floor(Math.log10(r.to) + 1e-9);
    const every = Math.max(1, Math.ceil((last - first) / most));
    return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, k) => 10 ** (first + k * every));
  }
  const rough = (r.to - r.from) / most;
  if (!(rough > 0)) return [r.from];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10);
  const first = Math.ceil(r.from / step - 1e-9);
  const last = Math.floor(r.to / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

// From the least to the largest, a little more on both sides.
export function rangeOf(values: Iterable<number | null>): Range {
  let from = Infinity;
  let to = -Infinity;
  for (const v of values)
    if (v !== null && Number.isFinite(v)) {
      from = Math.min(from, v);
      to = Math.max(to, v);
    }
  if (from > to) return { from: 0, to: 1 };
  const pad = 0.05 * (to - from) || 0.05 * Math.abs(to) || 1;
  return { from: from - pad, to: to + pad };
}

// A bar of parts, each with its size in words.
export function shares(about: string, parts: { name: string; value: number; colour: string }[]): HTMLElement {
  const sum = parts.reduce((s, p) => s + p.value, 0) || 1;
  return h(
    "div",
    { class: "shares", role: "img", "aria-label": `${about}: ${parts.map((p) => `${p.name} ${p.value}`).join(", ")}` },
    h(
      "div",
      { class: "bar" },
      ...parts
        .filter((p) => p.value > 0)
        .map((p) => h("i", { style: `flex:${p.value / sum} 1 0;background:${p.colour}` })),
    ),
    h(
      "div",
      { class: "keys" },
      ...parts.map((p) =>
        h("span", { class: "swatch" }, h("i", { style: `background:${p.colour}` }), `${p.name} ${number(p.value)}`),
      ),
    ),
  );
}
