import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Checkpoint } from "../../../src/domain/idempotency/checkpoints.ts";
import type { IdempotencyStore, KeyClaim, StoredResponse } from "../../../src/domain/idempotency/idempotency.ts";
import { idempotencyStore } from "../../../src/storage/stores/idempotency.ts";
import { type FreshDatabase, freshDatabase } from "../../helpers/database.ts";
import { addUser } from "../samples.ts";

let database: FreshDatabase;
let store: IdempotencyStore;
let request: { userId: string; key: string; fingerprint: string };

beforeAll(async () => {
  database = await freshDatabase();
  store = idempotencyStore(database.db);
});
afterAll(() => database.close());
beforeEach(async () => {
  request = { userId: (await addUser(database.db)).id, key: "a key", fingerprint: "of the request" };
});

const inADay = () => Date.now() + 24 * 60 * 60 * 1000;

const claim = (claimId: string, changes: Partial<typeof request> = {}, leaseMs = 60_000, expiresAt = inADay()) =>
  store.claim({ ...request, ...changes, claimId }, { leaseMs, expiresAt });

const heldBy = (claimId: string): KeyClaim => ({ ...request, claimId });

const response: StoredResponse = {
  status: 200,
  headers: { "content-type": "application/json" },
  body: '{"b":1,"a":"\\u0000"}',
};

/** The checkpoints that the next claim of the key finds. */
async function nextCheckpoints(): Promise<Record<string, Checkpoint>> {
  const claimed = await claim(crypto.randomUUID());
  if (claimed.state !== "claimed") throw new Error(claimed.state);
  return Object.fromEntries(claimed.checkpoints);
}

test("one of twenty concurrent claims of a key succeeds", async () => {
  const states = await Promise.all(Array.from({ length: 20 }, (_, index) => claim(`${index}`)));

  expect(states.map(({ state }) => state).toSorted()).toEqual(["claimed", ...Array(19).fill("in_progress")]);
});

test("one of twenty concurrent claims of a key with an expired lease succeeds", async () => {
  await claim("gone", {}, 0);
  const states = await Promise.all(Array.from({ length: 20 }, (_, index) => claim(`${index}`)));

  expect(states.map(({ state }) => state).toSorted()).toEqual(["claimed", ...Array(19).fill("in_progress")]);
});

test("keys are per user, and a key belongs to one request", async () => {
  await claim("first");
  const other = await addUser(database.db);

  expect(await claim("second", { fingerprint: "of another" })).toEqual({ state: "mismatch" });
  expect(await claim("second", { userId: other.id, fingerprint: "of another" })).toMatchObject({ state: "claimed" });
  expect(await claim("second", { key: "another key" })).toMatchObject({ state: "claimed" });
});

test("a stored response is returned unchanged, and only for the same request", async () => {
  await claim("first");
  expect(await store.complete(heldBy("first"), response)).toBe(true);

  expect(await claim("second")).toEqual({ state: "completed", response });
  expect(await claim("second", { fingerprint: "of another" })).toEqual({ state: "mismatch" });
});

test("a stored response can be a file", async () => {
  const video = { status: 200, headers: {}, file: { key: "user/export.mp4", sizeBytes: 5_000_000_000 } };
  await claim("first");
  await store.complete(heldBy("first"), video);

  expect(await claim("second")).toEqual({ state: "completed", response: video });
});

test("a claim returns the checkpoints of earlier attempts", async () => {
  await claim("first", {}, 0);
  const result = { b: [1, "\0\ud800", null], a: { ["__proto__"]: 0.1 } };
  await Promise.all([
    store.saveCheckpoint(heldBy("first"), "image 1", { state: "started" }),
    store.saveCheckpoint(heldBy("first"), "image 2", { state: "done", result }),
    store.saveCheckpoint(heldBy("first"), 'it\'s a "job" \\ {}', { state: "job", id: "v1_x" }),
    store.saveCheckpoint(heldBy("first"), "refused", { state: "started" }),
  ]);
  await store.clearCheckpoint(heldBy("first"), "refused");

  const found = await nextCheckpoints();
  expect(found).toEqual({
    "image 1": { state: "started" },
    "image 2": { state: "done", result },
    'it\'s a "job" \\ {}': { state: "job", id: "v1_x" },
  });
  expect(JSON.stringify(found["image 2"])).toBe(JSON.stringify({ state: "done", result }));
});

