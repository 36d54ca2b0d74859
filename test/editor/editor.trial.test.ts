import { afterAll, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import { inter, loadBundledFont } from "../../src/engine/text/fonts/files.ts";
import { testedFfmpegs } from "../support/media/ffmpeg.ts";
import { type Rgb, rgbFrames } from "../support/media/rgb.ts";
import { sharedService } from "../support/service.ts";
import { EditorClient } from "./client.ts";
import { centerOf, type InkBox, inkBox, isGreen, isMagenta } from "./ink.ts";

/*
 * One person makes one film with an editor, from the sign-up to the MP4. The tests look at what the service holds at
 * each step, and at the film: it must show what the editor's preview shows.
 */

const service = await sharedService();
const folder = await mkdtemp(join(tmpdir(), "reelwright-editor-"));
const editor = new EditorClient(service.request, "http://localhost:5173");
const frame = { width: 180, height: 320 };
const fps = 10;
let film: readonly Rgb[] = [];
let warnings: readonly string[] = [];

afterAll(async () => {
  setSystemTime();
  await rm(folder, { recursive: true });
});

/** A green picture, twice as wide as high. */
function logo(): File {
  const canvas = createCanvas(200, 100);
  const context = canvas.getContext("2d");
  context.fillStyle = "#00e000";
  context.fillRect(0, 0, 200, 100);
  return new File([new Uint8Array(canvas.toBuffer("image/png"))], "logo.png");
}

const path = () => `/api/projects/${editor.projectId}/works/${editor.workId}`;
const savedWork = () => editor.json("GET", path());

const text = { text: "SALE", fontSize: 40, fontColor: "#ff00ff", centerX: 0, centerY: -60 };
const longText = { ...text, text: "HHH HHH HHH HHH HHH", fontSize: 24, centerY: 70 };

beforeAll(async () => {
  await editor.signUp(`ann.${crypto.randomUUID()}@example.com`);
  await editor.createProject("Launch", { styleGuide: { color_palette: ["#10202c", "#26323e", "#d8dde2"] } });
  await editor.createWork("Intro");
});

test("the last key typed is saved, and a number that is emptied again stays empty", async () => {
  await editor.change({ videoDuration: 12, sceneCount: 3, hasReferenceVideo: true });
  await editor.type("productName", "Sunrise Coffee");
  await editor.settle();
  expect(await savedWork()).toMatchObject({
    productName: "Sunrise Coffee",
    videoDuration: 12,
    sceneCount: 3,
    hasReferenceVideo: true,
  });

  await editor.change({ videoDuration: undefined, hasReferenceVideo: false });
  await editor.settle();
  await editor.load();
  expect(editor.brief).toMatchObject({ videoDuration: undefined, sceneCount: 3, hasReferenceVideo: false });
});

test("a description that is sent with an upload is stored", async () => {
  const { id } = await editor.uploadAsset(logo(), "The company's logo");
  expect(await editor.json("GET", `/api/projects/${editor.projectId}/assets/${id}/meta`)).toMatchObject({
    description: "The company's logo",
  });
});

test("a scene without a text on screen leaves it out, and all scenes can be sent back", async () => {
  await editor.change({ videoDuration: 3 });
  await editor.writeScenario();
  await editor.settle();
  const { scenes } = await savedWork();
  expect(scenes.length).toBe(3);
  expect(scenes.every((scene: object) => !("text_overlay" in scene) || typeof scene.text_overlay === "string")).toBe(
    true,
  );
  expect(scenes).toEqual(JSON.parse(JSON.stringify(editor.scenes)));
});

test("after a scene was removed, each image belongs to the scene in its place", async () => {
  await editor.removeScene(1);
  await editor.drawScene(0);
  await editor.drawScene(1);
  await editor.settle();
  const { scenes, generatedScenes } = await savedWork();
  expect(scenes.map(({ scene_index }: { scene_index: number }) => scene_index)).toEqual([1, 2]);
  expect(generatedScenes.map(({ imageUrl }: { imageUrl: string }) => imageUrl)).toEqual(
    [0, 1].map((place) => `${path()}/media/scene/${place}/image`),
  );
});

test("a film of scenes that the editor numbers from 1 shows them all", async () => {
  for (const place of [0, 1]) await editor.animateScene(place);
  editor.placeScenes();
  await editor.settle();
  const frames = await save(await editor.export(fps));
  expect(frames.length).toBe(Math.round(editor.timeline.seconds * fps));
});

test("after a reload the page's own address of an image is enough to make its video again", async () => {
  await editor.load();
  for (const place of [0, 1]) await editor.animateScene(place);
  await editor.settle();
  expect((await savedWork()).generatedScenes).toMatchObject([{ status: "done" }, { status: "done" }]);
});

describe("the film shows what the preview shows:", () => {
  beforeAll(async () => {
    const { id: assetId } = await editor.uploadAsset(logo(), "");
    editor.placeScenes();
    const { timeline } = editor;
    const { seconds } = timeline;
    timeline.addText(text, 0, seconds / 2);
    // dragged past the end
    timeline.addText(longText, 0, seconds * 1.25);
    const image = { assetId, width: 80, height: 80, opacity: 1, rotation: 0, maintainAspectRatio: true };
    timeline.addImage({ ...image, centerX: 30, centerY: 110 }, 0, seconds);
    timeline.clips[0]!.transitionType = "fade";
    const templateId = await editor.saveTemplate("Sale");
    await editor.applyTemplate(templateId);
    await editor.applyTemplate(templateId);
    await editor.settle();
    await editor.load();

    const response = await editor.export(fps);
    warnings = JSON.parse(response.headers.get("x-export-warnings") ?? "[]");
    film = await save(response);
  });

  test("as long as the timeline", () => {
    expect(film.length).toBe(Math.round(editor.timeline.seconds * fps));
  });

  test("the person's own text beside that of the template, also after it was applied twice", () => {
    const { textOverlays } = editor.timeline;
    const own = Object.keys(textOverlays).filter((id) => /^text-[12]-/.test(id));
    expect([own.length, Object.keys(textOverlays).length]).toEqual([2, 4]);
    expect(textOverlays[own[0]!]).toEqual(text);
  });

  test("a text in its place, in bold", () => {
    const box = inkIn(film[2]!, upperHalf, isMagenta);
    expectNear(centerOf(box), { x: frame.width / 2, y: frame.height / 2 + text.centerY });
    expectNear({ x: box.right - box.left, y: box.bottom - box.top }, boldInkSize(text.text, text.fontSize));
  });

  test("a long text wrapped within the frame, and centred", () => {
    const box = inkIn(film[2]!, middle, isMagenta);
    expect(box.right - box.left).toBeLessThanOrEqual(frame.width * 0.9);
    expect(box.bottom - box.top).toBeGreaterThan(longText.fontSize);
    expectNear(centerOf(box), { x: frame.width / 2, y: frame.height / 2 + longText.centerY });
  });

  test("an image contained in its box", () => {
    const box = inkIn(film[2]!, whole, isGreen);
    expectNear(centerOf(box), { x: frame.width / 2 + 30, y: frame.height / 2 + 110 });
    expectNear({ x: box.right - box.left, y: box.bottom - box.top }, { x: 80, y: 40 });
  });

  test("a soft transition of half a second, although the editor sends 0", () => {
    const cut = Math.round(editor.timeline.clips[0]!.end * fps);
    const changes = [0, 1, 2, 3, 4, 5].map((at) => difference(film[cut + at - 1]!, film[cut + at]!));
    const largest = Math.max(...changes);
    // a hard cut would be the only change
    expect(changes.filter((change) => change > largest / 4).length).toBeGreaterThan(2);
  });

  test("what the film tolerates is named in its response", () => {
    expect(warnings).toContain("overlay_past_end");
  });
});

test("a login lasts for days without a refresh", async () => {
  const inDays = (days: number) => setSystemTime(Date.now() + days * 86_400_000);
  inDays(6.9);
  expect(await savedWork()).toMatchObject({ id: editor.workId });
  inDays(0.2);
  await expect(savedWork()).rejects.toThrow("invalid_token");
});

async function save(response: Response): Promise<readonly Rgb[]> {
  const file = join(folder, "film.mp4");
  await Bun.write(file, await response.arrayBuffer());
  return rgbFrames(testedFfmpegs[0]!, file, frame);
}

type Rows = { readonly from: number; readonly to: number };
const whole: Rows = { from: 0, to: frame.height };
const upperHalf: Rows = { from: 0, to: frame.height / 2 };
const middle: Rows = { from: frame.height / 2, to: frame.height };

function inkIn(pixels: Rgb, { from, to }: Rows, isInk: typeof isMagenta): InkBox {
  const rows = pixels.subarray(from * frame.width * 3, to * frame.width * 3);
  const box = inkBox(rows, { width: frame.width, height: to - from }, isInk);
  return { ...box, top: box.top + from, bottom: box.bottom + from };
}

/** Within the two pixels that a preview and a film may differ. */
function expectNear(found: { x: number; y: number }, expected: { x: number; y: number }): void {
  expect(Math.abs(found.x - expected.x)).toBeLessThanOrEqual(2);
  expect(Math.abs(found.y - expected.y)).toBeLessThanOrEqual(2);
}

/** The size of the glyphs of one line, as a canvas draws it. */
function boldInkSize(line: string, fontSize: number) {
  const context = createCanvas(1, 1).getContext("2d");
  context.font = `700 ${fontSize}px "${loadBundledFont(inter, 700)}"`;
  const ink = context.measureText(line);
  return {
    x: ink.actualBoundingBoxLeft + ink.actualBoundingBoxRight,
    y: ink.actualBoundingBoxAscent + ink.actualBoundingBoxDescent,
  };
}

const difference = (one: Rgb, other: Rgb) =>
  one.reduce((sum, level, at) => sum + Math.abs(level - other[at]!), 0) / one.length;
