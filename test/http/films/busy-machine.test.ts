import { afterAll, afterEach, expect, test } from "bun:test";
import type { Services } from "../../../src/domain/services.ts";
import { DomainError } from "../../../src/errors.ts";
import { allPaid, type Json, paidFilms } from "../../support/paid-films.ts";
import { png, wav } from "../../support/uploads.ts";

const music = await wav().bytes();

function kindOf(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (start.startsWith("RIFF")) return music.length === bytes.length ? "music" : "voice";
  return start.includes("ftyp") ? "video" : "image";
}

/** What the next inspection of a file of each kind throws. */
const refusals = new Map<string, Error>();

/** Of pictures that are received. */
let isDiskFull = false;

const replaced = ({ inspector, files }: Services): Partial<Services> => ({
  files: {
    ...files,
    async receive(...args) {
      if (isDiskFull) throw new DomainError("storage_full", {});
      return await files.receive(...args);
    },
  },
  inspector: {
    ...inspector,
    async inspect(...args) {
      const kind = refusals.size > 0 ? kindOf(await Bun.file(args[0]).bytes()) : "";
      const error = refusals.get(kind);
      if (!error) return await inspector.inspect(...args);
      refusals.delete(kind);
      throw error;
    },
  },
});

const films = await paidFilms({}, replaced);
const { provider } = films;
afterAll(films.close);
afterEach(provider.reset);

const busy = () => new DomainError("busy", { retryAfterSeconds: 1 });
const noRoom = () => new DomainError("limit_reached", { quota: { limit: "storage_bytes", used: 1, allowed: 1 } });

/** As when the process that reads a file is killed because memory is short. */
const unreadable = () => new DomainError("unsupported_media_type", { reason: "The file is damaged." });
const broken = () => new Error("EAGAIN");

const kinds = ["image", "video", "voice", "music"] as const;

test.each([
  ["for which the machine has no time", busy, kinds],
  ["for which there is no room", noRoom, ["image", "music"]],
  ["that cannot be read", unreadable, kinds],
  ["at which the service fails", broken, ["image", "video", "voice"]],
] as const)("answers %s are kept, used at a second try, and not paid for again", async (_, error, refused) => {
  const ann = await films.register();
  const { projectId, assetId } = await films.withPicture(ann);
  const before = films.counts();
  for (const kind of refused) refusals.set(kind, error());
  const { path, film: ordered } = await films.order(ann, { ...allPaid(assetId), fresh: true }, projectId);
  let film: Json = await films.rested(ann, path, "provider");
  if (error === noRoom) expect(film).toMatchObject({ status: "waiting", waitingFor: "storage" });
  // another kind of file may have found no room, too
  for (; film.waitingFor === "storage"; film = await films.rested(ann, path))
    await films.lookAgain(ordered.id).catch(() => {});
  expect([film.status, film.waitingReason, refusals.size]).toEqual(["done", undefined, 0]);
  const after = films.counts();
  expect(kinds.map((kind) => after[kind] - before[kind])).toEqual([3, 3, 3, 1]);
  // what cannot be booked at once is booked a moment later
  const spendNow = async (): Promise<Json> => (await ann.request("/api/spend")).json();
  let spend = await spendNow();
  for (; spend.reserved !== "0.00"; spend = await spendNow()) await Bun.sleep(50);
  expect(spend).toMatchObject({ total: "1.080593", unknown: "0.00" });
});

test("a picture for which the disk has no room waits for its owner, who alone decides to pay for it again", async () => {
  const ann = await films.register();
  const before = films.counts().image;
  provider.before = async (kind) => {
    isDiskFull ||= kind === "image";
  };
  const models = { llm: { provider: "openai" }, image: { provider: "openai" }, video: false };
  const { path, film } = await films.order(ann, { models, fresh: true });
  const waiting: Json = await films.rested(ann, path);
  expect(waiting).toMatchObject({ status: "waiting", waitingFor: "step", spent: { amount: "0.150047" } });
  expect(waiting.waitingReason).toContain("disk is full");
  const failed = waiting.steps.filter(({ status }: Json) => status === "error").map(({ id }: Json) => id);
  expect(failed).toHaveLength(3);
  await films.lookAgain(film.id);
  expect(films.counts().image - before).toBe(3);

  provider.reset();
  isDiskFull = false;
  for (const step of failed) expect((await ann.json("POST", `${path}/steps/${step}/retry`)).status).toBe(200);
  expect(await films.rested(ann, path)).toMatchObject({ status: "done", spent: { amount: "0.300047" } });
});

test("a picture that cannot be read at the second try either waits for its owner, and is paid for once", async () => {
  const ann = await films.register();
  const before = films.counts().image;
  const damaged = (await png(64, 64).bytes()).slice(0, 60).toBase64();
  let isDamaged = true;
  provider.answer = async (kind) => {
    if (kind !== "image" || !isDamaged) return undefined;
    isDamaged = false;
    return Response.json({ data: [{ b64_json: damaged }] });
  };
  const models = { llm: { provider: "openai" }, image: { provider: "openai" }, video: false };
  const { path } = await films.order(ann, { models, fresh: true });
  const waiting: Json = await films.rested(ann, path);
  expect(waiting).toMatchObject({ status: "waiting", waitingFor: "step", spent: { amount: "0.150047" } });
  expect(films.counts().image - before).toBe(3);
});
