import { afterAll, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drawAndStore } from "../../../../src/domain/ai/generation/generation.ts";
import { imageTaskOf } from "../../../../src/domain/ai/generation/prompts.ts";
import type { StoreMedia } from "../../../../src/domain/ai/generation/scene-progress.ts";
import type { ImageModel } from "../../../../src/domain/ai/models.ts";
import { providerCall } from "../../../../src/domain/ai/provider-calls.ts";
import { type Checkpoint, CheckpointedSteps } from "../../../../src/domain/idempotency/checkpoints.ts";
import { DomainError } from "../../../../src/errors.ts";
import { diskFiles } from "../../../../src/storage/files/disk-files.ts";
import { codeOf } from "../../../storage/samples.ts";
import { ledgerPorts } from "../../../support/models/model-calls.ts";
import { png } from "../../../support/uploads.ts";

const folder = await mkdtemp(join(tmpdir(), "reelwright-"));
const files = await diskFiles(folder);
afterAll(() => rm(folder, { recursive: true, force: true }));

const shot = { prompt: "A kettle", negativePrompt: "", instruction: "" };
const task = imageTaskOf(shot, { width: 64, height: 36 });

/** A billed model and a request with an Idempotency-Key; each call of `draw` is one attempt at the request. */
function billedRequest() {
  let drawCount = 0;
  const model: ImageModel = {
    isBilled: true,
    draw: async () => {
      drawCount++;
      return png(64, 36).bytes();
    },
  };
  const saved = new Map<string, Checkpoint>();
  const store = {
    save: async (name: string, checkpoint: Checkpoint) => Boolean(saved.set(name, checkpoint)),
    clear: async (name: string) => saved.delete(name),
  };
  const draw = (storeMedia: StoreMedia) => {
    const { signal } = new AbortController();
    const ports = { ...ledgerPorts(), settings: { providerTimeoutMs: 20_000 } };
    // safe because a call reads only the user's id
    const caller = { user: { id: "user_1" } } as Parameters<typeof providerCall>[1];
    const call = providerCall(ports, caller, signal, new CheckpointedSteps(store, new Map(saved), signal));
    return drawAndStore({ files }, { call, model }, task, storeMedia);
  };
  const stored: Uint8Array[] = [];
  const storeMedia: StoreMedia = async ({ path }) => {
    stored.push(await Bun.file(path).bytes());
    return "/here";
  };
  return { draw, storeMedia, stored, drawCount: () => drawCount };
}

test("an image that was drawn before a crash is stored by the next attempt and not paid for again", async () => {
  const { draw, storeMedia, stored, drawCount } = billedRequest();

  // a process that crashes while it stores the image
  await new Promise<void>((reached) => void draw(() => new Promise(() => reached())));
  expect([await draw(storeMedia), await draw(storeMedia)]).toEqual(["/here", "/here"]);

  expect([drawCount(), stored]).toEqual([1, [await png(64, 36).bytes()]]);
  expect(await readdir(join(folder, "files"))).toEqual([]);
});

test("a drawn image stays for the next attempt if the database does not respond", async () => {
  const { draw, storeMedia, stored, drawCount } = billedRequest();

  expect(await codeOf(draw(() => Promise.reject(new DomainError("unavailable", {}))))).toBe("unavailable");
  expect(await draw(storeMedia)).toBe("/here");

  expect([drawCount(), stored]).toEqual([1, [await png(64, 36).bytes()]]);
  expect(await readdir(join(folder, "files"))).toEqual([]);
});
