import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectAccessible } from "../support/accessible.ts";
import { type Browser, chromiumPath, openBrowser, type Page } from "../support/browser.ts";
import { password, testService } from "../support/service.ts";
import { listen, wav } from "../support/uploads.ts";

const service = await testService();
const { url: origin, stop } = listen(service);
afterAll(async () => {
  await stop();
  await service.close();
});

const script = JSON.stringify;
const texts = Array.from({ length: 190 }, (_, at) => ({
  id: `t-${at}-s`,
  start: (at * 0.3) % 57,
  end: ((at * 0.3) % 57) + 2,
}));

describe.skipIf(!chromiumPath)("the strip of time in Chromium", () => {
  let browser: Browser;
  let page: Page;
  let project: string;

  const call = (method: string, path: string, body?: object) =>
    page.evaluate(`fetch(${script(path)}, { method: "${method}", headers: { "content-type": "application/json", "x-reelwright-page": "1" },
      body: ${body ? script(script(body)) : "undefined"} }).then((response) => response.json())`);
  const keys = (key: string, more: object = {}) =>
    page.evaluate(
      `(document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", ${script({ key, bubbles: true, cancelable: true, ...more })}))`,
    );
  const bar = (key: string) => `.strip-bar[data-key=${script(key)}]`;
  const choose = (key: string) => page.evaluate(`document.querySelector(${script(bar(key))}).click()`);

  /** Opens a work of scenes of a second each in the editor, and returns its path in the API. */
  async function openWork(count: number, editorState: object): Promise<string> {
    const scenes = Array.from({ length: count }, () => ({ duration_seconds: 1, text_overlay: "Tea" }));
    const resolution = { width: 108, height: 192 };
    const work = await call("POST", `/api/projects/${project}/works`, { name: "Tea", resolution, scenes });
    const path = `/api/projects/${project}/works/${work.id}`;
    await page.evaluate(`Promise.all([...Array(${count}).keys()].map(async (scene) => {
      const canvas = new OffscreenCanvas(108, 192);
      canvas.getContext("2d").fillRect(0, 0, 108, 192);
      const body = new FormData();
      body.set("file", await canvas.convertToBlob(), "scene.png");
      const image = "${path}/media/scene/" + scene + "/image";
      return (await fetch(image, { method: "POST", headers: { "x-reelwright-page": "1" }, body })).status;
    }))`);
    await call("PUT", path, { editorState: { exportSettings: { ...resolution, fps: 10 }, ...editorState } });
    await page.open(`${origin}/studio/projects/${project}/works/${work.id}`);
    await page.until(`document.querySelectorAll(".strip-bar").length > 2`);
    return path;
  }
  const saved = async (path: string) => {
    await page.until(`document.querySelector(".saving").dataset.state === "saved"`);
    return (await call("GET", path)).editorState;
  };
  const clips = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ id: `c${at}`, start: at, end: at + 1, sceneIndex: at }));

  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
    await page.look(1280, 860);
    await page.open(`${origin}/studio`);
    const email = `ann.${crypto.randomUUID()}@example.com`;
    await page.evaluate(`fetch("/api/auth/session", { method: "POST", headers: { "content-type": "application/json", "x-reelwright-page": "1" },
      body: ${script(script({ email, password, name: "Ann" }))} }).then(({ status }) => status)`);
    project = (await call("POST", "/api/projects", { name: "Tea" })).id;
  });
  afterAll(async () => {
    await browser?.close();
  });

  test("bars are moved, trimmed, split, copied and removed by pointer and by keys, each one step of undo", async () => {
    const path = await openWork(3, {
      editorData: { videoTrack: clips(3), textTrack: [{ id: "a-s", start: 0.2, end: 0.8 }] },
      textOverlays: { "a-s": { text: "Tea", fontSize: 20 } },
      layers: [{ id: "frame", type: "shape", shape: "rect", width: 10, height: 10, position: 1, end: 2 }],
    });
    await expectAccessible(page);
    const second = await page.evaluate(`document.querySelector(${script(bar("clip c1"))}).offsetWidth`);
    // the start of the text meets the cut
    await page.drag(bar("text a-s"), 0.78 * second, 0);
    expect((await saved(path)).editorData.textTrack).toMatchObject([{ start: 1, end: 1.6 }]);
    await keys("z", { ctrlKey: true });
    expect((await saved(path)).editorData.textTrack).toMatchObject([{ start: 0.2, end: 0.8 }]);
    await page.drag(`${bar("clip c0")} .grip[data-edge=end]`, -0.4 * second, 0);
    const trimmed = await saved(path);
    expect(trimmed.editorData.videoTrack).toMatchObject([{ end: 0.6 }, { start: 0.6, end: 1.6 }, { end: 2.6 }]);
    expect(trimmed.layers).toMatchObject([{ position: 0.6, end: 1.6 }]);
    await page.drag(bar("clip c0"), 1.2 * second, 0);
    expect((await saved(path)).editorData.videoTrack[1]).toMatchObject({ id: "c0" });
    await choose("clip c1");
    await keys("Home");
    for (let at = 0; at < 5; at++) await keys("ArrowRight");
    await keys("s");
    expect((await saved(path)).editorData.videoTrack).toMatchObject([{ id: "c1", end: 0.5 }, { start: 0.5 }, {}, {}]);
    await keys("c", { ctrlKey: true });
    await keys("End");
    await keys("v", { ctrlKey: true });
    expect((await saved(path)).editorData.videoTrack).toHaveLength(5);
    await keys("Delete");
    expect((await saved(path)).editorData.videoTrack).toHaveLength(4);
    await keys("?");
    await page.until(`document.querySelector("dialog[open] .keys")`);
    await expectAccessible(page, "dialog");
    await page.key("Escape");
    expect(page.problems).toEqual([]);
  });

  test("a sound shows its wave, and the whole editor is in the window", async () => {
    const body = new Uint8Array(await wav().arrayBuffer()).toBase64();
    const asset = await page.evaluate(`(async () => {
      const body = new FormData();
      body.set("file", new File([Uint8Array.fromBase64("${body}")], "song.wav", { type: "audio/wav" }));
      return (await fetch("/api/projects/${project}/assets", { method: "POST", headers: { "x-reelwright-page": "1" }, body })).json();
    })()`);
    await openWork(2, { editorData: { videoTrack: clips(2) }, audioUrl: asset.url, audio: { loop: true } });
    await page.until(`document.querySelector(".strip-wave path")`);
    const seen = await page.evaluate(`[...document.querySelectorAll(".work-stage, .timeline")].map((each) => {
      const { top, bottom, height } = each.getBoundingClientRect();
      return { isInside: top >= 0 && bottom <= innerHeight, part: height / innerHeight };
    })`);
    expect(seen.map(({ isInside }: { isInside: boolean }) => isInside)).toEqual([true, true]);
    expect(seen[0].part).toBeGreaterThan(0.45);
    expect(page.problems).toEqual([]);
  });

  test("a key is set at the playhead, and moved and removed from its bar by keyboard", async () => {
    const path = await openWork(2, {
      editorData: { videoTrack: clips(2), textTrack: [{ id: "t-s", start: 0, end: 2 }] },
      textOverlays: { "t-s": { text: "Tea", fontSize: 10, centerX: 5, centerY: 0 } },
    });
    await choose("text t-s");
    const press = `[...document.querySelectorAll(".details .tool")].find((tool) => tool.textContent === "Set a key here")`;
    await page.until(press);
    await page.evaluate(`${press}.click()`);
    await page.until(`document.querySelectorAll(".strip-key").length === 1`);
    await page.evaluate(`document.querySelector(".strip-key").focus()`);
    await page.key("ArrowRight");
    await expectAccessible(page);
    const { keyframes } = (await saved(path)).textOverlays["t-s"];
    expect(keyframes.centerX).toHaveLength(1);
    expect(keyframes.centerX[0].value).toBe(5);
    await page.evaluate(`document.querySelector(".strip-key").focus()`);
    await page.key("Delete");
    await page.until(`!document.querySelector(".strip-key")`);
    expect((await saved(path)).textOverlays["t-s"].keyframes ?? undefined).toBeUndefined();
    expect(page.problems).toEqual([]);
  });

  test("dragging one of 200 bars draws nothing else", async () => {
    await openWork(10, {
      editorData: { videoTrack: clips(10), textTrack: texts },
      textOverlays: Object.fromEntries(texts.map(({ id }) => [id, { text: id, fontSize: 10 }])),
    });
    await page.until(`document.querySelectorAll(".strip-bar").length >= 200`);
    await page.until(`document.querySelectorAll(".scene-card img").length === 10`);
    const changed = await page.evaluate(`(async () => {
      const bar = document.querySelector(${script(bar("text t-40-s"))});
      const area = document.querySelector(".lanes");
      area.setPointerCapture = () => {};
      const { x, y } = bar.getBoundingClientRect();
      const send = (type, by) => bar.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, button: 0, buttons: 1, clientX: x + 20 + by, clientY: y + 8 }));
      const changed = new Set();
      const observer = new MutationObserver((records) => records.forEach(({ target }) => target !== bar && changed.add(target.className)));
      send("pointerdown", 0);
      for (const part of [".panel", ".timeline", ".work-head"])
        observer.observe(document.querySelector(part), { subtree: true, childList: true, attributes: true });
      for (let at = 1; at <= 30; at++) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        send("pointermove", at * 4);
      }
      await new Promise((resolve) => requestAnimationFrame(resolve));
      observer.disconnect();
      send("pointerup", 120);
      return [...changed];
    })()`);
    // the line that shows what an edge meets
    expect(changed.filter((name: string) => !/strip-met|track/.test(name))).toEqual([]);
  });

  test("words are found with their lines, replaced in the other films of the project, and these exported again", async () => {
    project = (await call("POST", "/api/projects", { name: "Words" })).id;
    const editor = {
      editorData: { videoTrack: clips(2), textTrack: [{ id: "a-s", start: 0, end: 1 }] },
      textOverlays: { "a-s": { text: "Tea is ready", fontSize: 20 } },
    };
    const other = await openWork(2, editor);
    const workId = other.split("/").at(-1);
    const first = await call("POST", "/api/exports", { projectId: project, workId });
    await page.evaluate(`(async () => {
      while ((await (await fetch("/api/exports/${first.id}")).json()).status !== "done") await new Promise((next) => setTimeout(next, 50));
    })()`);
    await openWork(2, editor);
    await page.evaluate(`document.querySelector(".panel > .switch label:nth-of-type(2) input").click()`);
    await page.until(`document.querySelector(".replace input")`);
    await page.evaluate(`document.querySelector(".replace input").focus()`);
    await page.type("tea");
    await page.key("Tab");
    await page.type("Coffee");
    await page.until(`document.querySelector(".hits ins")`);
    expect(
      await page.evaluate(
        `[...document.querySelectorAll(".replace > .hits > li")].map(({ textContent }) => textContent)`,
      ),
    ).toEqual(["TeaCoffee is ready", "TeaCoffee"]);
    const last = `[...document.querySelectorAll(".replace button")].at(-1)`;
    await page.evaluate(`${last}.click()`);
    await page.until(`document.querySelector(".replace section a")`);
    await expectAccessible(page, ".replace");
    await page.evaluate(`${last}.click()`);
    await page.until(`${last}.textContent.startsWith("Export them again, in about ")`);
    const changed = await call("GET", other);
    expect(changed.editorState.textOverlays["a-s"].text).toBe("Coffee is ready");
    expect(changed.scenes[0].text_overlay).toBe("Coffee");
    await page.evaluate(`${last}.click()`);
    await page.until(
      `document.querySelector(".replace section [role=status]").textContent.startsWith("They are being exported")`,
    );
    const { exports } = await call("GET", "/api/exports?limit=100");
    expect(exports.filter((job: { workId: string }) => job.workId === workId)).toHaveLength(2);
    // the first is the save itself
    const [, before] = (await call("GET", `${other}/versions`)).versions;
    const restored = await call("POST", `${other}/versions/${before.id}/restore`);
    expect(restored.editorState.textOverlays["a-s"].text).toBe("Tea is ready");
    expect(page.problems).toEqual([]);
  });
});
