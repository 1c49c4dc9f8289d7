// All solutions of a plane problem, each drawn.
import { details, facts, h, said, verdict } from "../dom";
import { count, number, seconds } from "../format";
import { plain, type Fields } from "./results";
import { chip, glyphKey, glyphs } from "./states";

interface Point {
  u: number[];
  r: number[];
}

export interface Solution extends Partial<Point> {
  kind: string;
  dimension: number;
  states?: string[];
  cells?: { states: string[]; vertices: Point[]; rays: Point[] }[];
}

const MOST = 60;

export function showEnumeration(r: Fields): HTMLElement[] {
  const n = Number(r.count);
  const solutions = (r.solutions ?? []) as Solution[];
  const dim = Number(r.dim);
  const word = n === 0 ? "no solution" : n === 1 ? "one solution" : `${number(n)} solutions`;
  const complete = r.complete
    ? "All of them are here."
    : "The search was cut short: there may be more.";
  return [
    verdict(n === 0 ? "bad" : r.complete ? "good" : "warn", word, complete),
    facts([
      ["contacts", number(r.contacts)],
      ["arithmetic", r.exact ? "exact" : "rounded"],
      ["nodes of the search", number(r.nodes)],
      ["time", seconds(r.time_s)],
    ]),
    glyphKey(),
    h("div", { class: "solutions" }, ...solutions.slice(0, MOST).map((s, k) => solution(s, k, dim))),
    ...(solutions.length > MOST ? [h("p", {}, `and ${solutions.length - MOST} more`)] : []),
    details("All fields", plain(r)),
  ];
}

function solution(s: Solution, k: number, dim: number): HTMLElement {
  const head = h(
    "h3",
    {},
    `Solution ${k + 1} `,
    s.kind === "isolated" ? null : said(`${s.kind} of dimension ${s.dimension}`),
  );
  if (s.states && s.r && s.u)
    return h("article", { class: "solution" }, head, glyphs(dim, s.states, s.r, s.u));
  return h(
    "article",
    { class: "solution" },
    head,
    ...(s.cells ?? []).slice(0, 12).map((cell) =>
      h(
        "div",
        { class: "cell" },
        h("p", {}, ...cell.states.map(chip), ` ${count(cell.vertices.length, "corner")}, ${count(cell.rays.length, "ray")}`),
        ...cell.vertices.slice(0, 4).map((p) => glyphs(dim, cell.states, p.r, p.u)),
      ),
    ),
  );
}
