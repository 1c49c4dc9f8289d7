// How fast pages of runs are: node measure.mjs PACKAGES PAGE... Prints, of each, its size, the time from opening to the first
// picture, and the pictures a second while it plays, with what drew them. docs/report.md has the figures.
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [packages, ...paths] = process.argv.slice(2);
const { chromium } = createRequire(resolve(packages, "package.json"))("playwright-core");
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

// Pictures that were drawn within `seconds` of playing; a browser that is too slow asks for fewer.
const playing = (seconds) =>
  new Promise((done) => {
    const begin = performance.now();
    const clock = document.querySelector(".clock");
    let [pictures, last] = [0, clock.textContent];
    const look = (now) => {
      if (clock.textContent !== last) pictures++;
      last = clock.textContent;
      if (now - begin < 1000 * seconds) requestAnimationFrame(look);
      else done({ pictures, rate: (1000 * pictures) / (now - begin) });
    };
    requestAnimationFrame(look);
  });

// Processor time of the whole browser so far: unlike the clock it does not depend on what else the machine does.
const system = await browser.newBrowserCDPSession();
const spent = async () => (await system.send("SystemInfo.getProcessInfo")).processInfo.reduce((sum, p) => sum + p.cpuTime, 0);

for (const path of paths) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  await page.addInitScript(() => {
    // the first picture is there when something has been drawn
    for (const name of ["drawArrays", "drawElements"]) {
      const draw = WebGL2RenderingContext.prototype[name];
      WebGL2RenderingContext.prototype[name] = function (...args) {
        draw.apply(this, args);
        if (!window.firstPicture) this.finish(), (window.firstPicture = performance.now());
      };
    }
  });
  const idle = await spent();
  await page.goto(`file://${resolve(path)}`);
  await page.waitForSelector("html[data-ready]");
  while (!(await page.evaluate(() => window.firstPicture))) await page.waitForTimeout(20);
  const opening = (await spent()) - idle;
  await page.waitForTimeout(1500);
  const first = await page.evaluate(() => window.firstPicture);
  const heap = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
  const by = await page.evaluate(() => {
    const gl = document.createElement("canvas").getContext("webgl2");
    return gl.getParameter(gl.getExtension("WEBGL_debug_renderer_info").UNMASKED_RENDERER_WEBGL);
  });
  const rates = [];
  await page.locator(".rate select").selectOption("0.05"); // so that it does not end
  for (const chains of [false, true]) {
    await page.locator(".tools input[type=checkbox]").setChecked(chains);
    await page.locator(".time").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press(" ");
    await page.waitForTimeout(700); // to find its pace
    const before = await spent();
    const { pictures, rate } = await page.evaluate(playing, 3);
    rates.push(`${rate.toFixed(0)} (${((1000 * ((await spent()) - before)) / pictures).toFixed(0)} ms of processor time each)`);
    await page.locator(".time").focus();
    await page.keyboard.press(" ");
  }
  const megabytes = (n) => (n / 1e6).toFixed(1);
  console.log(
    `${path}: ${megabytes(statSync(path).size)} MB, first picture after ${(first / 1000).toFixed(2)} s (${opening.toFixed(2)} s of processor time), ` +
      `${rates[0]} pictures a second, ${rates[1]} with force chains, heap ${megabytes(heap)} MB; drawn by ${by}`,
  );
  await page.close();
}
await browser.close();
