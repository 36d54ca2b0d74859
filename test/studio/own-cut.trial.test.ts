import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectAccessible } from "../support/accessible.ts";
import { type Browser, chromiumPath, openBrowser, type Page } from "../support/browser.ts";
import { password, testService } from "../support/service.ts";
import { listen, mp4, png, wav } from "../support/uploads.ts";

const service = await testService();
const { url: origin, stop } = listen(service);
afterAll(async () => {
  await stop();
  await service.close();
});

const script = JSON.stringify;
const inPage = async (file: File) =>
  `new File([Uint8Array.fromBase64("${(await file.bytes()).toBase64()}")], ${script(file.name)}, { type: ${script(file.type)} })`;

describe.skipIf(!chromiumPath)("a film from own clips in Chromium", () => {
  let browser: Browser;
  let page: Page;
  let workPath: string;

  const call = (path: string) =>
    page.evaluate(
      `fetch(${script(path)}, { headers: { "x-reelwright-page": "1" } }).then((response) => response.json())`,
    );
  const isFocused = (words: string) => `document.activeElement.textContent === ${script(words)}`;
  /** Steps with Tab to the button of these words. */
  const tabTo = async (words: string) => {
    for (let at = 0; at < 90 && !(await page.evaluate(isFocused(words))); at++) await page.key("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe(words);
  };
  /** Presses the focused button, and answers its question for files. */
  const choose = async (files: readonly File[]) => {
    const made = (await Promise.all(files.map(inPage))).join();
    await page.evaluate(`HTMLInputElement.prototype.click = function () {
      const chosen = new DataTransfer();
      for (const file of [${made}]) chosen.items.add(file);
      this.files = chosen.files;
      this.dispatchEvent(new Event("change", { bubbles: true }));
      delete HTMLInputElement.prototype.click;
    }; undefined`);
    await page.key("Enter", "Enter", "\r");
  };
  const saved = async () => {
    await page.until(`document.querySelector(".saving").dataset.state === "saved"`);
    return (await call(workPath)).editorState;
  };
  const shows = (count: number) => page.until(`document.querySelectorAll(".scene-card img").length === ${count}`);

  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
    await page.look(1440, 900);
    await page.open(`${origin}/studio`);
    const email = `ann.${crypto.randomUUID()}@example.com`;
    await page.evaluate(`fetch("/api/auth/session", { method: "POST", headers: { "content-type": "application/json", "x-reelwright-page": "1" },
      body: ${script(script({ email, password, name: "Ann" }))} }).then(({ status }) => status)`);
    await page.open(`${origin}/studio`);
  });
  afterAll(async () => {
    await browser?.close();
  });

  test("chosen clips and a song open in the editor, in their order, by keyboard", async () => {
    await page.until(`document.querySelector(".own-cut button")`);
    await tabTo("Or cut your own clips");
    await choose([await mp4(), wav(), png(32, 18, "#aa3311")]);
    await page.until(`document.querySelector(".strip-bar")`);
    await shows(2);
    workPath = (await page.evaluate("location.pathname")).replace("/studio", "/api");
    const { editorData, audioUrl, exportSettings } = await saved();
    expect(editorData.videoTrack).toMatchObject([
      { start: 0, end: 0.5, sceneIndex: 0 },
      { start: 0.5, end: 3.5, sceneIndex: 1 },
    ]);
    expect(audioUrl).toContain("/assets/");
    expect(exportSettings).toMatchObject({ width: 1920, height: 1080 });
    await expectAccessible(page, ".work");
  });

  test("clips are added at the end", async () => {
    await tabTo("Add clips at the end");
    await choose([png(32, 18, "#114488"), await mp4()]);
    await shows(4);
    expect((await saved()).editorData.videoTrack).toMatchObject([
      {},
      {},
      { start: 3.5, end: 6.5, sceneIndex: 2, fit: "cover" },
      { start: 6.5, end: 7, sceneIndex: 3 },
    ]);
    // the last one is shown
    expect(await page.evaluate(`document.querySelector("#clip-title").textContent`)).toBe("Scene 4");
  });

  test("a mask of a clip and the blending of a picture over it change the frame", async () => {
    const pick = (label: string, value: string) =>
      page.evaluate(`(() => {
        const each = [...document.querySelectorAll(".panel label")].find(({ textContent }) => textContent === ${script(label)});
        each.control.value = ${script(value)};
        each.control.dispatchEvent(new Event("change", { bubbles: true }));
      })()`);
    const panel = (at: number) =>
      page.evaluate(`document.querySelector(".panel > .switch label:nth-of-type(${at}) input").click()`);
    await page.evaluate(`document.querySelectorAll(".scene-card")[1].click()`);
    await pick("Mask", "round");
    expect((await saved()).editorData.videoTrack[1]).toMatchObject({ mask: { shape: "ellipse" } });
    await panel(2);
    await tabTo("Add a file");
    await choose([png(32, 18, "#22cc44")]);
    await page.until(`document.querySelector(".details .picture-fields")`);
    await page.until(`document.querySelector(".picture-now img")`);
    const frame = await page.evaluate(`document.querySelector(".picture-now img").src`);
    await pick("Blend", "difference");
    await page.until(`document.querySelector(".picture-now img").src !== ${script(frame)}`);
    const { imageOverlays, layers = [] } = await saved();
    expect([...Object.values(imageOverlays), ...layers]).toMatchObject([{ blend: "difference" }]);
  });

  test("a logo of the project lies over the whole film, at a place of nine, until it is removed", async () => {
    await tabTo("Choose a logo");
    await page.key("Enter", "Enter", "\r");
    await page.until(`document.querySelector("dialog .tiles button")`);
    await page.evaluate(`document.querySelector("dialog .tiles button").click()`);
    await page.until(`document.querySelector(".spots")`);
    const logo = async () => (await saved()).layers.find(({ id }: { id: string }) => id === "film-logo");
    // a sixth of 1080, in the safe zone of a twentieth
    expect(await logo()).toMatchObject({ type: "image", width: 180, height: 101, centerX: 774 });
    await page.evaluate(`document.querySelector(".spots input[aria-label='Bottom left']").click()`);
    await page.until(`document.querySelector(".picture-now img")`);
    const placed = await logo();
    expect(placed).toMatchObject({ centerX: -774, centerY: 436 });
    expect(placed.end).toBeUndefined();
    await page.evaluate(`document.querySelector(".logo-place").scrollIntoView()`);
    await expectAccessible(page, ".panel");
    await tabTo("Choose another logo");
    await page.key("Tab");
    await page.key("Enter", "Enter", "\r");
    expect(await logo()).toBeUndefined();
    await page.evaluate(`document.querySelector(".undo button").click()`);
    expect(await logo()).toMatchObject({ centerX: -774 });
  });

  test("it is exported, without the pictures", async () => {
    await page.evaluate(`document.querySelector(".panel > .switch label:nth-of-type(1) input").click()`);
    for (const left of [3, 2]) {
      await page.until(`document.querySelectorAll(".scene-card img").length === ${left + 1}`);
      await page.evaluate(`document.querySelectorAll(".scene-card")[1].click()`);
      await page.until(`document.querySelector("#clip-title")?.textContent === "Scene 2"`);
      await page.evaluate(
        `[...document.querySelectorAll(".details .tool")].find(({ textContent }) => textContent === "Remove").click()`,
      );
    }
    await page.evaluate(`document.querySelector(".panel > .switch label:nth-of-type(5) input").click()`);
    await page.until(`document.querySelector(".panel .button")`);
    await tabTo(await page.evaluate(`document.querySelector(".panel .button").textContent`));
    await page.key("Enter", "Enter", "\r");
    await page.until(`document.querySelector(".panel a[download]")`);
    const file = await page.evaluate(
      `fetch(document.querySelector(".panel a[download]").href).then((response) => response.arrayBuffer()).then(({ byteLength }) => byteLength)`,
    );
    expect(file).toBeGreaterThan(1000);
    expect(page.problems).toEqual([]);
  });

  test("a film without scenes takes clips on its page", async () => {
    const works = workPath.slice(0, workPath.lastIndexOf("/"));
    const { id } =
      await page.evaluate(`fetch(${script(works)}, { method: "POST", headers: { "content-type": "application/json", "x-reelwright-page": "1" },
      body: ${script(script({ name: "Empty" }))} }).then((response) => response.json())`);
    await page.open(`${origin}/studio${works.slice("/api".length)}/${id}`);
    await page.until(`document.querySelector(".work .lead")`);
    await expectAccessible(page, ".work");
    await tabTo("Add clips at the end");
    await choose([png(32, 18), await mp4()]);
    await shows(2);
    expect(await page.evaluate(`document.querySelector("#clip-title").textContent`)).toBe("Scene 2");
    expect(page.problems).toEqual([]);
  });
});
