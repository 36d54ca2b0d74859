import { afterAll, afterEach, expect, test } from "bun:test";
import { DomainError } from "../../../src/errors.ts";
import type { Json } from "../../support/paid-films.ts";
import { png } from "../../support/uploads.ts";
import { kinds, refusedAnswers } from "./refused-answers.ts";

/** Of pictures that are received. */
let isDiskFull = false;

const { films, expectKept } = await refusedAnswers(({ files }) => ({
  files: {
    ...files,
    async receive(...args) {
      if (isDiskFull) throw new DomainError("storage_full", {});
      return await files.receive(...args);
    },
  },
}));
const { provider } = films;
afterAll(films.close);
afterEach(provider.reset);

const busy = () => new DomainError("busy", { retryAfterSeconds: 1 });
const noRoom = () => new DomainError("limit_reached", { quota: { limit: "storage_bytes", used: 1, allowed: 1 } });

test.each([
  ["for which the machine has no time", busy, kinds, undefined],
  ["for which there is no room", noRoom, ["image", "music"], "storage"],
] as const)(
  "answers %s are kept, used at a second try, and not paid for again",
  async (_, error, refused, waitsFor) => {
    await expectKept(error, refused, waitsFor);
  },
);

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
  await films.poll(film.id);
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
