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
const shown = { start: 0, end: 2 };
const editor = {
  editorData: {
    videoTrack: [{ id: "clip-0", sceneIndex: 0, ...shown }],
    textTrack: [{ id: "title", ...shown }],
    imageTrack: [{ id: "logo", ...shown }],
    audioTrack: [],
  },
  textOverlays: {
    title: {
      text: "Tea is ready",
      fontSize: 14,
      fontColor: "#ffffff",
      animateIn: "slideup",
      animateOut: "fade",
      loop: { name: "float", distance: 3 },
    },
  },
  audioVolume: 1,
  exportSettings: { width: 108, height: 192, fps: 30 },
};

describe.skipIf(!chromiumPath)("entrances, exits and loops in Chromium", () => {
  let browser: Browser;
  let page: Page;
  let workPath: string;
  let address: string;

  const call = (method: string, path: string, body?: object) =>
    page.evaluate(`fetch(${script(path)}, { method: "${method}", headers: { "content-type": "application/json", "x-reelwright-page": "1" },
      body: ${body ? script(script(body)) : "undefined"} }).then((response) => response.text()).then((text) => text && JSON.parse(text))`);
  const saved = async () => {
    await page.until(`document.querySelector(".saving").dataset.state === "saved"`);
    return (await call("GET", workPath)).editorState;
  };
  const title = async () => (await saved()).textOverlays.title;
  const at = { Entrance: 1, Exit: 2, Loop: 3 };
  const choice = (role: keyof typeof at) => `.moves details:nth-of-type(${at[role]})`;
  const open = async (role: keyof typeof at) => {
    await page.evaluate(`document.querySelector(${script(`${choice(role)} summary`)}).click()`);
    await page.until(`document.querySelector(${script(`${choice(role)} fieldset img`)})`);
  };
  const radio = (name: string) =>
    `[...document.querySelectorAll(".moves details[open] fieldset label")].find((each) => each.textContent === ${script(name)}).querySelector("input")`;
  const current = (role: keyof typeof at) =>
    page.evaluate(`document.querySelector(${script(`${choice(role)} summary`)}).textContent`);

  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
    await page.look(1280, 860);
    await page.open(`${origin}/studio`);
    const email = `ann.${crypto.randomUUID()}@example.com`;
    await call("POST", "/api/auth/session", { email, password, name: "Ann" });
    const project = await call("POST", "/api/projects", { name: "Tea" });
    const work = await call("POST", `/api/projects/${project.id}/works`, {
      name: "Tea time",
      resolution: { width: 108, height: 192 },
      scenes: [{ duration_seconds: 2 }],
    });
    workPath = `/api/projects/${project.id}/works/${work.id}`;
    address = `${origin}/studio/projects/${project.id}/works/${work.id}`;
    const assetId = await page.evaluate(`(async () => {
      const canvas = new OffscreenCanvas(108, 192);
      canvas.getContext("2d").fillRect(0, 0, 108, 192);
      const body = new FormData();
      body.set("file", await canvas.convertToBlob(), "scene.png");
      const post = (path) => fetch(path, { method: "POST", headers: { "x-reelwright-page": "1" }, body });
      await post(${script(workPath)} + "/media/scene/0/image");
      return (await (await post(${script(workPath)}.replace(/works.*/, "assets"))).json()).id;
    })()`);
    const imageOverlays = { logo: { assetId, width: 20, height: 20, centerY: 60 } };
    await call("PUT", workPath, { editorState: { ...editor, imageOverlays } });
    await page.open(address);
    await page.until(`document.querySelectorAll(".scene-card img").length === 1`);
    await page.evaluate(`document.querySelector(".panel > .switch label:nth-of-type(2) input").click()`);
    await page.until(`document.querySelector(".rows button")`);
    await page.evaluate(`document.querySelector(".rows li:nth-child(2) button").click()`);
    await page.until(`document.querySelector(".details textarea")`);
  });
  afterAll(async () => {
    await browser?.close();
  });

  test("they are listed when a choice is opened first, as moving pictures with names", async () => {
    expect(page.requested.filter((url) => url.includes("/api/motion"))).toEqual([]);
    expect(await Promise.all([current("Entrance"), current("Exit"), current("Loop")])).toEqual([
      "Entrance Slide",
      "Exit Fade",
      "Loop Float",
    ]);
    await open("Entrance");
    const names = await page.evaluate(
      `[...document.querySelectorAll(".moves details[open] fieldset label")].map((each) => each.textContent)`,
    );
    expect(names.slice(0, 3)).toEqual(["None", "Fade", "Slide"]);
    expect(names).toContain("Typewriter");
    await page.until(
      `[...document.querySelectorAll(".moves details[open] img")].slice(0, 4).every(({ naturalWidth }) => naturalWidth === 180)`,
    );
    await expectAccessible(page, ".moves");
  });

  test("an entrance replaces the older animation of a text, whose exit stays", async () => {
    await page.until(`document.querySelector(".picture-now img")`);
    const frame = await page.evaluate(`document.querySelector(".picture-now img").src`);
    await page.evaluate(`${radio("Reveal")}.click()`);
    await page.until(`document.querySelector(".picture-now img").src !== ${script(frame)}`);
    expect(await current("Entrance")).toBe("Entrance Reveal");
    const saved = await title();
    expect(saved).toMatchObject({
      enter: { name: "reveal", seconds: 0.6, by: "line" },
      exit: { name: "fade", seconds: 0.3 },
      loop: { name: "float", distance: 3 },
    });
    expect(Object.keys(saved)).not.toContain("animateIn");
    expect(Object.keys(saved)).not.toContain("animateOut");
    await page.evaluate(`(() => {
      const select = document.querySelector(".moves details[open] select");
      select.value = "word";
      select.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
    expect((await title()).enter).toEqual({ name: "reveal", seconds: 0.6, by: "word" });
  });

  test("seconds change nothing else of a loop, another one is chosen by keys, and none removes it", async () => {
    await open("Loop");
    expect(await page.evaluate(`document.querySelectorAll(".moves details[open]").length`)).toBe(1);
    await page.evaluate(`(() => {
      const field = document.querySelector(".moves details[open] input[type=number]");
      field.value = "1.5";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    })()`);
    expect((await title()).loop).toEqual({ name: "float", distance: 3, seconds: 1.5 });
    await page.evaluate(`${radio("Float")}.focus()`);
    await page.key("ArrowLeft");
    expect((await title()).loop).toEqual({ name: "pulse", seconds: 1 });
    await page.evaluate(`${radio("None")}.click()`);
    expect(Object.keys(await title())).not.toContain("loop");
  });

  test("an image has the moves of all layers, as a whole", async () => {
    await page.evaluate(`document.querySelector(".rows li:nth-child(1) button").click()`);
    await page.until(`!document.querySelector(".details textarea")`);
    await open("Exit");
    expect(await page.evaluate(`document.querySelector(".moves details[open]").textContent`)).not.toContain(
      "Typewriter",
    );
    await page.evaluate(`${radio("Fade")}.click()`);
    expect((await saved()).imageOverlays.logo.exit).toEqual({ name: "fade", seconds: 0.6 });
    expect(await page.evaluate(`document.querySelector(".moves select")`)).toBeNull();
    expect(page.problems).toEqual([]);
  });
});
