// Curves over one axis with uPlot, in the page's colours, each with a text that says what it shows. Plots that belong
// together share a cursor and the line of the moment.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { clean, h } from "./dom";
import { number } from "./format";

export interface Curve {
  label: string;
  values: (number | null)[];
  colour: number; // of the palette
  dashed?: boolean;
  points?: boolean; // marks instead of a line
  stepped?: boolean;
}

export interface PlotOptions {
  title: string;
  about: string; // what it shows, in words: for those who do not see it
  x: (number | null)[];
  xLabel: string;
  yLabel?: string;
  curves: Curve[];
  logX?: boolean;
  logY?: boolean;
  height?: number;
  group?: PlotGroup;
  marks?: { x: number; label: string }[];
}

const light = ["#1668b8", "#c2560c", "#1f7a4d", "#9b2f7a", "#6b6f76", "#7a5c00", "#5a3fc0", "#0d7480"];
const dark = ["#6ab0f3", "#f0944d", "#5cc796", "#e083c2", "#a9afb8", "#d8b84a", "#a894f5", "#4fc3cf"];

export const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;
export const palette = (k: number) => (isDark() ? dark : light)[k % light.length];
const ink = () => (isDark() ? "#b8c0cb" : "#4a525c");
const faint = () => (isDark() ? "rgba(255,255,255,.09)" : "rgba(0,0,0,.08)");

// Plots with one moment in common; `seek` is called where the reader points one out.
export class PlotGroup {
  private static made = 0;
  readonly key = `group-${PlotGroup.made++}`;
  readonly plots: uPlot[] = [];
  time = NaN;
  seek: (time: number) => void = () => {};

  // Those of an element whose content is going to be another.
  forget(element: HTMLElement) {
    this.plots.splice(0, this.plots.length, ...this.plots.filter((p) => document.contains(p.root) && !element.contains(p.root)));
  }

  moveTo(time: number) {
    this.time = time;
    for (const plot of this.plots) showMoment(plot, time);
  }
}

// A line over the picture, so that it moves without drawing the curves again.
function showMoment(plot: uPlot, time: number) {
  let line = plot.over.querySelector<HTMLElement>(".moment");
  if (!line) plot.over.append((line = h("div", { class: "moment" })));
  const x = plot.valToPos(time, "x");
  line.hidden = !(x >= 0 && x <= plot.over.clientWidth);
  line.style.transform = `translateX(${x}px)`;
}

function drawMark(plot: uPlot, mark: { x: number }) {
  const x = plot.valToPos(mark.x, "x", true);
  const { left, top, width, height } = plot.bbox;
  if (!(x >= left && x <= left + width)) return;
  plot.ctx.save();
  plot.ctx.strokeStyle = faint();
  plot.ctx.lineWidth = 1.5 * devicePixelRatio;
  plot.ctx.beginPath();
  plot.ctx.moveTo(x, top);
  plot.ctx.lineTo(x, top + height);
  plot.ctx.stroke();
  plot.ctx.restore();
}

function axis(label: string | undefined, log: boolean, size: number): uPlot.Axis {
  return {
    label,
    labelSize: 16,
    labelGap: 0,
    labelFont: "12px system-ui, sans-serif",
    font: "11px system-ui, sans-serif",
    stroke: ink,
    grid: { stroke: faint, width: 1, ...(log ? { filter: onlyPowers } : {}) },
    ticks: { stroke: faint, width: 1, size: 4, ...(log ? { filter: onlyPowers } : {}) },
    size,
    gap: 4,
    ...(log ? { space: 22 } : {}),
    values: (_plot, splits) => (log ? powers(splits) : splits.map((v) => (v === null ? "" : number(v, 3)))),
  };
}

const isPower = (v: number | null) => v !== null && Math.abs(Math.log10(v) % 1) < 1e-6;

// Lines between powers of ten would be a grey haze; within one or two of them they help.
function onlyPowers(_plot: uPlot, splits: number[]): (number | null)[] {
  const few = splits.filter(isPower).length < 3;
  return splits.map((v) => (few || isPower(v) ? v : null));
}

// Names for about five of the powers of ten.
function powers(splits: number[]): string[] {
  const whole = splits.filter(isPower);
  const every = Math.ceil(whole.length / 5);
  return splits.map((v) => (whole.indexOf(v) % every === 0 && whole.includes(v) ? number(v, 3) : ""));
}

function bindSeek(plot: uPlot, group: PlotGroup) {
  let held = false;
  const go = (event: PointerEvent) => {
    const box = plot.over.getBoundingClientRect();
    group.seek(plot.posToVal(event.clientX - box.left, "x"));
  };
  plot.over.addEventListener("pointerdown", (event) => {
    held = true;
    go(event);
  });
  plot.over.addEventListener("pointermove", (event) => held && go(event));
  addEventListener("pointerup", () => (held = false));
}

export function plot(o: PlotOptions): HTMLElement {
  const target = h("div", { class: "plot-canvas", role: "img", "aria-label": clean(`${o.title}: ${o.about}`) });
  const figure = h("figure", { class: "plot" }, h("figcaption", {}, clean(o.title)), target);
  const height = o.height ?? 170;
  const options: uPlot.Options = {
    width: 300,
    height,
    padding: [8, 10, 0, 0],
    cursor: {
      sync: o.group ? { key: o.group.key } : undefined,
      drag: { x: false, y: false },
      points: { size: 5 },
    },
    legend: { live: true },
    scales: {
      x: { time: false, distr: o.logX ? 3 : 1 },
      y: { distr: o.logY ? 3 : 1 },
    },
    axes: [axis(o.xLabel, !!o.logX, 26), axis(o.yLabel, !!o.logY, 62)],
    series: [
      { label: o.xLabel, value: (_u, v) => (v === null ? "" : number(v)) },
      ...o.curves.map(
        (c): uPlot.Series => ({
          label: clean(c.label),
          stroke: () => palette(c.colour),
          width: c.points ? 0 : 1.6,
          dash: c.dashed ? [5, 4] : undefined,
          paths: c.stepped ? uPlot.paths.stepped!({ align: 1 }) : c.points ? () => null : undefined,
          points: { show: c.points === true, size: 5, fill: () => palette(c.colour) },
          value: (_u, v) => (v === null ? "" : number(v, 3)),
        }),
      ),
    ],
    hooks: {
      draw: [
        (u) => {
          for (const mark of o.marks ?? []) drawMark(u, mark);
          if (o.group && Number.isFinite(o.group.time)) showMoment(u, o.group.time);
        },
      ],
    },
  };
  const positive = (x: (number | null)[]) => x.map((v) => (v !== null && v > 0 ? v : null));
  const x = o.logX ? positive(o.x) : o.x;
  const data = [x, ...o.curves.map((c) => (o.logY ? positive(c.values) : c.values))] as uPlot.AlignedData;
  whenWide(target, (width) => {
    const made = new uPlot(options, data, target);
    made.setSize({ width, height });
    for (const marker of Array.from(target.querySelectorAll("table"))) marker.setAttribute("role", "presentation");
    new ResizeObserver(() => made.setSize({ width: target.clientWidth, height })).observe(target);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => made.redraw(true, true));
    if (o.group) {
      o.group.plots.push(made);
      bindSeek(made, o.group);
    }
  });
  return figure;
}

// Once the element has a width.
function whenWide(element: HTMLElement, make: (width: number) => void) {
  const observer = new ResizeObserver(() => {
    if (element.clientWidth < 40) return;
    observer.disconnect();
    make(element.clientWidth);
  });
  observer.observe(element);
}
