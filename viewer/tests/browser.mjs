// Pages in a real browser: node browser.mjs STICKSLIP PACKAGES FOLDER. Chromium opens them from disk; screenshots stay in
// FOLDER. Exit status 77 where there is no Chromium.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runTests, start } from "./chromium.mjs";
import { makePages, SHOWN } from "./pages.mjs";

const [stickslip, packages, folder] = process.argv.slice(2);
const { browser, open, accessible, close } = await start(packages);
const pages = makePages(stickslip, folder);

async function settle(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

const pixels = async (page) => (await page.locator(".picture canvas").first().screenshot()).toString("base64");
const time = (page) => page.locator(".clock").first().textContent();

// Dark, and 360 pixels wide: nothing sticks out, and it is still accessible.
async function onPhone(path, name) {
  const page = await open(path, { viewport: { width: 360, height: 740 }, colorScheme: "dark" });
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(16, 20, 24)");
  const wide = await page.evaluate(() => document.scrollingElement.scrollWidth);
  assert.ok(wide <= 360, `${wide} pixels wide on a phone of 360`);
  await accessible(page, `${name}, dark`);
  await page.screenshot({ path: join(folder, `${name}-phone-dark.png`), fullPage: true });
  page.quiet();
  await page.close();
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

  async "a run: a contact and a joint over time"() {
    const page = await open(pages.run);
    await page.locator(".time").focus();
    await page.keyboard.press("End");
    await page.locator(".picture canvas").first().focus();
    for (let k = 0; k < 3; k++) await page.keyboard.press("n");
    await page.waitForSelector('.inspector h3:has-text("ball 2")');
    const plots = page.locator(".picked figcaption");
    assert.equal(await plots.count(), 3);
    await page.locator('.inspector button[data-key^="contact-"]').first().press("Enter");
    await page.waitForFunction(() => document.querySelectorAll(".picked figure").length === 6);
    assert.match(await plots.nth(3).textContent(), /^Contact of ball 2 and /);
    await page.locator('.inspector button[data-key="link-0"]').press("Enter");
    await page.waitForFunction(() => document.querySelectorAll(".picked figure").length === 7);
    assert.match(await plots.nth(6).textContent(), /^What pin .* bears/);
    const focused = await page.evaluate(() => document.activeElement.dataset.key);
    assert.equal(focused, "link-0", "the focus is lost");
    // the pin bears a force, which the table names
    const force = await page.locator(".inspector tr", { hasText: "pin" }).locator("td").nth(1).textContent();
    assert.ok(parseFloat(force) > 0, `a force of ${force}`);
    const without = await pixels(page);
    await page.locator(".tools input[type=checkbox]").check();
    await settle(page);
    assert.notEqual(without, await pixels(page), "no chains");
    await accessible(page, "run, picked");
    await harmless(page, [SHOWN]);
    await page.screenshot({ path: join(folder, "run-picked.png"), fullPage: true });
    page.quiet();
    await page.close();
  },

  async "a run: what its steps took"() {
    const page = await open(pages.run);
    const plot = page.locator("figure", { hasText: "Time of computing" });
    await plot.locator("canvas").waitFor();
    const moment = () => plot.locator(".moment").evaluate((line) => line.style.transform);
    await page.locator(".time").focus();
    await page.keyboard.press("Home");
    const before = await moment();
    await page.keyboard.press("End");
    assert.notEqual(await moment(), before, "the plot does not follow the slider");
    assert.ok(parseFloat(await page.locator(".facts div", { hasText: "time of computing" }).locator("dd").textContent()) > 0);
    page.quiet();
    await page.close();
  },

  async "a run: dark, and on a phone"() {
    await onPhone(pages.run, "run");
  },

  async "a scene from event to event: bodies move, events are marked and can be gone to"() {
    const page = await open(pages.events);
    await harmless(page, [SHOWN]);
    await page.waitForTimeout(300);
    const events = await page.locator(".marks i.impact").count();
    assert.ok(events > 2, `${events} impacts on the time axis`);
    const before = await pixels(page);
    // at its first impact the ball touches the tray
    const first = page.locator("tbody button").first();
    await first.click();
    assert.ok(Math.abs(parseFloat(await time(page)) - parseFloat(await first.textContent())) < 1e-3);
    await settle(page);
    assert.notEqual(await pixels(page), before, "the bodies do not move");
    await page.locator(".picture canvas").first().focus();
    await page.keyboard.press("n");
    await page.waitForSelector(".inspector h3");
    const place = (await page.locator(".inspector dd").first().textContent()).split(",").map(Number);
    assert.ok(Math.abs(place[2] - 0.1) < 0.01, `the ball is at ${place}`);
    assert.equal(await page.locator(".picked figure").count(), 3);
    assert.equal(await page.locator(".inspector td", { hasText: "not recorded" }).count(), 2, "what a spring bears is not known");
    // it rests on the tray in the end, which bears its weight
    await page.locator(".time").focus();
    await page.keyboard.press("End");
    await settle(page);
    const row = page.locator(".inspector tr", { hasText: "tray" });
    assert.ok(parseFloat(await row.locator("td").nth(1).textContent()) > 1, "no force");
    const without = await pixels(page);
    await page.locator(".tools input[type=checkbox]").check();
    await settle(page);
    assert.notEqual(without, await pixels(page), "no chains");
    await accessible(page, "events");
    await page.screenshot({ path: join(folder, "events.png"), fullPage: true });
    page.quiet();
    await page.close();
    await onPhone(pages.events, "events");
  },

  async "results of every kind"() {
    const page = await open(pages.results);
    await harmless(page, [SHOWN]);
    assert.equal(await page.locator("section.card").count(), 10);
    assert.equal(await page.locator(".missing").count(), 0);
    for (const text of ["solved", "no solution", "none", "3 solutions", "kinds of solution sets", "2 folds", "Performance profile", "Convergence"])
      assert.ok(await page.getByText(text).count(), `no "${text}"`);
    // reactions point where they point: that of slip is on the edge of the cone, r_T = -mu r_N, mu = 3/2
    const line = page.locator("article.solution", { hasText: "slip+" }).locator("line.reaction");
    const ends = await line.evaluate((l) => ["x1", "y1", "x2", "y2"].map((name) => Number(l.getAttribute(name))));
    assert.ok(Math.abs((ends[2] - ends[0]) / (ends[3] - ends[1]) - 1.5) < 1e-6, `a reaction from ${ends.join(", ")}`);
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(folder, "results.png"), fullPage: true });
    await accessible(page, "results");
    page.quiet();
    await page.close();
    await onPhone(pages.results, "results");
  },

  async "a mechanism and elastic bodies"() {
    const page = await open(pages.tables);
    await page.waitForTimeout(300);
    assert.ok((await page.locator(".marks i").count()) > 0, "no events on the time axis");
    // marks, modes and the slider have one axis of time, and the page says what it shows
    const [marks, strip] = [await page.locator(".marks").first().boundingBox(), await page.locator(".strip").first().boundingBox()];
    assert.deepEqual([marks.x, marks.width], [strip.x, strip.width]);
    assert.ok(await page.getByText("stick and slip of one element").count(), "no title");
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
    await onPhone(pages.tables, "tables");
  },
};

