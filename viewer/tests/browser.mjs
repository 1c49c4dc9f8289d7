// Pages in a real browser: node browser.mjs STICKSLIP PACKAGES FOLDER. Chromium opens them from disk; screenshots stay in
// FOLDER. Exit status 77 where there is no Chromium.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { makePages, SHOWN } from "./pages.mjs";

const [stickslip, packages, folder] = process.argv.slice(2);
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const need = createRequire(resolve(packages, "package.json"));
let playwright, axe;
try {
  playwright = need("playwright-core");
  axe = readFileSync(need.resolve("axe-core/axe.min.js"), "utf8");
} catch {
  console.log("skipped: playwright-core or axe-core is not installed");
  process.exit(77);
}
if (!chromium) {
  console.log("skipped: no Chromium (Debian: chromium)");
  process.exit(77);
}

const pages = makePages(stickslip, folder);
const browser = await playwright.chromium.launch({
  executablePath: chromium,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

// A page that must be silent: no message, no error, no dialog, no request but for itself.
async function open(path, options = {}) {
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

async function settle(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

const pixels = (page) => page.locator(".picture canvas").first().evaluate((c) => c.toDataURL());
const time = (page) => page.locator(".clock").first().textContent();

async function accessible(page, name) {
  await page.evaluate(axe);
  const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const serious = result.violations.filter((v) => ["serious", "critical"].includes(v.impact));
  assert.deepEqual(
    serious.map((v) => `${name}: ${v.id}: ${v.nodes[0].html.slice(0, 120)}`),
    [],
  );
}

async function harmless(page, texts) {
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator("#page img, #page script, #page a").count(), 0);
  const shown = await page.evaluate(() => document.getElementById("page").textContent);
  for (const text of texts) assert.ok(shown.includes(text), `not shown as text: ${text}`);
}

const tests = {
  async "a run: slider, play, picking, keys"() {
    const page = await open(pages.run);
    await harmless(page, [SHOWN]);
    await settle(page);
    await page.waitForTimeout(300);
    const before = await pixels(page);
    await page.locator(".time").focus();
    await page.keyboard.press("End");
    await settle(page);
    assert.equal(await time(page), "1.2 s");
    const after = await pixels(page);
    assert.notEqual(before, after, "the slider does not move the bodies");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    assert.equal(await time(page), "0.01 s");
    await page.keyboard.press(" ");
    for (let k = 0; k < 100 && parseFloat(await time(page)) <= 0.05; k++) await page.waitForTimeout(50);
    assert.ok(parseFloat(await time(page)) > 0.05, "the run does not play");
    await page.keyboard.press(" ");
    await page.screenshot({ path: join(folder, "run.png"), fullPage: true });
    page.quiet();
    await page.close();
  },

  async "a run: a click picks a body, and keys do"() {
    const page = await open(pages.run);
    await page.locator(".time").focus();
    await page.keyboard.press("End");
    await settle(page);
    const canvas = page.locator(".picture canvas").first();
    await canvas.focus();
    await page.keyboard.press("n");
    await page.waitForSelector(".inspector h3");
    assert.ok((await page.locator(".inspector h3").textContent()).includes("ball</script>"));
    // where the label points to, a click finds the same body
    const [box, tag] = [await canvas.boundingBox(), await page.locator(".tag").evaluate((t) => [parseFloat(t.style.left), parseFloat(t.style.top)])];
    await page.keyboard.press("Escape");
    await settle(page);
    assert.equal(await page.locator(".inspector h3").count(), 0);
    await canvas.click({ position: { x: Math.min(box.width - 2, tag[0]), y: Math.min(box.height - 2, tag[1]) } });
    await page.waitForSelector(".inspector h3");
    assert.ok(await page.locator(".picked figure").count(), "no curves of the picked body");
    const still = await pixels(page);
    await page.keyboard.press("ArrowLeft");
    await settle(page);
    assert.notEqual(still, await pixels(page), "arrow keys do not turn the view");
    await page.locator(".tools select").selectOption("status");
    await page.locator(".tools input[type=checkbox]").check();
    await settle(page);
    await accessible(page, "run");
    await harmless(page, [SHOWN]);
    page.quiet();
    await page.close();
  },

  async "a run: dark, and on a phone"() {
    const page = await open(pages.run, { viewport: { width: 360, height: 740 }, colorScheme: "dark" });
    await settle(page);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(16, 20, 24)");
    const wide = await page.evaluate(() => document.scrollingElement.scrollWidth);
    assert.ok(wide <= 360, `${wide} pixels wide on a phone of 360`);
    await accessible(page, "run, dark");
    await page.screenshot({ path: join(folder, "run-phone-dark.png"), fullPage: true });
    page.quiet();
    await page.close();
  },

  async "results of every kind"() {
    const page = await open(pages.results);
    await harmless(page, [SHOWN]);
    assert.equal(await page.locator("section.card").count(), 10);
    assert.equal(await page.locator(".missing").count(), 0);
    for (const text of ["solved", "no solution", "none", "3 solutions", "kinds of solution sets", "2 folds", "Performance profile", "Convergence"])
      assert.ok(await page.getByText(text).count(), `no "${text}"`);
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(folder, "results.png"), fullPage: true });
    await accessible(page, "results");
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: "dark" });
    await settle(page);
    const wide = await page.evaluate(() => document.scrollingElement.scrollWidth);
    assert.ok(wide <= 360, `${wide} pixels wide on a phone of 360`);
    await page.screenshot({ path: join(folder, "results-phone-dark.png"), fullPage: true });
    page.quiet();
    await page.close();
  },

  async "a mechanism and elastic bodies"() {
    const page = await open(pages.tables);
    await page.waitForTimeout(300);
    assert.ok((await page.locator(".marks i").count()) > 0, "no events on the time axis");
    const mesh = page.locator("canvas.mesh");
    const before = await mesh.evaluate((c) => c.toDataURL());
    await page.locator(".time").nth(1).focus();
    await page.keyboard.press("Home");
    await settle(page);
    assert.notEqual(before, await mesh.evaluate((c) => c.toDataURL()), "the mesh does not move");
    await page.screenshot({ path: join(folder, "tables.png"), fullPage: true });
    await accessible(page, "tables");
    page.quiet();
    await page.close();
  },
};

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
await browser.close();
console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
