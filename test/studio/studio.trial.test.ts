import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Ffmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { expectAccessible } from "../support/accessible.ts";
import { type Browser, chromiumPath, openBrowser, type Page } from "../support/browser.ts";
import { foundFfmpeg } from "../support/media/ffmpeg.ts";
import { password, testService } from "../support/service.ts";
import { listen } from "../support/uploads.ts";

const found = await foundFfmpeg();
/** Segments in `standard` are rendered once this is resolved. */
let standardMayRun = Promise.resolve();
const run: Ffmpeg["run"] = async (command, options) => {
  if (command.outputArgs.includes("veryfast")) await standardMayRun;
  return found.run(command, options);
};
const service = await testService({}, undefined, () => ({}), { ...found, run });
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

  const email = `ann.${crypto.randomUUID()}@example.com`;
  const textOf = (selector: string) =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent`);
  const click = (selector: string) => page.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
  const fill = async (selector: string, text: string) => {
    await page.evaluate(
      `(() => { const field = document.querySelector(${JSON.stringify(selector)}); field.value = ""; field.focus(); })()`,
    );
    await page.type(text);
  };
  /** A call by the page's own login. */
  const call = (method: string, path: string, body?: object) =>
    page.evaluate(`fetch(${JSON.stringify(path)}, { method: "${method}", headers: { "content-type": "application/json", "x-reelwright-page": "1" },
      body: ${body ? JSON.stringify(JSON.stringify(body)) : "undefined"} }).then((response) => response.json())`);

  test("while the service is away, the page says so and leads on", async () => {
    const away = `const real = fetch; globalThis.fetch = (url, init) =>
      String(url).includes("/auth/me") ? Promise.reject(new TypeError("offline")) : real(url, init);
      globalThis.comeBack = () => { globalThis.fetch = real; };`;
    await page.before(away, () => page.open(`${origin}/studio`));
    await page.until(`document.querySelector("[role=alert]")`);
    await expectAccessible(page);
    await page.evaluate("comeBack()");
    await click("main .button");
    await page.until(`document.querySelector("[name=password]")`);
  });

  test("a visitor registers by keyboard, and reads beside the field what is wrong", async () => {
    await page.open(`${origin}/studio`);
    await page.until(`document.querySelector("form")`);
    await expectAccessible(page);
    await click("form .button");
    await page.until(`document.querySelectorAll(".field .wrong").length === 3`);
    await page.until(`document.activeElement.name === "name"`);
    await page.type("Ann");
    await page.key("Tab");
    await page.type(email);
    await page.key("Tab");
    await page.type("short");
    await page.key("Enter", "Enter", "\r");
    await page.until(`document.querySelector(".wrong")`);
    expect(await textOf(".field:has([name=password]) .wrong")).toBe("Password must have at least 8 characters.");
    expect(await page.evaluate(`document.querySelector("[name=password]").getAttribute("aria-invalid")`)).toBe("true");
    // the first field with something wrong has the focus
    await fill("[name=email]", "ann");
    await page.evaluate(`document.querySelector("form .button").focus()`);
    await click("form .button");
    await page.until(`document.activeElement.name === "email"`);
    await fill("[name=email]", email);
    await fill("[name=password]", password);
    await page.key("Enter", "Enter", "\r");
    await page.until(`document.querySelector(".composer")`);
    expect(await textOf("h1")).toBe("What is the film about?");
    // no script can take the login
    expect(await page.evaluate("document.cookie + JSON.stringify(localStorage)")).not.toMatch(/[0-9a-f]{64}|eyJ/);
    await expectAccessible(page);
  });

  test("the price comes before the order, and an empty one says what it lacks", async () => {
    await click(".order .button");
    await page.until(`document.querySelector(".composer .field .wrong")`);
    expect(await textOf(".composer .field .wrong")).toStartWith("Say what the film is about");
    await fill(".composer textarea", "Sunrise Coffee: roasted this morning.");
    await page.until(`document.querySelector(".order p").textContent.startsWith("Costs nothing")`);
    // the script is there before the order, which takes it as it was edited
    await page.until(`document.querySelectorAll(".script textarea").length > 1`);
    await fill(".script li:nth-child(2) textarea", "Roasted at dawn");
    await expectAccessible(page);
    await click(".order .button");
    await page.until(`document.querySelector(".made")`);
    expect(await textOf("h1")).toBe("Sunrise Coffee");
    await page.until(`document.querySelector(".scenes")?.textContent.includes("Roasted at dawn")`);
    await click(".made .actions .plain");
    await page.until(`document.querySelector(".state").dataset.state === "cancelled"`);
  });

  test("a film shows its pictures as they come, and plays when it is done", async () => {
    const [project] = await call("GET", "/api/projects");
    const order = { brief: { text: "Tiny tea" }, seconds: 3, scenes: 1, resolution: { width: 108, height: 192 } };
    const film = await call("POST", `/api/projects/${project.id}/films`, order);
    await page.open(`${origin}/studio/projects/${project.id}/films/${film.id}`);
    await page.until(`document.querySelector(".scene img")?.naturalWidth > 0`);
    await page.until(`document.querySelector(".player video")?.readyState >= 2`);
    // a frame of the film, not the picture that it was made from
    await page.until(`document.querySelector(".player video").poster.startsWith("blob:")`);
    expect(await textOf(".state")).toBe("The film is ready.");
    expect(await page.evaluate(`document.querySelector(".actions .button").href`)).toContain(`${film.id}/file`);
    await page.evaluate(`document.querySelector("video").play()`);
    await page.until(`document.querySelector("video").currentTime > 0.2`);
    // it plays the parts that the export has joined
    expect(await page.evaluate(`document.querySelector("video").src`)).toStartWith("blob:");
    expect(page.requested.some((url) => /preview\/[0-9a-f]{64}\/segments\//.test(url))).toBe(true);
    await expectAccessible(page);

    // the parts are gone: a draft plays until they are rendered again, and is called one
    await service.services.projectCaches.remove(project.id);
    const gate = Promise.withResolvers<void>();
    standardMayRun = gate.promise;
    await page.open(`${origin}/studio/projects/${project.id}/films/${film.id}?again`);
    await page.until(`document.querySelector(".stage .badge")?.textContent === "Draft"`);
    await page.until(`document.querySelector(".player video").readyState >= 2`);
    await expectAccessible(page);
    gate.resolve();
    await page.until(`document.querySelector(".stage .badge").hidden`);
    await page.until(`document.querySelector(".player video").videoWidth === 108`);

    await click(".scene .plain");
    await page.until(`document.querySelector("dialog").open`);
    await expectAccessible(page);
    await page.key("Escape");
    await page.until(`!document.querySelector("dialog")`);

    await click(".back a");
    await page.until(`document.querySelectorAll(".films li").length === 2`);
    await page.until(`document.querySelector(".films .poster video")?.readyState >= 2`);
    await expectAccessible(page);
  });

  test("where a browser plays no parts, the exported file plays", async () => {
    const [project] = await call("GET", "/api/projects");
    const { films } = await call("GET", `/api/projects/${project.id}/films`);
    const { id } = films.find(({ status }: { status: string }) => status === "done");
    await page.before("delete globalThis.MediaSource; delete globalThis.ManagedMediaSource;", async () => {
      await page.open(`${origin}/studio/projects/${project.id}/films/${id}?file`);
      await page.until(`document.querySelector(".player video")?.readyState >= 2`);
      expect(await page.evaluate(`document.querySelector(".player video").src`)).toContain(`${id}/file`);
      await page.evaluate(`document.querySelector(".player video").play()`);
      await page.until(`document.querySelector(".player video").currentTime > 0.2`);
    });
  });

  test("a film whose work was changed says so, is exported anew, and is then the changed one", async () => {
    const [project] = await call("GET", "/api/projects");
    const { films } = await call("GET", `/api/projects/${project.id}/films`);
    const { id, workId } = films.find(({ status }: { status: string }) => status === "done");
    const link = `document.querySelector(".made .actions a.button")?.href`;
    await page.open(`${origin}/studio/projects/${project.id}/films/${id}?own`);
    await page.until(`${link}?.includes("${id}/file") && document.querySelector(".make-link")`);
    expect(await page.evaluate(`document.querySelector(".made .card")`)).toBeNull();

    const work = `/api/projects/${project.id}/works/${workId}`;
    const { editorState } = await call("GET", work);
    await call("PUT", work, { editorState: { ...editorState, audioVolume: 0.5 } });
    await page.open(`${origin}/studio/projects/${project.id}/films/${id}?changed`);
    await page.until(`document.querySelector(".made .card")?.textContent.includes("before its latest changes")`);
    expect(await textOf(".sharing .hint")).toBe("This is the film before its latest changes.");
    await expectAccessible(page);
    await click(".made .card .button");
    await page.until(`${link}?.includes("/api/exports/")`);
    expect(await page.evaluate(`document.querySelector(".made .card, .sharing .hint")`)).toBeNull();
    await page.until(`document.querySelector(".player video")?.readyState >= 2`);
  });

  test("other colors are tried on all scenes before they are kept, and a silent film gets music with one click", async () => {
    const [project] = await call("GET", "/api/projects");
    const films = `/api/projects/${project.id}/films`;
    const size = { resolution: { width: 108, height: 192 } };
    const order = { brief: { text: "Quiet tea" }, seconds: 3, scenes: 1, music: false, ...size };
    const { id } = await call("POST", films, order);
    await page.open(`${origin}/studio/projects/${project.id}/films/${id}`);
    await page.until(`document.querySelector(".other-look summary")`);
    await click(".other-look summary");
    await page.until(`document.querySelectorAll(".palettes .swatches").length > 1`);
    await click(".palettes label:nth-of-type(2) input");
    await page.until(`document.querySelector(".restyle > .actions button:enabled")`);
    await click(".restyle > .actions button");
    await page.until(`document.querySelector(".tried > img")?.naturalWidth > 0`);
    await expectAccessible(page);
    await click(".tried .actions .plain");
    await page.until(`!document.querySelector(".tried")`);

    await page.until(`document.querySelector(".made .actions .tool")?.textContent === "Add music"`);
    await click(".made .actions .tool");
    await page.until(`document.querySelector(".made .actions a.button")?.href.includes("/api/exports/")`);
    expect(await page.evaluate(`document.querySelector(".made .actions .tag")`)).toBeNull();
    expect((await call("GET", films)).films).toHaveLength(3);
  });

  test("the page speaks German, and remembers it", async () => {
    await page.evaluate(
      `(() => { const choice = document.querySelector(".language select"); choice.value = "de"; choice.dispatchEvent(new Event("change", { bubbles: true })); })()`,
    );
    await page.until(`document.documentElement.lang === "de"`);
    await page.open(`${origin}/studio/nothing`);
    await page.until(`document.querySelector("h1")?.textContent === "Hier ist nichts."`);
    await expectAccessible(page);
  });

  test("signing out ends the login, and nothing was refused, broken or fetched from elsewhere", async () => {
    await click(".who .plain");
    await page.until(`document.querySelector("[name=password]")`);
    expect(await call("GET", "/api/auth/me")).toMatchObject({ code: "unauthenticated" });
    expect(page.problems).toEqual([]);
    expect(page.requested.filter((url) => !url.startsWith(origin) && !/^(blob|data):/.test(url))).toEqual([]);
  });
});
