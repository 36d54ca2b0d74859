import { expect, test } from "bun:test";
import type { Batch } from "../../../src/domain/batches/batch.ts";
import { removeBatch, retryBatch } from "../../../src/domain/batches/changes.ts";
import type { Film } from "../../../src/domain/films/film.ts";

// safe because these changes read no other field
const aBatch = (fields: Partial<Batch>) => ({ id: "batch_1", projectId: "proj_1", order: {}, ...fields }) as Batch;

test("of two retries at once, the second one changes nothing", async () => {
  let stored = aBatch({ status: "partial", estimate: { low: "5", high: "9" }, checked: 3, endedAt: 1 });
  const batches = {
    reopen: async () => [2],
    change: async (_: unknown, edit: (found: Batch) => Batch) => (stored = edit(stored)),
  };
  // safe because a retry without keys uses these alone
  const retry = (seen: Batch) => retryBatch({ batches } as never, seen, {});
  const seen = stored;
  const again = await retry(seen);
  expect(again).toMatchObject({ status: "validating", recheck: [2], checked: 0 });
  expect(again.estimate).toBeUndefined();
  await expect(retry(seen)).rejects.toMatchObject({ code: "not_waiting" });
  expect(stored).toBe(again);
});

test("a removed batch that had ended cancels the job of a film that was retried since", async () => {
  const video = { id: "scene-0-video", kind: "video", checkpoints: { video: { state: "job", id: "job_1" } } };
  const order = { models: { video: { provider: "google" } } };
  const cancelled: string[] = [];
  const removed: string[] = [];
  // safe because a removal uses these alone
  const ports = {
    batches: { filmIds: async () => ["film_1"], remove: async () => ({ isGone: true, fileKeys: [] }) },
    films: {
      find: async () => ({ id: "film_1", projectId: "proj_1", status: "running", attempt: 1, order, steps: [video] }),
      keys: async () => ({}),
      change: async (_: unknown, edit: (found: Film) => Film) =>
        edit({ status: "running", attempt: 1, steps: [] } as unknown as Film),
      remove: async ({ id }: Film) => removed.push(id),
    },
    models: { video: () => ({ cancelJob: async (id: string) => cancelled.push(id) }) },
    files: { remove: async () => {} },
  } as never;
  await removeBatch(ports, aBatch({ status: "done" }));
  expect([cancelled, removed]).toEqual([["job_1"], ["film_1"]]);
});