// ---- a server -----------------------------------------------------------------------------------

// A folder that is served, and a run in it that is going on; null: this build cannot.
async function serve(work) {
  if (!execFileSync(stickslip, ["info", "--json"], { encoding: "utf8" }).includes('"microhttpd": true')) return;
  const here = join(folder, "served");
  rmSync(here, { recursive: true, force: true });
  mkdirSync(here);
  const server = spawn(stickslip, ["serve", here, "--port", "0", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  const said = await new Promise((done) => {
    let text = "";
    server.stdout.on("data", (more) => (text += more) && /}\s*$/.test(text) && done(JSON.parse(text)));
  });
  const simulate = spawn(stickslip, ["simulate", join(folder, "slow.json"), "-q", "--save-every", "0.5", "-o", join(here, "slow.h5")], { stdio: "ignore" });
  try {
    await work(said.address, simulate, here);
  } finally {
    simulate.kill();
    server.kill();
    await new Promise((done) => (server.exitCode === null ? server.on("exit", done) : done()));
    assert.equal(server.exitCode, 0);
  }
}

tests["a server: a run that is going on"] = () =>
  serve(async (address, simulate, here) => {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    const trouble = [];
    page.on("console", (m) => m.type() === "error" && trouble.push(m.text()));
    page.on("pageerror", (e) => trouble.push(e.message));
    page.on("request", (r) => !r.url().startsWith(address) && !r.url().startsWith("data:") && trouble.push(r.url()));
    for (let k = 0; k < 100 && !existsSync(join(here, "slow.h5.parts/00000000.h5")); k++) await page.waitForTimeout(100);
    await page.goto(address);
    await accessible(page, "listing");
    await page.screenshot({ path: join(folder, "listing.png") });
    await page.getByRole("link", { name: "slow.h5" }).first().click();
    await page.waitForSelector("html[data-ready]");
    await page.locator(".tools select").selectOption("status");
    const seen = parseFloat(await time(page));
    assert.ok(seen > 0, "a run that is going on is shown where it is");
    for (let k = 0; k < 900 && !(parseFloat(await time(page)) > seen); k++) await page.waitForTimeout(100);
    assert.ok(parseFloat(await time(page)) > seen, "the page stays where the run was");
    assert.equal(await page.locator(".tools select").inputValue(), "status", "what was chosen is forgotten");
    assert.ok(await page.getByText("The page follows the run").count());
    // one who looks at an earlier moment is left there
    await page.locator(".time").focus();
    await page.keyboard.press("Home");
    const steps = () => page.locator(".facts dd").nth(2).textContent();
    const before = await steps();
    for (let k = 0; k < 900 && (await steps()) === before; k++) await page.waitForTimeout(100);
    assert.notEqual(await steps(), before, "the page does not follow the run");
    assert.equal(parseFloat(await time(page)), 0);
    await page.screenshot({ path: join(folder, "live.png") });
    assert.deepEqual(trouble, []);
    await page.close();
  });

const failed = await runTests(tests);
await close();
process.exit(failed ? 1 : 0);
