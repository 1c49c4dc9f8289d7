// The page of a run as a picture, at its end and with force chains: node picture.mjs PACKAGES PAGE PICTURE.
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [packages, page_, picture] = process.argv.slice(2);
const { chromium } = createRequire(resolve(packages, "package.json"))("playwright-core");
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
const page = await browser.newPage({ viewport: { width: 1100, height: 820 } });
await page.goto(`file://${resolve(page_)}`);
await page.waitForSelector("html[data-ready]");
await page.locator(".time").focus();
await page.keyboard.press("End");
await page.locator(".tools input[type=checkbox]").check();
await page.waitForTimeout(1500);
await page.screenshot({ path: picture });
await browser.close();
