// The pages that the tests look at, made by the command itself: one of a run, one of every other kind. Titles, names of
// bodies and files are hostile: they must appear as text.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const HOSTILE = `<script>window.hacked=1</script>"'&amp;<img src=x onerror=window.hacked=2>\u202egnp.exe javascript:alert(1)`;

// as the page shows it: marks for the direction of writing are named
export const SHOWN = HOSTILE.replace("\u202e", "[U+202E]");

const scene = {
  title: HOSTILE,
  dim: 3,
  materials: [{ name: `rock${HOSTILE}`, mu: 0.5, density: 2500 }],
  bodies: Array.from({ length: 6 }, (_, k) => ({
    name: k ? `ball ${k}` : `ball</script>${HOSTILE}`,
    shape: k % 2 ? { kind: "box", size: [0.3, 0.3, 0.3] } : { kind: "sphere", radius: 0.2 },
    position: [0.05 * k, 0.03 * k, 0.3 + 0.5 * k],
  })),
  externals: [
    { name: `floor ${HOSTILE}`, shape: { kind: "plane" } },
    { name: "paddle", shape: { kind: "box", size: [0.2, 2, 1] }, position: [-1.5, 0, 0.6], motion: { kind: "constant", velocity: [0.8, 0, 0] } },
  ],
  joints: [{ name: `pin ${HOSTILE}`, kind: "ball", a: "ball 2", b: "ball 3", anchor: [0.125, 0.075, 1.55] }],
  springs: [{ name: `spring ${HOSTILE}`, a: "ball 1", b: "paddle", stiffness: 5, damping: 1 }],
  stepping: { step: 0.01, duration: 1.2, unsolved: "go" },
  solver: { tol: 1e-6 },
};

// A ball that is thrown into a tray that moves, to be run from event to event.
const thrown = {
  ...scene,
  materials: [{ name: `rock${HOSTILE}`, mu: 0.5, density: 2500, restitution: 0.5 }],
  bodies: [{ name: `ball</script>${HOSTILE}`, shape: { kind: "sphere", radius: 0.1 }, position: [0, 0, 0.4], velocity: [1, 0, 0], spin: [0, 20, 5] }],
  externals: [{ name: `tray ${HOSTILE}`, shape: { kind: "plane" }, motion: { kind: "harmonic", amplitude: [0.1, 0, 0], frequency: 2 } }],
  joints: [],
  springs: [{ name: `spring ${HOSTILE}`, a: `ball</script>${HOSTILE}`, b: "world", anchor_b: [0, 0, 1], stiffness: 3 }],
};

// Paths of the pages: { run, events, results, tables }.
export function makePages(stickslip, folder) {
  mkdirSync(folder, { recursive: true });
  const at = (name) => join(folder, name);
  const run = (...args) => execFileSync(stickslip, args, { stdio: ["ignore", "pipe", "inherit"], cwd: folder });
  // exit status 1 is an answer that is not yes
  const answer = (name, ...args) => {
    try {
      writeFileSync(at(name), run(...args, "--json", "--quiet"));
    } catch (error) {
      if (error.status !== 1) throw error;
      writeFileSync(at(name), error.stdout);
    }
    return at(name);
  };
  writeFileSync(at("scene.json"), JSON.stringify(scene));
  writeFileSync(at("slow.json"), JSON.stringify({ ...scene, stepping: { step: 0.0005, duration: 1000 }, output: { every: 20 } }));
  run("simulate", "scene.json", "-q", "-o", "run.h5", "--clock", "--overwrite");
  run("report", "run.h5", "-q", "-o", "run.html");
  writeFileSync(at("thrown.json"), JSON.stringify(thrown));
  run("simulate", "thrown.json", "--scheme", "events", "--samples", "200", "-q", "-o", "thrown.h5", "--overwrite");
  run("report", "thrown.h5", "-q", "-o", "events.html");
  run("model", "klarbring", "-p", "mu=3/2", "-p", "tan_alpha=1", "-o", "klarbring.json", "-q");
  run("model", "ball", "-o", "ball.json", "-q");
  run("model", "painleve3d", "-o", "rod.json", "-q");
  const hostileFile = at(`<img src=x onerror=window.hacked=3>.json`);
  writeFileSync(
    hostileFile,
    JSON.stringify({ command: "solve", file: HOSTILE, status: "failed", message: HOSTILE, notes: [HOSTILE] }),
  );
  const inputs = [
    answer("solve.json", "solve", "rod.json", "--details", "--solver", "nsgs"),
    answer("no-solution.json", "solve", "ball.json", "--max-iter", "500"),
    answer("check.json", "certify", "ball.json"),
    answer("enumerate.json", "enumerate", "klarbring.json"),
    answer("critical.json", "critical", "klarbring.json"),
    answer("atlas.json", "atlas", "klarbring", "-x", "tan_alpha=-2:2:20", "-y", "mu=0:3:20"),
    answer("trace.json", "trace", "klarbring", "-p", "mu=3/2", "--over", "tan_alpha=-2:2"),
    answer("bench.json", "bench", "klarbring.json", "--solvers", "nsgs,auto"),
    answer("mechanism.json", "simulate", "jack-plane", "--duration", "60", "-o", "jack.h5", "--overwrite"),
    hostileFile,
  ];
  run("report", ...inputs, "-q", "--title", HOSTILE, "-o", "results.html");
  run("simulate", "elastic-square", "-q", "-o", "square.h5", "--overwrite");
  run("report", "jack.h5", "square.h5", "-q", "-o", "tables.html");
  return { run: at("run.html"), events: at("events.html"), results: at("results.html"), tables: at("tables.html") };
}
