// Numbers, texts and blobs without a browser: node units.mjs PACKAGES.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const source = join(dirname(fileURLToPath(import.meta.url)), "../src");
const { buildSync } = createRequire(resolve(process.argv[2], "package.json"))("esbuild");

// A module of the viewer, bundled for Node.
async function load(name) {
  const made = buildSync({ entryPoints: [join(source, name)], bundle: true, format: "esm", write: false });
  return import("data:text/javascript;base64," + Buffer.from(made.outputFiles[0].contents).toString("base64"));
}

const { number, seconds, symbol } = await load("format.ts");
const { decode } = await load("payload.ts");
const { ticks, rangeOf } = await load("figure.ts");
const { clean } = await load("dom.ts");

const cases = [
  [0, "0"],
  [1234, "1\u202f234"],
  [1167.39, "1\u202f167", 3],
  [0.01234, "0.01234"],
  [-2.5, "−2.5"],
  [9.9999e-7, "10⁻⁶", 2],
  [3.14e-9, "3.14·10⁻⁹"],
  [-1e-12, "−10⁻¹²"],
  [2e7, "20\u202f000\u202f000"],
  [Infinity, "∞"],
  ["inf", "∞"],
  [null, "–"],
  [NaN, "–"],
];
for (const [x, text, digits] of cases) assert.equal(number(x, digits), text);
assert.equal(seconds(0.00025), "250 µs");
assert.equal(symbol("tan_alpha"), "tan α");
assert.equal(clean("a\u202eb\u0007<b>"), "a[U+202E]b[U+0007]<b>");

for (let size = 0; size < 40; size++) {
  const bytes = Buffer.from(Array.from({ length: size }, (_, k) => (k * 37 + size) % 256));
  assert.deepEqual(Buffer.from(decode(bytes.toString("base64"))), bytes);
}

assert.deepEqual(ticks({ from: 0, to: 1 }, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
assert.deepEqual(ticks({ from: 1, to: 1000, log: true }, 5), [1, 10, 100, 1000]);
assert.deepEqual(rangeOf([null, NaN]), { from: 0, to: 1 });
assert.ok(rangeOf([3, 3]).from < 3);
console.log("4 passed, 0 failed");
