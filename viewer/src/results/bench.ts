// A comparison of solvers: who solves what, and performance profiles.
import { details, h, said, table, verdict } from "../dom";
import { Figure } from "../figure";
import { count, number, seconds } from "../format";
import { palette } from "../plots";
import type { Fields } from "./results";

interface Row {
  file: string;
  solver: string;
  tolerance: number;
  solved: boolean;
  time_s: number;
  error: number | null;
  reason: string | null;
  contacts: number;
}

export function showBench(r: Fields): HTMLElement[] {
  const rows = (r.rows ?? []) as Row[];
  const tolerances = [...new Set(rows.map((row) => row.tolerance))];
  const solvers = [...new Set(rows.map((row) => row.solver))];
  const solved = rows.filter((row) => row.solved).length;
  const problems = new Set(rows.map((row) => row.file)).size;
  const scores = (r.summary ?? []) as { solver: string; tolerance: number; problems: number; solved: number; fastest: number; time_ratio: number | null }[];
  return [
    verdict(
      r.complete === false ? "warn" : "good",
      `${count(solvers.length, "solver")}, ${count(problems, "problem")}`,
      `${number(solved)} of ${number(rows.length)} solves reached the tolerance.`,
    ),
    ...tolerances.map((tol) => profile(rows.filter((row) => row.tolerance === tol), solvers, tol)),
    table(
      ["solver", "tolerance", "solved", "fastest", "time over the best"],
      [...scores]
        .sort((a, b) => b.solved - a.solved || b.fastest - a.fastest)
        .map((s) => [said(s.solver), number(s.tolerance), `${s.solved} of ${s.problems}`, number(s.fastest), number(s.time_ratio, 3)]),
      "Scores",
    ),
    details(
      `All ${number(rows.length)} rows`,
      table(
        ["problem", "contacts", "solver", "tolerance", "time", "error", "outcome"],
        rows.slice(0, 2000).map((row) => [
          said(row.file.split("/").pop()),
          row.contacts,
          said(row.solver),
          number(row.tolerance),
          seconds(row.time_s),
          number(row.error, 2),
          row.solved ? "solved" : said(row.reason),
        ]),
      ),
    ),
  ];
}

// rho_s(tau): the share of all problems that s solves within tau times the shortest time of any solver [DM02].
function profile(rows: Row[], solvers: string[], tolerance: number): HTMLElement {
  const best = new Map<string, number>();
  for (const row of rows)
    if (row.solved) best.set(row.file, Math.min(best.get(row.file) ?? Infinity, row.time_s));
  const problems = new Set(rows.map((row) => row.file)).size;
  const ratios = solvers.map((s) =>
    rows
      .filter((row) => row.solver === s && row.solved)
      .map((row) => row.time_s / best.get(row.file)!)
      .sort((a, b) => a - b),
  );
  const most = Math.max(10, ...ratios.map((x) => x[x.length - 1] ?? 1)) * 1.3;
  const figure = new Figure({
    title: `Performance profile, tolerance ${number(tolerance)}`,
    about: "share of problems solved within a factor of the fastest, a curve for each solver",
    x: { from: 1, to: most, label: "time over the shortest", log: true },
    y: { from: 0, to: 1.02, label: "share of problems" },
    height: 380,
  });
  const order = solvers.map((_, k) => k).sort((a, b) => ratios[b].length - ratios[a].length);
  order.forEach((s, place) => {
    const points: [number, number][] = [[1, 0]];
    ratios[s].forEach((ratio, k) => {
      points.push([Math.max(1, ratio), k / problems], [Math.max(1, ratio), (k + 1) / problems]);
    });
    points.push([most, ratios[s].length / problems]);
    figure.path(points, { stroke: palette(place), "stroke-dasharray": place > 7 ? "5 4" : "none" });
  });
  figure.element.append(
    h(
      "p",
      { class: "keys" },
      ...order.map((s, place) =>
        h("span", { class: "swatch" }, h("i", { style: `background:${palette(place)}` }), said(solvers[s])),
      ),
    ),
  );
  return figure.element;
}
