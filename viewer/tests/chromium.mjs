// Debian's Chromium for tests of pages: await start(PACKAGES) gives { browser, open, accessible, close }. Exit status 77 where there is none.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

export async function start(packages) {
  const need = createRequire(resolve(packages, "package.json"));
  const chromium = PATHS.find(existsSync);
  let playwright, axe;
  try {
    playwright = need("playwright-core");
    axe = readFileSync(need.resolve("axe-core/axe.min.js"), "utf8");
  } catch {
    skip("playwright-core or axe-core is not installed");
  }
  if (!chromium) skip("no Chromium (Debian: chromium)");
  const browser = await playwright.chromium.launch({
    executablePath: chromium,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
  });
  return { browser, open: (path, options) => open(browser, path, options), accessible: (page, name) => accessible(axe, page, name), close: () => browser.close() };
}

// A page that must be silent: no message, no error, no dialog, no request but for itself.
async function open(browser, path, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
  const trouble = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && trouble.push(`${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => trouble.push(`error: ${e.message}`));
  page.on("dialog", (d) => (trouble.push(`dialog: ${d.message()}`), d.dismiss()));
  page.on("request", (r) => r.url() !== `file://${path}` && !r.url().startsWith("data:") && trouble.push(`request: ${r.url()}`));
  await page.goto(`file://${path}`);
  await page.waitForSelector("html[data-ready]");
  page.quiet = () => assert.deepEqual(trouble.filter((t) => !/GPU stall|swiftshader|WebGL/i.test(t)), []);
  return page;
}

async function accessible(axe, page, name) {
  await page.evaluate(axe);
  const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const serious = result.violations.filter((v) => ["serious", "critical"].includes(v.impact));
  assert.deepEqual(
    serious.map((v) => `${name}: ${v.id}: ${v.nodes[0].html.slice(0, 120)}`),
    [],
  );
}

// Runs them one after the other; the number that failed.
export async function runTests(tests) {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    const begin = Date.now();
    try {
      await test();
      console.log(`ok ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed++;
      console.log(`NOT OK ${name}\n${error.stack}`);
    }
  }
  console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
  return failed;
}