test("a later checkpoint of a step replaces the earlier one", async () => {
  await claim("first", {}, 0);
  for (const step of [{ state: "started" }, { state: "job", id: "1" }, { state: "done", result: 2 }] as const) {
    expect(await store.saveCheckpoint(heldBy("first"), "video", step)).toBe(true);
  }

  expect(await nextCheckpoints()).toEqual({ video: { state: "done", result: 2 } });
});

test("a lost claim changes nothing", async () => {
  await claim("slow", {}, 0);
  await claim("quick");

  expect(await store.renew(heldBy("slow"), 0)).toBe(false);
  expect(await store.saveCheckpoint(heldBy("slow"), "image", { state: "started" })).toBe(false);
  expect(await store.clearCheckpoint(heldBy("slow"), "image")).toBe(false);
  expect(await store.complete(heldBy("slow"), response)).toBe(false);
  await store.release(heldBy("slow"));

  expect(await claim("third")).toEqual({ state: "in_progress" });
  expect(await store.complete(heldBy("quick"), response)).toBe(true);
  expect(await store.complete(heldBy("quick"), { ...response, body: "another" })).toBe(false);
  expect(await claim("third")).toEqual({ state: "completed", response });
});

test("a claim is held while it is renewed", async () => {
  await claim("first", {}, 0);
  expect(await store.renew(heldBy("first"), 60_000)).toBe(true);
  expect(await claim("second")).toEqual({ state: "in_progress" });

  await store.renew(heldBy("first"), 0);
  expect(await claim("second")).toMatchObject({ state: "claimed" });
});

test("releasing a key without checkpoints frees it for any request", async () => {
  await claim("first");
  await store.release(heldBy("first"));

  expect(await claim("second", { fingerprint: "of another" })).toMatchObject({ state: "claimed" });
});

test("releasing a key with a checkpoint frees it for the same request only", async () => {
  await claim("first");
  await store.saveCheckpoint(heldBy("first"), "image", { state: "done", result: 1 });
  await store.release(heldBy("first"));

  expect(await claim("second", { fingerprint: "of another" })).toEqual({ state: "mismatch" });
  expect(await nextCheckpoints()).toEqual({ image: { state: "done", result: 1 } });
});

test("releaseAll frees all claims at once and keeps their checkpoints", async () => {
  await claim("first");
  await store.saveCheckpoint(heldBy("first"), "image", { state: "started" });
  await store.releaseAll();

  expect(await nextCheckpoints()).toEqual({ image: { state: "started" } });
});

test("an expired key is free for any request, completed or not", async () => {
  for (const end of [() => store.complete(heldBy("first"), response), () => store.renew(heldBy("first"), 60_000)]) {
    await claim("first", {}, 60_000, 1_000);
    await end();
    expect(await claim("second", { fingerprint: "of another" })).toEqual({ state: "claimed", checkpoints: new Map() });
    await store.release(heldBy("second"));
  }
});

test("expired rows are listed with the keys of their files, and removed unless they were claimed again", async () => {
  await claim("first", {}, 60_000, 1_000);
  await store.complete(heldBy("first"), { status: 200, headers: {}, file: { key: "user/old.mp4", sizeBytes: 1 } });
  await claim("first", { key: "young" });
  await claim("first", { key: "old, of no file" }, 60_000, 1_500);

  const expired = await store.listExpired(2_000);
  expect(expired.map(({ fileKeys }) => fileKeys)).toEqual([["user/old.mp4"], []]);
  await claim("second", {}, 60_000, 3_000);
  await store.removeExpired(
    expired.map(({ id }) => id),
    2_000,
  );

  expect(await store.listExpired(4_000)).toBeArrayOfSize(1);
  expect(await claim("second", { key: "young" })).toEqual({ state: "in_progress" });
});
