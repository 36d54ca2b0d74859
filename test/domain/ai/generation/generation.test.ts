import { afterAll, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drawInto, imageTaskOf } from "../../../../src/domain/ai/generation/generation.ts";
import type { Place } from "../../../../src/domain/ai/generation/scene-lock.ts";
import type { ImageModel } from "../../../../src/domain/ai/models.ts";
import { providerCall } from "../../../../src/domain/ai/provider-calls.ts";
import { type Checkpoint, keyedSteps } from "../../../../src/domain/idempotency/checkpoints.ts";
import { diskFiles } from "../../../../src/storage/files/disk-files.ts";
import { png } from "../../../helpers/uploads.ts";

const folder = await mkdtemp(join(tmpdir(), "reelwright-"));
const files = await diskFiles(folder);
afterAll(() => rm(folder, { recursive: true, force: true }));

const wish = { prompt: "A kettle", negativePrompt: "", instruction: "" };
const task = imageTaskOf(wish, { width: 64, height: 36 });

test("a picture that was drawn before a crash is placed by the next try, and not paid for again", async () => {
  let drawn = 0;
  const model: ImageModel = {
    isBilled: true,
    draw: async () => {
      drawn++;
      return png(64, 36).bytes();
    },
  };
  const kept = new Map<string, Checkpoint>();
  const memory = {
    keep: async (name: string, step: Checkpoint) => Boolean(kept.set(name, step)),
    forget: async (name: string) => kept.delete(name),
  };
  const draw = (place: Place) => {
    const { signal } = new AbortController();
    const ports = { usage: { add: async () => {} }, settings: { providerTimeoutMs: 20_000 } };
    // safe because a call is noted by its user's id alone
    const caller = { user: { id: "user_1" } } as Parameters<typeof providerCall>[1];
    const call = providerCall(ports, caller, signal, keyedSteps(memory, new Map(kept), signal));
    return drawInto({ files }, { call, model }, task, place);
  };

  // a process that dies while it looks at the picture
  await new Promise<void>((reached) => void draw(() => new Promise(() => reached())));
  const placed: Uint8Array[] = [];
  const place: Place = async ({ path }) => {
    placed.push(await Bun.file(path).bytes());
    return "/here";
  };
  expect([await draw(place), await draw(place)]).toEqual(["/here", "/here"]);

  expect([drawn, placed]).toEqual([1, [await png(64, 36).bytes()]]);
  expect(await readdir(join(folder, "files/drawn"))).toEqual([]);
});
