import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Models, VideoTask } from "../../../src/domain/ai/models.ts";
import { type Reuse, reusingModels } from "../../../src/domain/films/reuse.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));
const path = join(folder, "picture.png");
await Bun.write(path, "picture");

/** The input that a clip is remembered by. */
async function hashOfClip(task: Partial<VideoTask>): Promise<string | undefined> {
  const hashes: string[] = [];
  const video = { isBilled: true, animate: async () => ({ sha256: "made" }) };
  // safe because nothing else is read
  const models = { select: () => ({ id: "model" }), video: () => video } as unknown as Models;
  const reuse = {
    find: async () => undefined,
    remember: ({ hash }) => void hashes.push(hash),
  } as Partial<Reuse> as Reuse;
  const full = { prompt: "A cup", durationSeconds: 5, image: { path }, ...task } as VideoTask;
  await reusingModels(models, reuse)
    .video({})
    .animate(full, {} as never, {} as never);
  return hashes[0];
}

test("a clip that was made with other pictures of the product is another one", async () => {
  const picture = (text: string) => ({ bytes: new TextEncoder().encode(text), mimeType: "image/png" });
  const hashes = await Promise.all(
    [[], [picture("cup")], [picture("bag")]].map((references) => hashOfClip({ references } as Partial<VideoTask>)),
  );
  expect(new Set(hashes).size).toBe(3);
  expect(await hashOfClip({})).toBe(hashes[0]);
});
