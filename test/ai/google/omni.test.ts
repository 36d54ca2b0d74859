import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JobMemory } from "../../../src/domain/ai/provider-calls.ts";
import { codeOf, notedCall } from "../../helpers/model-calls.ts";
import { byAddress, drawing, failing, film, inline, job, omniBench, output, type Reply } from "../../helpers/omni.ts";
import { jsonOf } from "../../helpers/stand-in.ts";

let bench: Awaited<ReturnType<typeof omniBench>>;
beforeAll(async () => {
  bench = await omniBench();
});
afterAll(() => bench.close());

const forgetful: JobMemory = { keep: async () => {} };
const running = job("in_progress");

test("one job is created with the picture, waited for, and its video fetched to the disk", async () => {
  const usage = { total_input_tokens: 30, total_output_tokens: 57_920 };
  const done = job("completed", { ...output({ type: "video", data: film.toBase64() }), usage });
  const { model, taken, counts } = bench.google({ looks: [running, job("queued"), done] });
  const { call, noted } = notedCall();
  const file = await model.animate(bench.task(), call, forgetful);
  expect(await Bun.file(file.path).bytes()).toEqual(new Uint8Array(film));
  expect(counts()).toEqual({ creations: 1, looks: 3, fetches: 0, cancels: 0 });
  expect(noted).toMatchObject([{ purpose: "video", seconds: 5, inputTokens: 30, outputTokens: 57_920, outcome: "ok" }]);
  expect(new Set(taken.map(({ headers }) => headers.get("x-goog-api-key")))).toEqual(new Set(["a key of the caller"]));
  expect(jsonOf(taken[0])).toEqual({
    model: "gemini-omni-1.2-flash",
    input: [
      { type: "image", data: drawing.toBase64(), mime_type: "image/png" },
      { type: "text", text: "The cup turns" },
    ],
    generation_config: { video_config: { task: "image_to_video" } },
    response_format: { type: "video", aspect_ratio: "9:16", resolution: "1080p", duration: "5s", delivery: "uri" },
    background: true,
  });
});

test("the job is remembered before anybody looks after it", async () => {
  const { model, counts } = bench.google({});
  const seen: unknown[] = [];
  const keep = async (id: string) => void seen.push(id, counts().looks);
  await model.animate(bench.task(), notedCall().call, { keep });
  expect(seen).toEqual(["job-1", 0]);
});

test("a job that is remembered is gone on with, and none is created", async () => {
  const { model, counts, taken } = bench.google({ looks: [running, byAddress()] });
  const keep = () => Promise.reject(new Error("It is kept already."));
  await model.animate(bench.task(), notedCall().call, { id: "job of before", keep });
  expect(counts()).toEqual({ creations: 0, looks: 2, fetches: 1, cancels: 0 });
  expect(taken[0]?.path).toBe("/v1beta/interactions/job%20of%20before");
});

test("a job that cannot be remembered is cancelled", async () => {
  const { model, counts } = bench.google({});
  const keep = () => Promise.reject(new Error("The database is away."));
  expect(model.animate(bench.task(), notedCall().call, { keep })).rejects.toThrow("The database is away.");
  await model.animate(bench.task(), notedCall().call, { keep }).catch(() => {});
  expect(counts()).toMatchObject({ looks: 0, cancels: 2 });
});

const lost: Record<string, Reply> = {
  "a server error": failing(500),
  "a crowd": failing(429),
  "a job that is not found": failing(404),
  "a job whose name is not known": failing(400, { error: { code: "invalid_request", message: "Invalid interaction" } }),
  "an answer that is no JSON": () => new Response('{"id":"job-1","stat'),
  "an answer without a status": () => Response.json({ ok: true }),
};

test.each(Object.entries(lost))("a look that meets %s is repeated, and the job is not", async (_, reply) => {
  const { model, counts } = bench.google({ looks: [reply, running, ...Array(7).fill(reply), byAddress()] });
  await model.animate(bench.task(), notedCall().call, forgetful);
  expect(counts()).toEqual({ creations: 1, looks: 10, fetches: 1, cancels: 0 });
});

test.each(Object.entries(lost))("after eight looks that meet %s the job is cancelled", async (_, reply) => {
  const { model, counts } = bench.google({ looks: [reply] });
  expect(await codeOf(model.animate(bench.task(), notedCall().call, forgetful))).toBe("provider_error");
  expect(counts()).toEqual({ creations: 1, looks: 8, fetches: 0, cancels: 1 });
});

