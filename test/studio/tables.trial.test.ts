import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { expectAccessible } from "../support/accessible.ts";
import { productTable, restedBatch } from "../support/batches.ts";
import { type Browser, chromiumPath, openBrowser, type Page } from "../support/browser.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { password, testService } from "../support/service.ts";
import { listen } from "../support/uploads.ts";
import { numberedVideo, requireJson } from "../support/work-videos.ts";

const service = await testService();
const { url: origin, stop } = listen(service);
const folder = await temporaryFolder();
afterAll(async () => {
  await stop();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

describe.skipIf(!chromiumPath)("in Chromium", () => {
  let browser: Browser;
  let page: Page;
  let tables = "";
  let orderTranslated: (budget: string) => Promise<string>;
  beforeAll(async () => {
    const email = `ann.${crypto.randomUUID()}@example.com`;
    const registered = await service.request("/api/auth/register", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password, name: "Ann" }),
    });
    const { accessToken } = await requireJson(registered);
    const withToken = (init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${accessToken}`);
      return { ...init, headers };
    };
    const user = {
      request: (path: string, init?: RequestInit) => service.request(path, withToken(init)),
      json: (method: string, path: string, body?: unknown) =>
        service.request(
          path,
          withToken({ method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
        ),
    };
    // safe because the table uses these functions alone
    const { projectId, base, path } = await productTable(
      user as never,
      await numberedVideo(folder, 100, 30),
      "Only today",
    );
    tables = `${origin}/studio/projects/${projectId}/tables`;
    orderTranslated = async (limit) => {
      const order = { base, rows: [{ name_de: "Rad" }], languages: ["de", "en"], budget: { limit } };
      const body = JSON.stringify({ ...order, models: { llm: { provider: "openai" } } });
      const headers = { "content-type": "application/json", "x-llm-api-key": "sk-not-called" };
      const { id } = await requireJson(user.request(path, { method: "POST", headers, body }));
      // safe because it reads alone
      await restedBatch(user as never, `${path}/${id}`);
      return id;
    };
    browser = await openBrowser();
    page = await browser.newPage();
    await page.look(1280, 860);
    await page.open(`${origin}/studio`);
    await page.until(`document.querySelector("form")`);
    const credentials = JSON.stringify(JSON.stringify({ email, password }));
    await page.evaluate(`fetch("/api/auth/session", { method: "POST", body: ${credentials},
      headers: { "content-type": "application/json", "x-reelwright-page": "1" } })`);
  });
  afterAll(async () => {
    await browser?.close();
  });

  const textOf = (selector: string) =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent`);
  const textsOf = (selector: string) =>
    page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.textContent)`);
  const click = (selector: string) => page.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
  const focus = (selector: string) => page.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);
  const enter = () => page.key("Enter", "Enter", "\r");
  const choose = (selector: string, value: string) =>
    page.evaluate(`(() => { const field = document.querySelector(${JSON.stringify(selector)}); field.value = ${JSON.stringify(value)};
      field.dispatchEvent(new Event("change", { bubbles: true })); })()`);
  const paste = (text: string) =>
    page.evaluate(`(() => { const data = new DataTransfer(); data.setData("text/plain", ${JSON.stringify(text)});
      document.querySelector(".source textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })); })()`);

  test("the first table is explained, and a sample shows how it is done", async () => {
    await page.open(tables);
    await page.until(`document.querySelector(".teaching")`);
    expect(await textOf("h1")).toBe("Tables");
    await expectAccessible(page);
    await focus(".words .button");
    await enter();
    await page.until(`document.querySelector(".source textarea")`);
    expect(await page.evaluate("location.pathname")).toEndWith("/tables/new");
    await page.until(`document.querySelector(".choices select")`);
    await focus(".order .button");
    await enter();
    await page.until(`document.querySelector(".source .wrong")`);
    expect(await textOf(".source .wrong")).toBe("Paste a table, or choose a file first.");
    await expectAccessible(page);
    await focus(".source .plain");
    await enter();
    await page.until(`document.querySelector(".slots")`);
    expect(await textsOf(".source tbody tr:first-child td")).toEqual(["Sunrise Coffee", "€ 9.50"]);
    expect(await textsOf(".slots label")).toEqual(["name", "Only today"]);
    expect(await textOf(".slots .hint")).toBe("Sunrise Coffee");
    await expectAccessible(page);
  });

  test("what is no table is refused with a sentence beside it", async () => {
    await click(".source .plain");
    await page.until(`document.querySelector(".source textarea")`);
    await paste("a\ta\n1\t2");
    await page.until(`document.querySelector(".source .wrong")`);
    expect(await textOf(".source .wrong")).toContain('two columns with the name "a"');
    await click(".source .plain");
    await page.until(`document.querySelector(".source textarea")`);
  });

  const row = (sku: number, de: string, en = de) => `${sku}\t${de}\t${en}\t${sku},50 €`;
  const header = "sku\tartikel_de\tartikel_en\tpreis";

  test("rows of a spreadsheet are pasted, mapped and checked; errors are paged", async () => {
    const twice = Array.from({ length: 30 }, (_, index) => row(index + 1, "Rad"));
    await paste([header, ...twice, row(1, "again")].join("\r\n"));
    await page.until(`document.querySelector(".slots")`);
    await click(".order .button");
    await page.until(`document.querySelector(".slots .wrong")`);
    expect(await textOf(".slots .wrong")).toBe("Choose the column for this text.");
    await choose(".slots select", "artikel");
    await choose(".slots li:last-child select", "preis");
    await page.until(`document.querySelectorAll('.slots [data-filled="true"]').length === 2`);
    await click(".order .button");
    await page.until(`document.querySelector(".source .wrong")`);
    expect(await textOf(".source .wrong")).toContain("must differ from that of row 1");

    // a sign that no font has, another one in each row, in a text that runs into the other one
    const strange = (index: number) => String.fromCodePoint(0xf0000 + index);
    const emoji = Array.from({ length: 30 }, (_, index) => row(index + 1, `Rad ${strange(index)}`, "Bike"));
    await click(".source .plain");
    await page.until(`document.querySelector(".source textarea")`);
    await paste([header, ...emoji].join("\r\n"));
    await page.until(`document.querySelector(".slots")`);
    await choose(".slots select", "artikel");
    await page.until(`document.querySelectorAll('.slots [data-filled="true"]').length === 1`);
    await click(".order .button");
    await page.until(`document.querySelector(".sheet caption")`);
    expect(await textOf(".card > .state")).toBe("All rows are valid. Films: 60");
    expect(await textsOf(".sheet caption + thead + tbody tr:first-child > :not(:last-child)")).toEqual([
      ...["1", "artikel_de", "de", ""],
    ]);
    expect(await textOf(".sheet .pages")).toContain("1 to 25 of 63");
    for (const shown of ["26 to 50 of 63", "51 to 63 of 63"]) {
      await click(".sheet .pages button:last-child");
      await page.until(`document.querySelector(".sheet .pages").textContent.includes("${shown}")`);
    }
    // what concerns all rows is said once
    expect(await textsOf(".sheet tbody tr:last-child > :not(:last-child)")).toContain("1–30");
    expect(await textsOf(".sheet tbody td")).toContain("de, en");
    await expectAccessible(page);
  });

  test("three films come first, then the wall of all; each is approved or rejected with a note", async () => {
    await click(".source .plain");
    await page.until(`document.querySelector(".source textarea")`);
    await paste([header, row(1, "Rad", "Bike"), row(2, "Helm", "Helmet")].join("\n"));
    await page.until(`document.querySelector(".slots")`);
    await choose(".slots select", "artikel");
    await page.until(`document.querySelectorAll('.slots [data-filled="true"]').length === 1`);
    await click(".order .button");
    await page.until(`document.querySelector(".order .button").textContent === "Make the first three of 4 films"`);
    await click(".order .button");
    await page.until(`document.querySelector(".wall")`);
    await page.until(`document.querySelectorAll(".wall .wall-film video").length === 3`);
    await page.until(`document.querySelector(".actions .button")?.textContent === "These are right: make the other 1"`);
    await expectAccessible(page);
    await focus(".actions .button");
    await enter();
    await page.until(`document.querySelector(".state").dataset.state === "done"`);
    await page.until(`document.querySelectorAll(".wall .wall-film video").length === 4`);
    expect(await textOf(".state")).toBe("All films are ready: 4");
    expect(await page.evaluate(`document.querySelector(".actions .button").href`)).toEndWith("/archive.zip");
    expect(await textsOf(".wall .wall-film b")).toEqual(
      ["1", "1", "2", "2"].map((key) => (key === "1" ? "Row 1" : "Row 2")),
    );

    await focus(".wall .wall-film");
    await enter();
    await page.until(`document.querySelector(".viewer")?.open`);
    await page.until(`document.querySelector(".viewer video").readyState >= 2`);
    await expectAccessible(page);
    await focus(".viewer textarea");
    await page.type("Too dark");
    await click(".viewer .actions .plain");
    await page.until(`document.querySelector(".viewer h2").textContent.startsWith("Row 1 · English")`);
    await focus(".viewer .button");
    await enter();
    await page.until(`document.querySelectorAll(".wall .mark").length === 2`);
    await page.key("Escape");
    await page.until(`!document.querySelector(".viewer")`);
    expect(await textsOf(".wall .mark")).toEqual(["Rejected", "Approved"]);
    expect(await textOf(".wall .said")).toBe("Too dark");
    await choose(".wall select", "approved");
    await page.until(`document.querySelectorAll(".wall .wall-film").length === 1`);
    await expectAccessible(page);
  });

  test("a row that cannot be made says why on the wall, and the list of tables has its state", async () => {
    await page.open(`${tables}/new`);
    await page.until(`document.querySelector(".source textarea")`);
    await page.until(`document.querySelector(".choices select")`);
    await paste("name_de\tname_en\tother\nRad\tBike\tx");
    await page.until(`document.querySelector(".slots")`);
    await click(".check input");
    await click(".order .button");
    await page.until(`document.querySelector(".order .button").textContent === "Make the films: 2"`);
    await click(".order .button");
    await page.until(`document.querySelector(".state")?.dataset.state === "done"`);
    await click("main p a");
    await page.until(`document.querySelectorAll(".batches li").length === 2`);
    expect(await textsOf(".batches .state")).toEqual(["All films are ready: 2", "All films are ready: 4"]);
    await expectAccessible(page);
  });

  test("rows become films of their own from a brief, within a budget", async () => {
    await page.open(`${tables}/new`);
    await page.until(`document.querySelector(".choices select")`);
    await choose(".choices select", "");
    await page.until(`document.querySelector(".choices textarea")`);
    await paste("name\tprice\nTea\t€ 2\nCocoa\t€ 3");
    await click(".order .button");
    await page.until(`document.querySelector(".choices textarea[aria-invalid=true]") === document.activeElement`);
    await page.type("{{name}}: roasted today, for {{price}}.");
    await focus(".order .button");
    await page.until(`document.querySelector(".slots")`);
    expect(await textsOf(".slots .hint")).toEqual(["Tea", "€ 2"]);
    await focus("[inputmode=decimal]");
    await page.type("much");
    await click(".order .button");
    await page.until(`document.querySelector("[inputmode=decimal][aria-invalid=true]") === document.activeElement`);
    await expectAccessible(page);
    await page.evaluate(`document.activeElement.select()`);
    await page.type("2,50");
    await click(".order .button");
    await page.until(`document.querySelector(".card > .state")`);
    expect(await textOf(".card > .state")).toBe("All rows are valid. Films: 2");
    expect(await textOf(".order .button")).toBe("Make the films: 2");
    await expectAccessible(page);
  });

  test("a table that waits for its budget takes another one", async () => {
    await page.open(`${tables}/${await orderTranslated("0")}`);
    await page.until(`document.querySelector(".one-field input")`);
    await expectAccessible(page);
    await focus(".one-field input");
    await page.type("much");
    await enter();
    await page.until(`document.querySelector("[role=alert]")`);
    await page.evaluate(`document.activeElement.select()`);
    await page.type("0,01");
    await enter();
    // still less than the model may cost: it goes on, and waits again
    const state = `document.querySelector(".state")`;
    await page.until(`${state}.textContent.includes("0.01") && ${state}.dataset.state === "waiting"`);
  });

  test("nothing was refused or fetched from elsewhere", () => {
    expect(page.problems).toEqual([]);
    expect(page.requested.filter((url) => !url.startsWith(origin) && !/^(blob|data):/.test(url))).toEqual([]);
  });
});
