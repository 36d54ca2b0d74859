import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectAccessible } from "../support/accessible.ts";
import { type Browser, chromiumPath, openBrowser, type Page } from "../support/browser.ts";
import { eventsOf } from "../support/events.ts";
import { jsonClient } from "../support/json-client.ts";
import { password, testService } from "../support/service.ts";
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
  let api: ReturnType<typeof jsonClient>;
  let project: { id: string };
  let film: { id: string; workId: string };
  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
    await page.look(1280, 860);
    const ann = await service.register("Ann");
    api = jsonClient(ann);
    project = (await api("POST", "/api/projects", { name: "Tea" })).body;
    const order = { brief: { text: "Tiny tea" }, seconds: 3, scenes: 1, resolution: { width: 108, height: 192 } };
    film = (await api("POST", `/api/projects/${project.id}/films`, order)).body;
    await Array.fromAsync(eventsOf(await ann.request(`/api/projects/${project.id}/films/${film.id}/events`)));
    await page.open(`${origin}/studio`);
    const login = JSON.stringify({ email: ann.user.email, password });
    await page.evaluate(`fetch("/api/auth/session", { method: "POST", body: ${JSON.stringify(login)},
      headers: { "content-type": "application/json", "x-reelwright-page": "1" } })`);
  });
  afterAll(async () => {
    await browser?.close();
  });

  const open = async (place: string) => {
    await page.open(`${origin}/studio/projects/${project.id}${place}`);
    await page.until(`document.querySelector("h1")`);
  };
  const textOf = (selector: string) =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent`);
  /** What a person can reach: an open dialog covers the rest. */
  const reachable = `(document.querySelector("dialog[open]") ?? document)`;
  const click = async (selector: string) => {
    const found = `${reachable}.querySelector(${JSON.stringify(selector)})`;
    await page.until(found);
    await page.evaluate(`${found}.click()`);
  };
  const button = (text: string) =>
    `[...${reachable}.querySelectorAll("button")].findLast((each) => each.textContent.startsWith(${JSON.stringify(text)}))`;
  const press = async (text: string) => {
    await page.until(`${button(text)} && !${button(text)}.disabled`);
    await page.evaluate(`${button(text)}.click()`);
  };
  const fill = async (selector: string, text: string) => {
    const found = `${reachable}.querySelector(${JSON.stringify(selector)})`;
    await page.until(found);
    await page.evaluate(`(() => { const field = ${found}; field.focus(); field.select(); })()`);
    await page.type(text);
  };
  const choose = (selector: string, value: string) =>
    page.evaluate(`(() => { const field = document.querySelector(${JSON.stringify(selector)});
      field.value = ${JSON.stringify(value)}; field.dispatchEvent(new Event("change", { bubbles: true })); })()`);
  /** Files of these bytes, as a person drops them. */
  const drop = (selector: string, files: readonly (readonly [name: string, type: string, base64: string])[]) =>
    page.evaluate(`(() => { const dataTransfer = new DataTransfer();
      for (const [name, type, bytes] of ${JSON.stringify(files)})
        dataTransfer.items.add(new File([Uint8Array.fromBase64(bytes)], name, { type }));
      document.querySelector(${JSON.stringify(selector)}).dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true })); })()`);

  const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
  const noPicture = Buffer.from("<p>This is a page.</p>").toString("base64");

  test("an edit of another service is dropped, its differences are read, and it opens in the editor", async () => {
    const clip = { asset: { type: "title", text: "Tea", style: "minimal" }, start: 0, length: 2, sparkle: true };
    const edit = { timeline: { tracks: [{ clips: [clip] }] }, output: { format: "mp4", resolution: "sd" } };
    const dropEdit = (text: string) =>
      drop(".words > .own-cut:last-child", [["edit.json", "application/json", Buffer.from(text).toString("base64")]]);
    await open("");
    await dropEdit("{");
    await page.until(`document.querySelector("dialog [role=alert]")`);
    expect(await textOf("dialog [role=alert]")).toBe("The file holds no JSON.");
    await press("Close");
    await page.until(`!document.querySelector("dialog")`);
    await dropEdit(JSON.stringify(edit));
    await page.until(`document.querySelector("dialog details")`);
    expect(await textOf("dialog details:last-of-type")).toContain("sparkle");
    await expectAccessible(page);
    await press("Open in the editor");
    await page.until(`location.pathname.includes("/works/") && document.querySelector("h1")`);
    const workId = await page.evaluate(`location.pathname.split("/").at(-1)`);
    await api("DELETE", `/api/projects/${project.id}/works/${workId}`);
  });

  test("each place of a project is a link away, and the one that shows is marked", async () => {
    await open("");
    const places = await page.evaluate(
      `[...document.querySelectorAll(".places a")].map((link) => [link.textContent, link.pathname.split("/").slice(4).join("/")])`,
    );
    expect(places).toContainEqual(["Films", ""]);
    for (const [name, path] of places) {
      await click(`.places a[href$="${path || project.id}"]`);
      await page.until(`location.pathname.endsWith(${JSON.stringify(path || project.id)})`);
      expect(await textOf(".places [aria-current=page]")).toBe(name);
    }
    // a film is inside of the films
    await open(`/films/${film.id}`);
    expect(await textOf(".places [aria-current=page]")).toBe("Films");
  });

  test("a project is made, renamed and removed, after a question that names what goes", async () => {
    await page.open(`${origin}/studio/projects`);
    await press("New project");
    await press("Create");
    await page.until(`document.querySelector("dialog .wrong")`);
    expect(await textOf("dialog .wrong")).toStartWith("Name ");
    await fill("dialog input", "Cofee");
    await page.key("Enter", "Enter", "\r");
    await page.until(`document.querySelector(".places select")?.selectedOptions[0]?.text === "Cofee"`);

    await page.open(`${origin}/studio/projects`);
    await press("Rename Cofee");
    await expectAccessible(page);
    await fill("dialog input", "Coffee");
    await press("Save");
    await press("Remove Coffee");
    await page.until(`document.querySelector("dialog p")`);
    expect(await textOf("dialog p")).toContain("films, videos, media, templates and exports");
    await page.evaluate(`document.querySelector("dialog .button").click()`);
    await page.until(`document.querySelectorAll(".lines li").length === 1`);
    await expectAccessible(page);
  });

  test("many dropped files arrive, and one that failed is sent again with one button", async () => {
    await open("/assets");
    await page.until(`document.querySelector(".empty")`);
    await expectAccessible(page);
    const pictures = Array.from({ length: 7 }, (_, index) => [`cup ${index}.png`, "image/png", dot] as const);
    // as on an address without TLS
    await page.evaluate("delete Crypto.prototype.randomUUID");
    await drop(".drop", [...pictures, ["page.png", "image/png", noPicture]]);
    await page.until(`document.querySelectorAll(".tiles li").length === 7`);
    await page.until(`document.querySelector(".uploads .wrong")`);
    expect(await textOf(".place > [role=status]")).toBe("Not uploaded: 1");
    await expectAccessible(page);
    await press("Try again page.png");
    await page.until(`document.querySelector(".uploads .wrong")`);
    await press("Skip it page.png");
    await page.until(`!document.querySelector(".uploads")`);
    expect(await textOf(".filter [role=status]")).toContain("Files: 7");
  });

  test("media are found by name and tag, and change", async () => {
    await click(".tiles button");
    await fill("dialog [name=tags]", "red, Mug");
    await expectAccessible(page);
    await press("Save");
    await page.until(`!document.querySelector("dialog")`);
    await fill("[type=search]", "mug");
    await page.until(`document.querySelectorAll(".tiles li").length === 1`);
    expect(await textOf(".filter [role=status]")).toBe("1 of 7");
    expect(await textOf(".tiles .soft")).toBe("red, Mug");
    await click(".tiles button");
    await press("Remove");
    await page.until(`document.querySelector("dialog h2").textContent.startsWith("Remove")`);
    await page.evaluate(`document.querySelector("dialog .button").click()`);
    await page.until(`document.querySelectorAll(".tiles li").length === 0`);
    expect(await textOf(".filter [role=status]")).toBe("0 of 6");
  });

  test("a brand shows while it is chosen, and on a frame of a film once it is saved", async () => {
    await open("/brand");
    await fill(".color .field input", "#0a7d5");
    await press("Save");
    await page.until(`document.querySelector(".colors .wrong")`);
    expect(await textOf(".colors .wrong")).toContain("CSS color");
    await fill(".color .field input", "#0a7d55");
    expect(await page.evaluate(`getComputedStyle(document.querySelector(".sketch")).backgroundImage`)).toContain(
      "rgb(10, 125, 85)",
    );
    await expectAccessible(page);
    await click(".strip label:nth-child(2) input");
    await press("Save");
    await page.until(`document.querySelector("img.screen")?.naturalWidth > 0`);
    expect(await textOf(".actions [role=status]")).toBe("Saved.");
    const { body } = await api("GET", `/api/projects/${project.id}`);
    expect(body.styleGuide.brand).toMatchObject({ palette: { primary: "#0a7d55" }, logo: { place: "top-right" } });
    await expectAccessible(page);
  });

  test("a template is taken over, its words and colors change, and it is applied to a video", async () => {
    await open("/templates");
    await press("Add to the project Price tag");
    await page.until(`document.querySelectorAll(".gallery")[0].querySelectorAll("li").length === 1`);
    await page.until(`document.querySelector(".gallery img").naturalWidth > 0`);
    await expectAccessible(page);
    await press("Edit Price tag");
    await page.until(`document.querySelector("dialog textarea")`);
    await fill("dialog [name=name]", "Offer");
    await fill("dialog textarea", "Only {{price}}");
    await expectAccessible(page);
    await press("Save");
    await press("Apply Offer");
    await page.until(`document.querySelector("dialog select option")`);
    await fill("dialog [name='value.price']", "5 €");
    await expectAccessible(page);
    await page.evaluate(`document.querySelector("dialog .button").click()`);
    await page.until(`document.querySelector("dialog .medium")?.naturalWidth > 0`);
    const { body } = await api("GET", `/api/projects/${project.id}/works/${film.workId}`);
    expect(JSON.stringify(body.editorState.textOverlays)).toContain("Only 5 €");
  });

  test("films and works that no film made are one list, and are removed from it", async () => {
    await api("POST", `/api/projects/${project.id}/works`, { name: "Imported" });
    await open("/works");
    await page.until(`document.querySelectorAll(".films li").length === 2`);
    const names = `[...document.querySelectorAll(".films b")].map((name) => name.textContent).join()`;
    expect(await page.evaluate(names)).toBe("Imported,Tiny tea");
    await expectAccessible(page);
    await click(".films .plain");
    await page.until(`document.querySelector("dialog .button")`);
    await click("dialog .button");
    await page.until(`${names} === "Tiny tea"`);
  });

  test("an export says how it was made, and is downloaded", async () => {
    await open("/exports");
    await click(".about summary");
    await page.until(`document.querySelector(".about p:not(.loading)")`);
    expect(await textOf(".about")).toContain("No generative model was used.");
    expect(await textOf(".about")).toContain("It was not checked");
    expect(await page.evaluate(`document.querySelector(".lines a").href`)).toContain("/api/exports/");
    expect(await textOf(".lines .state")).toBe("Ready.");
    await expectAccessible(page);
  });

  test("a budget is set, changed and removed", async () => {
    await page.open(`${origin}/studio/usage`);
    await press("Set a budget Tea");
    await fill("dialog input", "-1");
    await press("Save");
    await page.until(`document.querySelector("dialog .wrong")`);
    await fill("dialog input", "12.50");
    await expectAccessible(page);
    await press("Save");
    await page.until(`document.querySelector(".lines .soft")?.textContent === "$0.00 of $12.50 this month"`);
    await expectAccessible(page);
    await press("Remove the budget Tea");
    await page.until(`document.querySelector(".lines .soft").textContent === "No limit"`);
    expect(await textOf(".card p")).toStartWith("Nothing was spent.");
  });

  test("a key goes with one order, and stays nowhere", async () => {
    await open("");
    await page.evaluate(`document.querySelectorAll(".composer details")[2].open = true`);
    await page.until(`document.querySelectorAll(".composer details")[2].querySelectorAll("option").length > 8`);
    await choose(".composer details:nth-of-type(3) .field:nth-child(2) select", "gemini");
    await page.until(`document.querySelector("[type=password]")`);
    await fill(".composer textarea", "Tea for two");
    await click(".order .button");
    await page.until(`document.querySelector(".field:has([type=password]) .wrong")`);
    await expectAccessible(page);
    await fill("[type=password]", "key-of-a-test");
    await page.until(`document.querySelector(".order p").textContent.startsWith("Costs about $")`);
    expect(await page.evaluate("JSON.stringify(localStorage) + JSON.stringify(sessionStorage)")).not.toContain(
      "key-of",
    );
    await open("");
    expect(await page.evaluate(`document.querySelector("[type=password]")`)).toBe(null);
  });

  test("a key is kept in the account, is not asked for again, and is removed", async () => {
    await page.open(`${origin}/studio/keys`);
    await page.until(`document.querySelector("form.one-line select")?.value`);
    await choose("form.one-line select", "gemini");
    await fill("[type=password]", "key-of-a-test");
    await page.until(`document.querySelector("form.one-line .button:enabled")`);
    await click("form.one-line .button");
    await page.until(`document.querySelector(".lines b")?.textContent.includes("Google")`);
    await expectAccessible(page);
    await open("");
    await page.evaluate(`document.querySelectorAll(".composer details")[2].open = true`);
    await page.until(`document.querySelectorAll(".composer details")[2].querySelectorAll("option").length > 8`);
    await choose(".composer details:nth-of-type(3) .field:nth-child(2) select", "gemini");
    await page.until(`document.querySelector(".key-kept")`);
    await page.open(`${origin}/studio/keys`);
    await page.until(`document.querySelector(".lines .tool")`);
    await click(".lines .tool");
    await page.until(`!document.querySelector(".lines li")`);
  });

  test("a scene gets a picture of one's own", async () => {
    await open(`/films/${film.id}`);
    await click(".scene .plain");
    await page.until(`document.querySelector("dialog [type=file]")`);
    await page.evaluate(`(() => { const files = new DataTransfer();
      files.items.add(new File([Uint8Array.fromBase64(${JSON.stringify(dot)})], "own.png", { type: "image/png" }));
      document.querySelector("dialog [type=file]").files = files.files; })()`);
    await expectAccessible(page);
    await page.evaluate(`document.querySelector("dialog .button").click()`);
    await page.until(`!document.querySelector("dialog")`);
    await page.until(`document.querySelector(".state")?.dataset.state === "done"`);
  });

  test("nothing was refused, broken or fetched from elsewhere", async () => {
    expect(page.problems).toEqual([]);
    expect(page.requested.filter((url) => !url.startsWith(origin) && !/^(blob|data):/.test(url))).toEqual([]);
  });
});
