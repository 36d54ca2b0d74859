import { expect, test } from "bun:test";
import { Readable } from "node:stream";
import { putGenerated } from "../../../src/domain/works/media.ts";
import type { Box } from "../../../src/engine/timeline/overlay.ts";
import { pixelsOf, type Rgb } from "../../support/media/rgb.ts";
import { sharedService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");

/** A film of two scenes' images: an uploaded one, and one that a model of this provider has drawn. */
async function film(provider: string, language = "de") {
  const { workMedia, works } = service.services;
  const made = await newWork(ann, { name: "Film", language });
  await made.image(0, png(90, 160));
  const work = (await works.find(made.projectId, made.workId))!;
  const received = await service.services.files.receive(Readable.from([await png(80, 160).bytes()]), 10_000);
  const slot = "scene/1/image" as const;
  const origin = { inputHash: "0".repeat(64), model: { provider, model: "a model" } };
  await putGenerated(
    service.services,
    { work, slot, seen: await workMedia.find(work.id, slot), origin },
    received,
    ann.user.id,
  );
  const clips = [0, 1].map((sceneIndex) => ({ sceneIndex, position: sceneIndex * 4, end: sceneIndex * 4 + 4 }));
  return { projectId: made.projectId, workId: made.workId, clips, options: { width: 180, height: 320, fps: 10 } };
}

type Request = Awaited<ReturnType<typeof film>>;

const frame = async (request: object, t: number, target = "9:16"): Promise<Buffer> => {
  const response = await ann.json("POST", `/api/export/frame?t=${t}&target=${target}`, request);
  if (!response.ok) throw new Error(await response.text());
  return Buffer.from(await response.bytes());
};

const withLabel = (request: Request, disclosure: unknown) => ({
  ...request,
  options: { ...request.options, disclosure },
});

const isLabelled = async (request: Request, disclosure: unknown, t: number, target?: string): Promise<boolean> =>
  !(await frame(withLabel(request, disclosure), t, target)).equals(await frame(request, t, target));

const warningsOf = async (body: object): Promise<string[]> =>
  (await requireJson(ann.json("POST", "/api/export/validate", body))).warnings.map(
    ({ code }: { code: string }) => code,
  );

/** Around all pixels in which two pictures differ. */
function changedBox(one: Rgb, other: Rgb, across: number): Box {
  const places = Array.from(one, (level, index) => (level === other[index] ? -1 : Math.floor(index / 3)));
  const changed = places.filter((place) => place >= 0);
  const [columns, rows] = [changed.map((place) => place % across), changed.map((place) => Math.floor(place / across))];
  const [x, y] = [Math.min(...columns), Math.min(...rows)];
  return { x, y, width: Math.max(...columns) - x + 1, height: Math.max(...rows) - y + 1 };
}

test("auto labels a film with a part from a trained model, for six seconds, in each target", async () => {
  const request = await film("google");
  expect(await isLabelled(request, "auto", 0)).toBe(true);
  expect(await isLabelled(request, "auto", 5.9, "16:9")).toBe(true);
  expect(await isLabelled(request, "auto", 6)).toBe(false);
  expect(await isLabelled(request, "off", 0)).toBe(false);
  expect(await isLabelled(request, { from: 6, to: 7 }, 6.5)).toBe(true);
  expect(await warningsOf(request)).toContain("disclosure_missing");
  expect(await warningsOf(withLabel(request, "auto"))).not.toContain("disclosure_missing");
});

test("auto labels no film whose pictures were uploaded or drawn by rules", async () => {
  const request = await film("local");
  expect(await isLabelled(request, "auto", 0)).toBe(false);
  expect(await isLabelled(request, {}, 0)).toBe(true);
  expect(await warningsOf(request)).not.toContain("disclosure_missing");
});

test("the label is in the language of the work, and of captions before it", async () => {
  const request = await film("google");
  const german = await frame(withLabel(request, "auto"), 1);
  const words = await frame(withLabel(request, { text: "Enthält KI-generierte Inhalte", place: "top_left" }), 1);
  expect(german.equals(words)).toBe(true);
  const arabic = await film("google", "ar");
  const right = await frame(withLabel(arabic, { text: "KI", place: "top_right" }), 1);
  expect((await frame(withLabel(arabic, { text: "KI" }), 1)).equals(right)).toBe(true);
});

test("the label has an icon before its words, and keeps off the texts and captions of each target", async () => {
  const request = await film("google");
  const words = { ...request, clips: [{ sceneIndex: 0, position: 0, end: 4 }] };
  const labelOn = async (target: string, more: object, disclosure = {}) => {
    const shown = [undefined, { text: "A", ...disclosure }];
    const pictures = shown.map((one) => frame(withLabel({ ...words, ...more }, one), 1, target));
    const [before, after] = await Promise.all(pictures.map(async (picture) => pixelsOf(await picture)));
    return changedBox(before!, after!, 180);
  };
  const isAbove = ({ y, height }: Box, middle: number) => y + height < middle;
  const texts = [{ text: "Wide words", position: 0, end: 4, fontSize: 24, centerX: 0, centerY: -96 }];
  for (const [target, middle] of [
    ["9:16", 160],
    ["1:1", 90],
  ] as const) {
    const free = await labelOn(target, {});
    expect(isAbove(free, middle)).toBe(true);
    // one letter is narrow, the disc beside it is as wide as the label is high
    expect(free.width / free.height).toBeWithin(1.3, 2);
    expect(isAbove(await labelOn(target, { texts }, { place: "top_left" }), middle)).toBe(true);
    expect(isAbove(await labelOn(target, { texts }), middle)).toBe(false);
  }
  const captions = { srt: "1\n00:00:00,000 --> 00:00:04,000\nHello there my dear old friends\n" };
  expect(isAbove(await labelOn("9:16", { captions: { ...captions, position: "top" } }), 160)).toBe(false);
  // between a title and captions, where no place is free
  const { y } = await labelOn("9:16", { texts, captions });
  expect(y).toBeWithin(80, 150);
});

test("a label that cannot be is refused, with the field that is wrong", async () => {
  const request = await film("local");
  const refused = async (disclosure: unknown) => {
    const response = await ann.json("POST", "/api/export/frame?t=0", withLabel(request, disclosure));
    return [response.status, ((await response.json()) as { error: string }).error];
  };
  const forms = "Disclosure must be auto, off, or an object with text, from, to and place.";
  expect(await refused("yes")).toEqual([400, forms]);
  expect(await refused([])).toEqual([400, forms]);
  expect(await refused({ from: 3, to: 2 })).toEqual([400, "To must be later than from."]);
  expect(await refused({ place: "middle" })).toEqual([
    400,
    expect.stringContaining("wrong place: Must be one of: top_left"),
  ]);
});
