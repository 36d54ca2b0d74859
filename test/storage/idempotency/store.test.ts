import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { and, eq, lte } from "drizzle-orm";
import type { Checkpoint } from "../../../src/domain/idempotency/checkpoints.ts";
import type { IdempotencyStore, KeyClaim, StoredResponse } from "../../../src/domain/idempotency/idempotency.ts";
import { idempotencyStore } from "../../../src/storage/idempotency/store.ts";
import { idempotencyKeys } from "../../../src/storage/tables/idempotency.ts";
import { type FreshDatabase, freshDatabase } from "../../support/database.ts";
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

/** By the holder of the key's lease. */
const claim = (claimId: string, changes: Partial<typeof request> = {}, expiresAt = inADay()) =>
  store.claim({ ...request, ...changes, claimId, expiresAt });

/** Leases the key as the release before this one does. */
const leaseByColumn = (leasedUntil: number) => database.db.update(idempotencyKeys).set({ leasedUntil });

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

test("the holder of the lease takes over the claim of an attempt that was interrupted", async () => {
  await claim("gone");
  expect(await store.find(request)).toEqual({ state: "in_progress" });
  expect(await claim("next")).toMatchObject({ state: "claimed" });
  expect(await store.complete(heldBy("gone"), response)).toBe(false);
});

test("a key that the release before this one holds is in progress until its lease expires", async () => {
  await claim("of the release before");
  await leaseByColumn(Date.now() + 60_000);
  expect(await claim("next")).toEqual({ state: "in_progress" });

  await leaseByColumn(Date.now());
  expect(await claim("next")).toMatchObject({ state: "claimed" });
});

test("the release before this one takes over no key that is held, and one that was released", async () => {
  const freeForIt = () =>
    database.db.$count(
      idempotencyKeys,
      and(eq(idempotencyKeys.userId, request.userId), lte(idempotencyKeys.leasedUntil, Date.now())),
    );
  await claim("first");
  await store.saveCheckpoint(heldBy("first"), "image", { state: "started" });
  expect(await freeForIt()).toBe(0);

  await store.release(heldBy("first"));
  expect(await freeForIt()).toBe(1);
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
  await claim("first");
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
  await claim("first");
  for (const step of [{ state: "started" }, { state: "job", id: "1" }, { state: "done", result: 2 }] as const) {
    expect(await store.saveCheckpoint(heldBy("first"), "video", step)).toBe(true);
  }

  expect(await nextCheckpoints()).toEqual({ video: { state: "done", result: 2 } });
});

test("a lost claim changes nothing", async () => {
  await claim("slow");
  await claim("quick");

  expect(await store.saveCheckpoint(heldBy("slow"), "image", { state: "started" })).toBe(false);
  expect(await store.clearCheckpoint(heldBy("slow"), "image")).toBe(false);
  expect(await store.complete(heldBy("slow"), response)).toBe(false);
  await store.release(heldBy("slow"));

  expect(await store.complete(heldBy("quick"), response)).toBe(true);
  expect(await store.complete(heldBy("quick"), { ...response, body: "another" })).toBe(false);
  expect(await claim("third")).toEqual({ state: "completed", response });
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

test("an expired key is free for any request, completed or not", async () => {
  for (const end of [() => store.complete(heldBy("first"), response), async () => {}]) {
    await claim("first", {}, 1_000);
    await end();
    expect(await claim("second", { fingerprint: "of another" })).toEqual({ state: "claimed", checkpoints: new Map() });
    await store.release(heldBy("second"));
  }
});

test("expired rows are listed with the keys of their files, and removed unless they were claimed again", async () => {
  await claim("first", {}, 1_000);
  await store.complete(heldBy("first"), { status: 200, headers: {}, file: { key: "user/old.mp4", sizeBytes: 1 } });
  await claim("first", { key: "young" });
  await claim("first", { key: "old, of no file" }, 1_500);

  const expired = await store.listExpired(2_000);
  expect(expired.map(({ fileKeys }) => fileKeys)).toEqual([["user/old.mp4"], []]);
  await claim("second", {}, 3_000);
  await store.removeExpired(
    expired.map(({ id }) => id),
    2_000,
  );

  expect(await store.listExpired(4_000)).toBeArrayOfSize(1);
  expect(await store.find({ ...request, key: "young" })).toEqual({ state: "in_progress" });
  expect(await database.db.$count(idempotencyKeys, eq(idempotencyKeys.key, "young"))).toBe(1);
});
