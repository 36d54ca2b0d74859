import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectAccessible } from "../support/accessible.ts";
import { type Browser, chromiumPath, openBrowser, type Page } from "../support/browser.ts";
import { password, testService } from "../support/service.ts";
import { listen } from "../support/uploads.ts";

const service = await testService();
const { url: origin, stop } = listen(service);
afterAll(async () => {
  await stop();
  await service.close();
});

const script = JSON.stringify;
const panels = { scenes: 0, texts: 1, captions: 2, sound: 3, export: 4 };

describe.skipIf(!chromiumPath)("the page of a work in Chromium", () => {
  let browser: Browser;
  let page: Page;
  let workPath: string;
  let address: string;

  const click = (selector: string) => page.evaluate(`document.querySelector(${script(selector)}).click()`);
  const clickText = (text: string) =>
    page.evaluate(
      `[...document.querySelectorAll("button")].find((each) => each.textContent.trim().startsWith(${script(text)})).click()`,
    );
  const fill = (selector: string, value: string) =>
    page.evaluate(`(() => {
      const field = document.querySelector(${script(selector)});
      field.focus();
      field.value = ${script(value)};
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
  const keys = (key: string, more: object = {}) =>
    page.evaluate(
      `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", ${script({ key, bubbles: true, cancelable: true, ...more })}))`,
    );
  const field = (label: string) =>
    page.evaluate(
      `"#" + CSS.escape([...document.querySelectorAll(".work label")].find((each) => each.textContent.startsWith(${script(label)})).htmlFor)`,
    );
  const call = (method: string, path: string, body?: object) =>
    page.evaluate(`fetch(${script(path)}, { method: "${method}", headers: { "content-type": "application/json", "x-reelwright-page": "1" },
      body: ${body ? script(script(body)) : "undefined"} }).then((response) => response.json())`);
  const saved = async () => {
    await page.until(`document.querySelector(".saving").dataset.state === "saved"`);
    return (await call("GET", workPath)).editorState;
  };
  const show = (panel: keyof typeof panels) => click(`.panel > .switch label:nth-of-type(${panels[panel] + 1}) input`);
  const open = async () => {
    await page.open(address);
    await page.until(`document.querySelectorAll(".scene-card img").length === 2`);
  };

  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
    await page.look(1280, 860);
    await page.open(`${origin}/studio`);
    const email = `ann.${crypto.randomUUID()}@example.com`;
    await page.evaluate(`fetch("/api/auth/session", { method: "POST", headers: { "content-type": "application/json", "x-reelwright-page": "1" },
      body: ${script(script({ email, password, name: "Ann" }))} }).then(({ status }) => status)`);
    const project = await call("POST", "/api/projects", { name: "Tea" });
    const work = await call("POST", `/api/projects/${project.id}/works`, {
      name: "Tea time",
      resolution: { width: 108, height: 192 },
      scenes: [
        { duration_seconds: 1, text_overlay: "Tea is ready." },
        { duration_seconds: 1, text_overlay: "Come in." },
      ],
    });
    workPath = `/api/projects/${project.id}/works/${work.id}`;
    address = `${origin}/studio/projects/${project.id}/works/${work.id}`;
    await page.evaluate(`Promise.all(["#203040", "#c06020"].map(async (color, scene) => {
      const canvas = new OffscreenCanvas(108, 192);
      const context = canvas.getContext("2d");
      context.fillStyle = color;
      context.fillRect(0, 0, 108, 192);
      const body = new FormData();
      body.set("file", await canvas.convertToBlob(), "scene.png");
      const path = ${script(workPath)} + "/media/scene/" + scene + "/image";
      return (await fetch(path, { method: "POST", headers: { "x-reelwright-page": "1" }, body })).status;
    }))`);
  });
  afterAll(async () => {
    await browser?.close();
  });

  test("scenes are moved by buttons, cut by typed times, and saved; undo goes back by keys", async () => {
    await open();
    expect(await page.evaluate(`document.querySelector("h1").textContent`)).toBe("Tea time");
    await clickText("Later");
    expect((await saved()).editorData.videoTrack).toMatchObject([
      { sceneIndex: 1, start: 0, end: 1 },
      { sceneIndex: 0, start: 1, end: 2 },
    ]);
    await fill(await field("Out"), "0.05");
    await page.until(`document.querySelector(".details .wrong")?.textContent === "Enter a number from 0.2 to 3600."`);
    await fill(await field("Speed"), "2");
    await page.evaluate(`document.querySelector(".picture-fields summary").click()`);
    await fill(await field("Saturation"), "0.5");
    expect((await saved()).editorData.videoTrack[1]).toMatchObject({ speed: 2, filter: { saturation: 0.5 } });
    await keys("z", { ctrlKey: true });
    await keys("z", { ctrlKey: true });
    expect((await saved()).editorData.videoTrack[1].filter).toBeUndefined();
    await fill(await field("Out"), "0.6");
    expect((await saved()).editorData.videoTrack).toMatchObject([{ end: 1 }, { start: 1, end: 1.6 }]);
    await keys("z", { ctrlKey: true });
    await keys("z", { ctrlKey: true });
    expect((await saved()).editorData.videoTrack).toMatchObject([
      { sceneIndex: 0, start: 0, end: 1 },
      { sceneIndex: 1, start: 1, end: 2 },
    ]);
    await keys("z", { ctrlKey: true, shiftKey: true });
    expect((await saved()).editorData.videoTrack[0].sceneIndex).toBe(1);
    // a dragged card takes the place of the one on which it is dropped
    await page.evaluate(`(async () => {
      const [first, second] = document.querySelectorAll(".cards li");
      const dataTransfer = new DataTransfer();
      for (const [card, type] of [[first, "dragstart"], [second, "dragover"], [second, "drop"], [first, "dragend"]]) {
        card.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    })()`);
    expect((await saved()).editorData.videoTrack[0].sceneIndex).toBe(0);
    await keys("z", { ctrlKey: true });
    expect((await saved()).editorData.videoTrack[0].sceneIndex).toBe(1);
    await click(".cards li:nth-child(2) button");
    await expectAccessible(page);
  });

  test("who saves second is told, and can save over the other version", async () => {
    const { editorState } = await call("GET", workPath);
    await call("PUT", workPath, { editorState: { ...editorState, audioVolume: 0.5 } });
    await clickText("Earlier");
    await page.until(`document.querySelector(".conflict")`);
    await expectAccessible(page);
    expect((await call("GET", workPath)).editorState.audioVolume).toBe(0.5);
    await clickText("Replace it");
    await page.until(`!document.querySelector(".conflict")`);
    expect((await saved()).audioVolume).toBe(1);
  });

  test("without a connection changes are kept over a reload, and saved when it is back", async () => {
    await page.evaluate(`globalThis.fetch = () => Promise.reject(new TypeError("offline")); undefined`);
    await clickText("Later");
    await page.until(`document.querySelector(".saving").textContent.includes("no connection")`);
    const { sceneIndex } = await page.evaluate(
      `JSON.parse(Object.entries(localStorage).find(([key]) => key.startsWith("reelwright.work."))[1]).draft.editor.editorData.videoTrack[0]`,
    );
    await open();
    expect((await saved()).editorData.videoTrack[0].sceneIndex).toBe(sceneIndex);
    expect(
      await page.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith("reelwright.work."))`),
    ).toEqual([]);
  });

  test("a text is added, dragged onto the center and moved by keys, and its pixels are the service's", async () => {
    await show("texts");
    await page.until(`document.querySelector(".picture-now img")`);
    const before = await page.evaluate(`document.querySelector(".picture-now img").src`);
    await clickText("Add a text");
    await page.until(`document.querySelector(".box[data-chosen]")`);
    await fill(await field("Words"), "Hello");
    await page.until(`document.querySelector(".picture-now img").src !== ${script(before)}`);
    const overlay = async () => Object.values((await saved()).textOverlays)[0];
    await page.drag(".box > button", 40, 60);
    const dragged = (await overlay()) as { centerX: number; centerY: number };
    expect([dragged.centerX > 8, dragged.centerY > 12]).toEqual([true, true]);
    // near the center it snaps
    const scale = await page.evaluate(`document.querySelector(".boxes").clientWidth / 108`);
    await page.drag(".box > button", -dragged.centerX * scale + 4, 0);
    expect(await overlay()).toMatchObject({ text: "Hello", centerX: 0, centerY: dragged.centerY });
    await page.evaluate(`document.querySelector(".box > button").focus()`);
    await keys("ArrowLeft", { shiftKey: true });
    expect(await overlay()).toMatchObject({ centerX: -1 });
    await page.drag(".box .handle[data-handle=size]", 30, 30);
    expect(((await overlay()) as { fontSize: number }).fontSize).toBeGreaterThan(8);
    await expectAccessible(page);
  });

  const choose = async (button: string) => {
    await clickText(button);
    await page.until(`document.querySelector(".assets-dialog li button:enabled")`);
    await click(".assets-dialog li button");
    await page.until(`!document.querySelector(".assets-dialog")`);
  };
  const upload = (color: string) =>
    page.evaluate(`(async () => {
      const canvas = new OffscreenCanvas(40, 20);
      const context = canvas.getContext("2d");
      context.fillStyle = ${script(color)};
      context.fillRect(0, 0, 40, 20);
      const body = new FormData();
      body.set("file", await canvas.convertToBlob(), "logo.png");
      const path = ${script(workPath)}.replace(/works.*/, "assets");
      return (await fetch(path, { method: "POST", headers: { "x-reelwright-page": "1" }, body })).status;
    })()`);

  test("a picture of the project is laid over the film", async () => {
    expect(await upload("#2080c0")).toBe(201);
    await choose("Add a picture");
    const { imageOverlays, editorData } = await saved();
    expect(Object.values(imageOverlays)).toMatchObject([{ width: 36, height: 18, centerX: 0, centerY: 0 }]);
    expect(editorData.imageTrack).toHaveLength(1);
    await expectAccessible(page);
    await clickText("Remove");
    expect((await saved()).editorData.imageTrack).toEqual([]);
  });

  test("what was replaced is put back", async () => {
    await show("scenes");
    const { sceneIndex } = (await saved()).editorData.videoTrack[0];
    await click(".cards li button");
    const image = script(`${workPath}/media/scene/${sceneIndex}/image`);
    const size = `fetch(${image}, { cache: "no-store" }).then((response) => response.blob()).then(({ size }) => size)`;
    const before = await page.evaluate(size);
    await choose("Replace");
    const back = `[...document.querySelectorAll("button")].find((each) => each.textContent === "Restore the old one")`;
    await page.until(back);
    expect(await page.evaluate(size)).not.toBe(before);
    await open();
    await page.until(back);
    await page.evaluate(`${back}.click()`);
    await page.evaluate(`(async () => {
      while (await ${size} !== ${before}) await new Promise((resolve) => requestAnimationFrame(resolve));
    })()`);
    await expectAccessible(page);
    // a color is a picture, too, which can be put back
    await fill(".ground input", "#00aa55");
    await page.evaluate(`(async () => {
      const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
      for (let color; color !== "0,170,85,255"; color = context.getImageData(0, 0, 1, 1).data.join()) {
        const picture = await createImageBitmap(await (await fetch(${image}, { cache: "no-store" })).blob());
        context.drawImage(picture, 0, 0, 1, 1);
      }
    })()`);
  });

  test("captions are lines of a table, and a changed word is seen at once and kept", async () => {
    await show("captions");
    await clickText("Show captions");
    await page.until(`document.querySelectorAll(".caption-rows tbody tr").length > 0`);
    await fill(".caption-rows textarea", "Coffee is ready.");
    const { captions } = await saved();
    expect(captions).toMatchObject({ style: "karaoke" });
    expect(captions.vtt.replaceAll(/<[\d:.]+>/g, "")).toContain("Coffee is ready.");
    // programs that export the work get the same
    const made = await call("POST", "/api/captions", {
      projectId: workPath.split("/")[3],
      workId: workPath.split("/")[5],
    });
    expect(made.srt).toContain("Coffee");
    await expectAccessible(page);
    // each language has lines of its own
    const wordsIn = async (language: string) => {
      await fill(await field("Words in"), language);
      return (await saved()).captions;
    };
    expect(await wordsIn("de")).toMatchObject({ language: "de", style: "karaoke" });
    await fill(".caption-rows textarea", "Kaffee ist fertig.");
    expect((await wordsIn("en")).vtt.replaceAll(/<[\d:.]+>/g, "")).toContain("Coffee is ready.");
    expect((await wordsIn("de")).vtt.replaceAll(/<[\d:.]+>/g, "")).toContain("Kaffee ist fertig.");
    await expectAccessible(page);
  });

  test("music, voices and formats are accessible, and the film is exported in those that are chosen", async () => {
    await show("sound");
    await page.until(`document.querySelector(".voices textarea")`);
    await expectAccessible(page);
    // a bed with one click, its level in decibels
    await page.until(`document.querySelectorAll(".beds label").length === 10`);
    await click(".beds input");
    expect((await saved()).audioUrl).toStartWith("/api/beds/");
    await fill(await field("Level"), "-20");
    expect((await saved()).audioVolume).toBe(0.1);
    await fill(await field("Fade out"), "0.5");
    expect((await saved()).audio).toMatchObject({ duck: true, fadeOut: 0.5 });
    await expectAccessible(page);
    await clickText("Music of your own");
    await page.until(`document.querySelector("dialog").open`);
    await expectAccessible(page);
    await page.key("Escape");
    await show("export");
    await page.until(`document.querySelectorAll(".targets img").length === 4`);
    await click(".targets [data-format='1:1'] input");
    expect((await saved()).exportSettings.targets).toEqual(["9:16", "1:1"]);
    await clickText("Export the film");
    await page.until(`document.querySelectorAll(".jobs a").length === 2`);
    await expectAccessible(page);
    expect(page.problems).toEqual([]);
  });
});