test.each([
  ["provider_error", job("failed", { errors: [{ code: "internal", message: "It broke." }] })],
  ["content_refused", job("failed", { errors: [{ code: "safety", message: "It was blocked." }] })],
  ["content_refused", () => Response.json({ error: { message: "Blocked by our policies." } })],
  ["provider_error", job("cancelled")],
  ["provider_bad_response", job("incomplete", output({ type: "video", data: film.toBase64() }))],
  ["provider_bad_response", job("requires_action")],
  ["provider_quota_exhausted", job("budget_exceeded")],
  ["content_refused", job("completed", output({ type: "text", text: "I can't generate that." }))],
  ["provider_bad_response", job("completed")],
  [
    "provider_bad_response",
    job("completed", { steps: [{ type: "user_input", content: [{ type: "text", text: "Go" }] }] }),
  ],
  ["provider_bad_response", job("completed", output({ type: "video", data: "<<not base64>>" }))],
  ["provider_bad_response", inline(Buffer.from("<html>no film</html>"))],
] satisfies [string, Reply][])("a job may end as %s, and is neither repeated nor cancelled", async (code, ending) => {
  const { model, counts } = bench.google({ looks: [ending] });
  const { call, noted } = notedCall();
  expect(await codeOf(model.animate(bench.task(), call, forgetful))).toBe(code);
  expect(counts()).toEqual({ creations: 1, looks: 1, fetches: 0, cancels: 0 });
  expect(noted).toMatchObject([{ outcome: code }]);
});

test.each([
  ["provider_error", failing(500)],
  ["provider_overloaded", failing(503)],
  ["provider_rate_limited", failing(429)],
  ["provider_key_rejected", failing(403)],
  ["content_refused", failing(400, { error: { message: "It was blocked.", status: "SAFETY" } })],
  ["provider_bad_response", () => new Response("<html>")],
  ["provider_bad_response", () => Response.json({ status: "in_progress" })],
] satisfies [string, Reply][])("a creation that ends as %s is not repeated", async (code, creates) => {
  const { model, counts } = bench.google({ creates });
  expect(await codeOf(model.animate(bench.task(), notedCall().call, forgetful))).toBe(code);
  expect(counts()).toEqual({ creations: 1, looks: 0, fetches: 0, cancels: 0 });
});

test("a job that is done at once is not looked after", async () => {
  const { model, counts } = bench.google({ creates: inline(film) });
  await model.animate(bench.task(), notedCall().call, forgetful);
  expect(counts()).toEqual({ creations: 1, looks: 0, fetches: 0, cancels: 0 });
});

test("when the client leaves, the job is cancelled", async () => {
  const { call, noted, leave } = notedCall();
  const leaving: Reply = (origin) => {
    leave();
    return running(origin);
  };
  const { model, counts } = bench.google({ looks: [running, leaving] });
  await expect(model.animate(bench.task(), call, forgetful)).rejects.toThrow();
  expect(counts()).toEqual({ creations: 1, looks: 2, fetches: 0, cancels: 1 });
  expect(noted).toMatchObject([{ outcome: "cancelled" }]);
});

test("at the deadline the job is cancelled", async () => {
  const { model, counts } = bench.google({ looks: [running] });
  expect(await codeOf(model.animate(bench.task(), notedCall(100).call, forgetful))).toBe("provider_timeout");
  expect(counts()).toMatchObject({ creations: 1, fetches: 0, cancels: 1 });
});

test("a picture that no request can hold is not sent", async () => {
  const { model, taken } = bench.google({});
  const image = { ...bench.task().image, sizeBytes: 80_000_000 };
  expect(await codeOf(model.animate(bench.task({ image }), notedCall().call, forgetful))).toBe("media_too_large");
  expect(taken).toEqual([]);
});

test.each([
  ["gemini-omni-1.1-flash", 0.4, 3],
  ["gemini-omni-1.1-flash", 4.5, 5],
  ["gemini-omni-1.1-flash", 12, 10],
  ["gemini-omni-1.2-flash", 12.4, 12],
  ["gemini-omni-1.2-flash", 60, 15],
  ["a-model-of-tomorrow", 60, 15],
])("%s makes of %d seconds %d", (modelId, wanted, made) => {
  expect(bench.google({}, modelId).model.nearestDuration(wanted)).toBe(made);
});

test.each([
  [1080, 1920, "9:16", "1080p"],
  [1920, 1080, "16:9", "1080p"],
  [1080, 1080, "9:16", "1080p"],
  [720, 1280, "9:16", "720p"],
  [640, 360, "16:9", "360p"],
  [2160, 3840, "9:16", "4k"],
])("%d x %d is asked for as %s in %s", async (width, height, aspect_ratio, resolution) => {
  const { model, taken } = bench.google({});
  await model.animate(bench.task({ resolution: { width, height } }), notedCall().call, forgetful);
  expect(jsonOf(taken[0]).response_format).toMatchObject({ aspect_ratio, resolution });
});
