import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectAccessible } from "../support/accessible.ts";
import { type Browser, chromiumPath, openBrowser, type Page } from "../support/browser.ts";
import { testService } from "../support/service.ts";
import { listen } from "../support/uploads.ts";

const service = await testService();
const { url: origin, stop } = listen(service);
afterAll(async () => {
  await stop();
  await service.close();
});

describe.skipIf(!chromiumPath)("in Chromium", () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
    await page.look(1280, 860);
  });
  afterAll(async () => {
    await browser?.close();
  });

  test("the page at / is accessible", async () => {
    await page.open(`${origin}/`);
    await page.until(`document.querySelector("h1")`);
    await expectAccessible(page);
  });

  test("the page of the API is accessible, also with an operation that is open", async () => {
    await page.open(`${origin}/docs`);
    await page.until(`document.querySelectorAll(".opblock-tag[aria-level]").length > 5`);
    await expectAccessible(page);
    await page.evaluate(`document.querySelector("#operations-tag-Tokens").click()`);
    await page.until(`document.querySelector(".opblock-summary-control")`);
    await page.evaluate(`document.querySelector(".opblock-summary-control").click()`);
    await page.until(`document.querySelector(".opblock-body .execute")`);
    await page.until(`location.hash.startsWith("#/Tokens/")`);
    await expectAccessible(page, ".opblock.is-open");
    await page.evaluate(
      `[...document.querySelectorAll(".tablinks")].find((tab) => tab.textContent === "Schema").click()`,
    );
    await page.until(`document.querySelector(".json-schema-2020-12")`);
    await expectAccessible(page, ".opblock.is-open");
    await page.evaluate(`document.querySelector(".auth-wrapper .authorize").click()`);
    await page.until(`document.querySelector(".modal-ux .auth-container")`);
    await expectAccessible(page, ".modal-ux");
    expect(page.problems).toEqual([]);
  });
});
