import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import type { Ffmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { type Browser, chromiumPath, openBrowser, type Page } from "../support/browser.ts";
import { foundFfmpeg, temporaryFolder } from "../support/media/ffmpeg.ts";
import { testService } from "../support/service.ts";
import { newWork, numberedVideo } from "../support/work-videos.ts";

const found = await foundFfmpeg();
/** Segments in `standard` are rendered once this is resolved. */
let standardMayRun = Promise.resolve();
/** Called with the signals of those that wait for it. */
let onStandard = (_: AbortSignal | undefined) => {};
const run: Ffmpeg["run"] = async (command, options) => {
  if (command.outputArgs.includes("veryfast")) {
    onStandard(options?.signal);
    await standardMayRun;
  }
  return found.run(command, options);
};
const service = await testService({}, undefined, () => ({}), { ...found, run });
const folder = await temporaryFolder();
const script = await Bun.build({
  entrypoints: [new URL("player-page.ts", import.meta.url).pathname],
  target: "browser",
});
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch(request, bun) {
    const { pathname } = new URL(request.url);
    if (pathname === "/player.js") return new Response(script.outputs[0]);
    if (pathname === "/player") {
      const html =
        '<video id="player" muted></video><video id="film" muted></video><div id="app"></div><script src="/player.js"></script>';
      return new Response(html, { headers: { "content-type": "text/html" } });
    }
    return service.app.fetch(request, bun);
  },
});
const origin = `http://127.0.0.1:${server.port}`;
afterAll(async () => {
  await server.stop(true);
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

describe.skipIf(!chromiumPath)("in Chromium", () => {
  let browser: Browser;
  let page: Page;
  let request: object;
  let token = "";
  let path = "";
  beforeAll(async () => {
    const ann = await service.register("Ann");
    const work = await newWork(ann);
    await work.scene(0, await numberedVideo(folder, 100));
    await work.scene(1, await numberedVideo(folder, 300));
    request = {
      projectId: work.projectId,
      workId: work.workId,
      clips: [
        { sceneIndex: 0, position: 0, end: 1.3, transition: "fade", transitionDuration: 0.2 },
        { sceneIndex: 1, position: 1.3, end: 2.6 },
      ],
      options: { width: 128, height: 72, fps: 30 },
    };
    browser = await openBrowser();
    page = await browser.newPage();
    token = JSON.stringify(ann.accessToken);
    path = work.base;
    await open();
  });
  const open = async () => {
    await page.open(`${origin}/player`);
    await page.evaluate(`token = ${token}`);
  };
  afterAll(async () => {
    await browser?.close();
  });

  const withWord = (text: string) => ({ ...request, texts: [{ text, position: 0.5, end: 1, fontSize: 24 }] });
  const show = (body: object) => page.evaluate(`show(${JSON.stringify(body)})`);
  /** The frames of the player, and those of the export of the same body, each as a hash of its pixels. */
  const framesOf = (frames: readonly number[]) =>
    page.evaluate(`hashes(document.querySelector("#player"), ${JSON.stringify(frames)})`);
  async function exportedFrames(body: object, frames: readonly number[]) {
    await page.evaluate(`showExport(${JSON.stringify(body)})`);
    return page.evaluate(`hashes(document.querySelector("#film"), ${JSON.stringify(frames)})`);
  }
  const edges = async () => {
    const segments: { start: number; end: number }[] = await page.evaluate("preview.video.segments");
    return segments.flatMap(({ start, end }) => [start, Math.floor((start + end) / 2), end - 1]);
  };

  test("a draft plays at once, and the film's own frames replace it", async () => {
    const gate = Promise.withResolvers<void>();
    standardMayRun = gate.promise;
    await show(withWord("one"));
    await page.until(`player.readyState >= 2 && quality === "draft"`);
    expect(await page.evaluate("player.videoWidth")).toBe(64);
    await page.evaluate("player.play()");
    await page.until("player.currentTime > 0.3");
    await page.evaluate("player.pause()");
    gate.resolve();
    await page.until(`qualities().every((each) => each === "standard")`);
    expect(await page.evaluate("[quality, player.videoWidth]")).toEqual(["standard", 128]);
  });

  test("the first, middle and last frame of each segment are those of the export", async () => {
    const frames = await edges();
    expect(frames.length).toBeGreaterThan(12);
    const shown = await framesOf(frames);
    expect(shown).toEqual(await exportedFrames(withWord("one"), frames));
    expect(new Set(shown).size).toBe(frames.length);
  });

  test("a changed word replaces the segment that shows it, and no other is requested again", async () => {
    const before = page.requested.length;
    await show(withWord("two"));
    await page.until(`qualities().every((each) => each === "standard")`);
    const requested = page.requested.slice(before).filter((url) => /segments\/[^/]+$/.test(url));
    expect(new Set(requested.map((url) => /-(\d+)\?/.exec(url)![1]))).toEqual(new Set(["15"]));
    const frames = await edges();
    const shown = await framesOf(frames);
    expect(shown).toEqual(await exportedFrames(withWord("two"), frames));
    // across the replaced one, in playing
    await page.evaluate("player.currentTime = 0.3, player.play()");
    await page.until("player.currentTime > 1.2");
    await page.evaluate("player.pause()");
  });

  test("what an edit is about to change is not rendered any more, and is again if nothing changed", async () => {
    const gate = Promise.withResolvers<void>();
    standardMayRun = gate.promise;
    const asked = new Promise<AbortSignal | undefined>((resolve) => {
      onStandard = resolve;
    });
    await show(withWord("three"));
    const signal = await asked;
    const givenUp = new Promise((resolve) => signal?.addEventListener("abort", resolve));
    await page.evaluate("hold()");
    await givenUp;
    gate.resolve();
    await page.evaluate("resume()");
    await page.until(`qualities().every((each) => each === "standard")`);
    expect(await page.evaluate("failures")).toEqual([]);
  });

  test("a shorter film ends where it ends, with its sound", async () => {
    const [clip] = (request as { clips: object[] }).clips;
    const short = { ...request, clips: [{ ...clip, transition: "cut", end: 0.9 }] };
    await show(short);
    await page.until(`qualities().every((each) => each === "standard")`);
    await page.evaluate("player.currentTime = 0.5, player.play()");
    await page.until("player.ended");
    expect(await page.evaluate("Math.abs(player.duration - 0.9) < 0.001")).toBe(true);
    expect(await framesOf([0, 14, 15, 26])).toEqual(await exportedFrames(short, [0, 14, 15, 26]));
    expect(await page.evaluate("failures")).toEqual([]);
  });

  test("a word of a draft that is whole is changed, though its end is rounded", async () => {
    const gate = Promise.withResolvers<void>();
    standardMayRun = gate.promise;
    // of which nothing is rendered yet
    const clips = [{ sceneIndex: 1, position: 0, end: 1 }];
    await open();
    await show({ ...request, clips });
    await page.until(`qualities().every((each) => each === "draft")`);
    await page.evaluate("player.currentTime = 0.7, player.play()");
    await page.until("player.ended");
    expect(await page.evaluate("player.duration")).toBeLessThan(1);
    await show({ ...request, clips, texts: [{ text: "new", position: 0, end: 1, fontSize: 24 }] });
    await page.until(`failures.length > 0 || qualities().every((each) => each === "draft")`);
    gate.resolve();
    expect(await page.evaluate("failures")).toEqual([]);
  });

  const clip = (index: number) => ({ sceneIndex: index % 2, position: index, end: index + 1 });
  /** Fifty seconds, of which four half seconds are rendered. */
  const longFilm = () => ({ ...request, clips: Array.from({ length: 50 }, (_, index) => clip(index)) });
  const requestedStarts = () =>
    page.requested.flatMap((url) => /segments\/[0-9a-f]+-(\d+)\?/.exec(url)?.slice(1).map(Number) ?? []);

  /** Seeks to each of the frames of the long film, which are those of its export once they are no draft. */
  async function expectFilm(frames: readonly number[]) {
    const shown = [];
    for (const frame of frames) {
      await page.evaluate(`player.currentTime = ${(frame + 0.5) / 30}`);
      await page.until(`qualities()[${Math.floor(frame / 15)}] === "standard"`);
      shown.push(...(await framesOf([frame])));
    }
    expect(shown).toEqual(await exportedFrames(longFilm(), frames));
  }

  test("of a long film only what comes next is held, and it ends", async () => {
    await open();
    page.requested.length = 0;
    await show(longFilm());
    await page.until("player.readyState >= 2 && player.buffered.end(0) > 39");
    expect(Math.max(...requestedStarts())).toBeLessThan(40 * 30);
    await page.evaluate("player.currentTime = 49, player.play()");
    await page.until("player.ended");
    await expectFilm([0, 749, 1499]);
    expect(await page.evaluate("failures")).toEqual([]);
  });

  test("a browser without room holds less, and plays on", async () => {
    const room = `const append = SourceBuffer.prototype.appendBuffer;
      SourceBuffer.prototype.appendBuffer = function (bytes) {
        let seconds = 0;
        for (let at = 0; at < this.buffered.length; at++) seconds += this.buffered.end(at) - this.buffered.start(at);
        if (seconds > 22) throw new DOMException("full", "QuotaExceededError");
        return append.call(this, bytes);
      };`;
    await page.before(room, async () => {
      await open();
      page.requested.length = 0;
      await show(longFilm());
      await page.until("player.readyState >= 2 && player.buffered.end(0) >= 19.9");
      await expectFilm([907, 157, 1357]);
      expect(await page.evaluate("failures")).toEqual([]);
      expect(requestedStarts().length).toBeLessThan(400);
    });
  });

  test("a phone's media source plays, where there is no other", async () => {
    const phone = "globalThis.ManagedMediaSource = MediaSource; delete globalThis.MediaSource;";
    await page.before(phone, async () => {
      await open();
      await show(request);
      await page.evaluate("player.play()");
      await page.until("player.currentTime > 0.2");
      expect(await page.evaluate("[failures, player.disableRemotePlayback]")).toEqual([[], true]);
    });
  });

  test("without any media source there are frames, one after another", async () => {
    await page.before("delete globalThis.MediaSource; delete globalThis.ManagedMediaSource;", async () => {
      await open();
      await page.evaluate(`showPlayer(${JSON.stringify(request)}, ${JSON.stringify(path)})`);
      const shown = (frame: number) =>
        `document.querySelector("#app img")?.src.includes("t=${(frame + 0.5) / 30}&") && document.querySelector("#app img").complete
          && document.querySelector("#app img").naturalWidth === 128`;
      await page.until(shown(0));
      await page.evaluate(`document.querySelector(".frames button:last-child").click()`);
      await page.until(shown(1));
      page.requested.length = 0;
      const slide = `for (let at = 2; at <= 60; at++) { const range = document.querySelector("#app input"); range.value = at;
        range.dispatchEvent(new Event("input", { bubbles: true })); }`;
      await page.evaluate(slide);
      await page.until(shown(60));
      // the frames between are not drawn
      expect(page.requested.filter((url) => url.includes("/frame?")).length).toBeLessThan(5);
    });
    expect(page.problems).toEqual([]);
  });
});
