// The book of the papers in a real browser: node book.mjs PACKAGES BOOK FOLDER. Screenshots stay in FOLDER.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { runTests, start } from "./chromium.mjs";

const [packages, book, folder] = process.argv.slice(2);
if (!existsSync(book)) {
  console.log(`skipped: ${book} was not made`);
  process.exit(77);
}
const { open, accessible, close } = await start(packages);
const path = resolve(book);

const tests = {
  async "silent, accessible, by keyboard"() {
    const page = await open(path);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "To the book");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.getElementById("book").contains(document.activeElement)), "the skip link does not skip");
    assert.equal(await page.locator("main h1").count(), 1);
    assert.ok((await page.locator(".entry svg").count()) > 30, "pictures are missing");
    await page.screenshot({ path: join(folder, "book.png") });
    await accessible(page, "book");
    page.quiet();
    await page.close();
  },

  async "pictures keep their own styles"() {
    const page = await open(path);
    const style = (selector, name) => page.evaluate(([s, n]) => [...document.querySelectorAll(s)].map((t) => getComputedStyle(t)[n]), [selector, name]);
    const bold = (await style("svg [class$='-title']", "fontWeight")).filter((w) => w === "700");
    assert.ok(bold.length > 30, `${bold.length} titles are bold`);
    const grey = (await style("svg [class$='-subtitle']", "fill")).filter((f) => f === "rgb(85, 85, 85)");
    assert.ok(grey.length > 5, `${grey.length} subtitles are grey: a rule of text wins over one of a class`);
    assert.ok((await style("defs [class$='-off']", "fill")).every((f) => f === "rgb(255, 255, 255)"), "what <use> shows lost its class");
    await page.close();
  },

  async "dark, on a phone, printed"() {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(path, { viewport: { width: 360, height: 740 }, colorScheme });
      const wide = await page.evaluate(() => document.scrollingElement.scrollWidth);
      assert.ok(wide <= 360, `${wide} pixels wide on a phone of 360`);
      const [, lightness] = await page.evaluate(() => ["body", getComputedStyle(document.body).backgroundColor.match(/\d+/g).reduce((a, b) => a + +b, 0) / 3]);
      assert.ok(colorScheme === "dark" ? lightness < 60 : lightness > 200, `${colorScheme}: ${lightness}`);
      await accessible(page, `book, ${colorScheme}, on a phone`);
      await page.screenshot({ path: join(folder, `book-phone-${colorScheme}.png`) });
      page.quiet();
      await page.close();
    }
    const page = await open(path, { colorScheme: "dark" });
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    assert.equal(await page.locator("nav").isVisible(), false);
    await page.close();
  },
};

const failed = await runTests(tests);
await close();
process.exit(failed ? 1 : 0);
