import { afterAll, expect, test } from "bun:test";
import { Readable } from "node:stream";
import { putGenerated } from "../../../src/domain/works/media.ts";
import { testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

const service = await testService();
const ann = await service.register("Ann");
afterAll(() => service.close());

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
  const words = await frame(withLabel(request, { text: "KI · Enthält KI-generierte Inhalte", place: "top_left" }), 1);
  expect(german.equals(words)).toBe(true);
  const arabic = await film("google", "ar");
  const right = await frame(withLabel(arabic, { text: "KI", place: "top_right" }), 1);
  expect((await frame(withLabel(arabic, { text: "KI" }), 1)).equals(right)).toBe(true);
});
