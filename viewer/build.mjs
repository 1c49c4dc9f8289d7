// Bundles the viewer: node viewer/build.mjs FOLDER, where FOLDER/node_modules has the packages. Writes FOLDER/viewer.js,
// viewer.css, and viewer.c with both as C text.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2] ?? join(here, "../build/viewer"));
const { buildSync } = createRequire(join(folder, "package.json"))("esbuild");

buildSync({
  absWorkingDir: here,
  entryPoints: [{ in: "src/main.ts", out: "viewer" }],
  outdir: folder,
  nodePaths: [join(folder, "node_modules")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "ascii",
  legalComments: "eof",
  logLevel: "warning",
});

// Bytes as octal escapes where C needs them, in pieces that every compiler takes.
function asC(text) {
  const pieces = [];
  for (let at = 0; at < text.length; at += 2000)
    pieces.push(
      '"' +
        text
          .slice(at, at + 2000)
          .replace(/[\\"]/g, "\\$&")
          .replace(/\?/g, "\\?")
          .replace(/\n/g, "\\n")
          .replace(/[^\x20-\x7e]/g, (c) => "\\" + c.charCodeAt(0).toString(8).padStart(3, "0")) +
        '"',
    );
  return pieces.join("\n    ");
}

// Inside <script> and <style> these would end the element or change its meaning.
function embeddable(name) {
  const text = readFileSync(join(folder, name), "utf8");
  if (/<\/(script|style)|<!--/i.test(text.replace(/<\/script>/g, "<\\/script>")))
    throw new Error(`${name} holds markup that would end its element`);
  return text.replace(/<\/script>/g, "<\\/script>");
}

writeFileSync(
  join(folder, "viewer.c"),
  `// Made from viewer/ by viewer/build.mjs.
#include "report/page_write.h"

static const char script[] =
    ${asC(embeddable("viewer.js"))};
static const char style[] =
    ${asC(embeddable("viewer.css"))};
const char *const ssi_viewer_script = script, *const ssi_viewer_style = style;
`,
);
