import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Checkpoint } from "../../../src/domain/idempotency/checkpoints.ts";
import type { IdempotencyStore, KeyClaim, StoredResponse } from "../../../src/domain/idempotency/idempotency.ts";
import { idempotencyStore } from "../../../src/storage/stores/idempotency.ts";
import { type FreshDatabase, freshDatabase } from "../../helpers/database.ts";
import { addUser } from "../samples.ts";

let database: FreshDatabase;
let answers: IdempotencyStore;
let request: { userId: string; key: string; fingerprint: string };

beforeAll(async () => {
  database = await freshDatabase();
  answers = idempotencyStore(database.db);
});
afterAll(() => database.close());
beforeEach(async () => {
  request = { userId: (await addUser(database.db)).id, key: "a key", fingerprint: "of the request" };
});

const inADay = () => Date.now() + 24 * 60 * 60 * 1000;

const claim = (claimId: string, changes: Partial<typeof request> = {}, leaseMs = 60_000, expiresAt = inADay()) =>
  answers.claim({ ...request, ...changes, claimId }, { leaseMs, expiresAt });

const named = (claimId: string): KeyClaim => ({ ...request, claimId });

const answer: StoredResponse = {
  status: 200,
  headers: { "content-type": "application/json" },
  body: '{"b":1,"a":"\\u0000"}',
};

/** What the next one who claims finds of earlier tries. */
async function left(): Promise<Record<string, Checkpoint>> {
  const claimed = await claim(crypto.randomUUID());
  if (claimed.state !== "mine") throw new Error(claimed.state);
  return Object.fromEntries(claimed.steps);
}

test("of twenty that claim one key at once, one gets it", async () => {
  const states = await Promise.all(Array.from({ length: 20 }, (_, index) => claim(`${index}`)));

  expect(states.map(({ state }) => state).toSorted()).toEqual(["mine", ...Array(19).fill("running")]);
});

test("of twenty that claim a key whose worker is gone, one gets it", async () => {
  await claim("gone", {}, 0);
  const states = await Promise.all(Array.from({ length: 20 }, (_, index) => claim(`${index}`)));

  expect(states.map(({ state }) => state).toSorted()).toEqual(["mine", ...Array(19).fill("running")]);
});

test("keys are per user, and one names one request only", async () => {
  await claim("first");
  const other = await addUser(database.db);

  expect(await claim("second", { fingerprint: "of another" })).toEqual({ state: "mismatch" });
  expect(await claim("second", { userId: other.id, fingerprint: "of another" })).toMatchObject({ state: "mine" });
  expect(await claim("second", { key: "another key" })).toMatchObject({ state: "mine" });
});

test("an answer is given as it was kept, and to nobody else's request", async () => {
  await claim("first");
  expect(await answers.finish(named("first"), answer)).toBe(true);

  expect(await claim("second")).toEqual({ state: "answered", answer });
  expect(await claim("second", { fingerprint: "of another" })).toEqual({ state: "mismatch" });
});

test("an answer that is a file tells which", async () => {
  const film = { status: 200, headers: {}, file: { key: "user/film.mp4", sizeBytes: 5_000_000_000 } };
  await claim("first");
  await answers.finish(named("first"), film);

  expect(await claim("second")).toEqual({ state: "answered", answer: film });
});

test("what earlier tries did is there for the next one, one step beside the other", async () => {
  await claim("first", {}, 0);
  const result = { b: [1, "\0\ud800", null], a: { ["__proto__"]: 0.1 } };
  await Promise.all([
    answers.keepStep(named("first"), "image 1", { state: "started" }),
    answers.keepStep(named("first"), "image 2", { state: "done", result }),
    answers.keepStep(named("first"), 'it\'s a "job" \\ {}', { state: "job", id: "v1_x" }),
    answers.keepStep(named("first"), "refused", { state: "started" }),
  ]);
  await answers.forgetStep(named("first"), "refused");

  const kept = await left();
  expect(kept).toEqual({
    "image 1": { state: "started" },
    "image 2": { state: "done", result },
    'it\'s a "job" \\ {}': { state: "job", id: "v1_x" },
  });
  expect(JSON.stringify(kept["image 2"])).toBe(JSON.stringify({ state: "done", result }));
});

test("a step that goes on replaces what was kept of it", async () => {
  await claim("first", {}, 0);
  for (const step of [{ state: "started" }, { state: "job", id: "1" }, { state: "done", result: 2 }] as const) {
    expect(await answers.keepStep(named("first"), "video", step)).toBe(true);
  }

  expect(await left()).toEqual({ video: { state: "done", result: 2 } });
});

test("whoever lost the claim changes nothing any more", async () => {
  await claim("slow", {}, 0);
  await claim("quick");

  expect(await answers.renew(named("slow"), 0)).toBe(false);
  expect(await answers.keepStep(named("slow"), "image", { state: "started" })).toBe(false);
  expect(await answers.forgetStep(named("slow"), "image")).toBe(false);
  expect(await answers.finish(named("slow"), answer)).toBe(false);
  await answers.release(named("slow"));

  expect(await claim("third")).toEqual({ state: "running" });
  expect(await answers.finish(named("quick"), answer)).toBe(true);
  expect(await answers.finish(named("quick"), { ...answer, body: "another" })).toBe(false);
  expect(await claim("third")).toEqual({ state: "answered", answer });
});

test("a claim lasts while it is renewed", async () => {
  await claim("first", {}, 0);
  expect(await answers.renew(named("first"), 60_000)).toBe(true);
  expect(await claim("second")).toEqual({ state: "running" });

  await answers.renew(named("first"), 0);
  expect(await claim("second")).toMatchObject({ state: "mine" });
});

test("a key given up without any step is as if never used", async () => {
  await claim("first");
  await answers.release(named("first"));

  expect(await claim("second", { fingerprint: "of another" })).toMatchObject({ state: "mine" });
});

test("a key given up with a step kept stays with its request", async () => {
  await claim("first");
  await answers.keepStep(named("first"), "image", { state: "done", result: 1 });
  await answers.release(named("first"));

  expect(await claim("second", { fingerprint: "of another" })).toEqual({ state: "mismatch" });
  expect(await left()).toEqual({ image: { state: "done", result: 1 } });
});

test("where nobody else can be working, every claim is free at once", async () => {
  await claim("first");
  await answers.keepStep(named("first"), "image", { state: "started" });
  await answers.releaseAll();

  expect(await left()).toEqual({ image: { state: "started" } });
});

test("a key past its time is free for any request, answered or not", async () => {
  for (const end of [() => answers.finish(named("first"), answer), () => answers.renew(named("first"), 60_000)]) {
    await claim("first", {}, 60_000, 1_000);
    await end();
    expect(await claim("second", { fingerprint: "of another" })).toEqual({ state: "mine", steps: new Map() });
    await answers.release(named("second"));
  }
});

test("clearing out removes what is past its time, and names the files of it", async () => {
  await claim("first", {}, 60_000, 1_000);
  await answers.finish(named("first"), { status: 200, headers: {}, file: { key: "user/old.mp4", sizeBytes: 1 } });
  await claim("first", { key: "young" });
  await claim("first", { key: "old, of no file" }, 60_000, 1_500);

  expect(await answers.removeExpired(2_000)).toEqual(["user/old.mp4"]);
  expect(await claim("second", { key: "young" })).toEqual({ state: "running" });
});
