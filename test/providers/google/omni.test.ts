import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JobCheckpoint } from "../../../src/domain/idempotency/checkpoints.ts";
import { jsonBody } from "../../support/models/fake-server.ts";
import { codeOf, recordedCall } from "../../support/models/model-calls.ts";
import {
  completedInline,
  completedWithUri,
  failing,
  imageBytes,
  job,
  mp4Bytes,
  omniFixture,
  outputSteps,
  type Reply,
} from "../../support/models/omni.ts";

let fixture: Awaited<ReturnType<typeof omniFixture>>;
beforeAll(async () => {
  fixture = await omniFixture();
});
afterAll(() => fixture.close());

const noCheckpoint: JobCheckpoint = { save: async () => {} };
const running = job("in_progress");

test("creates one job with the image, polls it, and receives the inline video as a file", async () => {
  const usage = { total_input_tokens: 30, total_output_tokens: 57_920 };
  const done = job("completed", { ...outputSteps({ type: "video", data: mp4Bytes.toBase64() }), usage });
  const { model, requests, counts } = fixture.google({ polls: [running, job("queued"), done] });
  const { call, records } = recordedCall();
  const file = await model.animate(fixture.task(), call, noCheckpoint);
  expect(await Bun.file(file.path).bytes()).toEqual(new Uint8Array(mp4Bytes));
  expect(counts()).toEqual({ creations: 1, polls: 3, downloads: 0, cancels: 0 });
  expect(records).toMatchObject([
    { purpose: "video", seconds: 5, inputTokens: 30, outputTokens: 57_920, outcome: "ok" },
  ]);
  expect(new Set(requests.map(({ headers }) => headers.get("x-goog-api-key")))).toEqual(
    new Set(["a key of the caller"]),
  );
  expect(jsonBody(requests[0])).toEqual({
    model: "gemini-omni-1.2-flash",
    input: [
      { type: "image", data: imageBytes.toBase64(), mime_type: "image/png" },
      { type: "text", text: "The cup turns" },
    ],
    generation_config: { video_config: { task: "image_to_video" } },
    response_format: { type: "video", aspect_ratio: "9:16", resolution: "1080p", duration: "5s", delivery: "uri" },
    background: true,
  });
});

test("pictures of the product go along with the first frame, and the text says which is which", async () => {
  const { model, requests } = fixture.google({});
  const references = ["a", "b"].map((name) => ({ bytes: Buffer.from(name), mimeType: "image/webp" }));
  expect(model.maxReferences).toBe(5);
  await model.animate(fixture.task({ references }), recordedCall().call, noCheckpoint);
  const { input, generation_config } = jsonBody(requests[0]);
  expect(input.map(({ type, data }: { type: string; data?: string }) => [type, data])).toEqual([
    ["image", imageBytes.toBase64()],
    ["image", Buffer.from("a").toBase64()],
    ["image", Buffer.from("b").toBase64()],
    ["text", undefined],
  ]);
  expect(input[3].text).toStartWith(
    "[# Sources <FIRST_FRAME>@Image1] [# References <IMAGE_REF_0>@Image2 <IMAGE_REF_1>@Image3]\nThe cup turns",
  );
  // Google's tasks take either
  expect(generation_config).toBeUndefined();
});

test("saves the job id before the first poll", async () => {
  const { model, counts } = fixture.google({});
  const seen: unknown[] = [];
  const save = async (id: string) => void seen.push(id, counts().polls);
  await model.animate(fixture.task(), recordedCall().call, { save });
  expect(seen).toEqual(["job-1", 0]);
});

test("resumes the job of a checkpoint and creates none", async () => {
  const { model, counts, requests } = fixture.google({ polls: [running, completedWithUri()] });
  const save = () => Promise.reject(new Error("It is stored already."));
  await model.animate(fixture.task(), recordedCall().call, { id: "earlier job", save });
  expect(counts()).toEqual({ creations: 0, polls: 2, downloads: 1, cancels: 0 });
  expect(requests[0]?.path).toBe("/v1beta/interactions/earlier%20job");
});

test("a job is cancelled if its id cannot be saved", async () => {
  const { model, counts } = fixture.google({});
  const save = () => Promise.reject(new Error("The database is away."));
  await expect(model.animate(fixture.task(), recordedCall().call, { save })).rejects.toThrow("The database is away.");
  await model.animate(fixture.task(), recordedCall().call, { save }).catch(() => {});
  expect(counts()).toMatchObject({ polls: 0, cancels: 2 });
});

const failedPolls: Record<string, Reply> = {
  "a server error": failing(500),
  "a rate limit": failing(429),
  "a 404": failing(404),
  "a 400 for an unknown job": failing(400, { error: { code: "invalid_request", message: "Invalid interaction" } }),
  "a broken JSON body": () => new Response('{"id":"job-1","stat'),
  "a body without a status": () => Response.json({ ok: true }),
};

test.each(Object.entries(failedPolls))(
  "a poll that fails with %s is repeated without creating another job",
  async (_, reply) => {
    const { model, counts } = fixture.google({ polls: [reply, running, ...Array(7).fill(reply), completedWithUri()] });
    await model.animate(fixture.task(), recordedCall().call, noCheckpoint);
    expect(counts()).toEqual({ creations: 1, polls: 10, downloads: 1, cancels: 0 });
  },
);

test.each(Object.entries(failedPolls))("a job is cancelled after eight polls that fail with %s", async (_, reply) => {
  const { model, counts } = fixture.google({ polls: [reply] });
  expect(await codeOf(model.animate(fixture.task(), recordedCall().call, noCheckpoint))).toBe("provider_error");
  expect(counts()).toEqual({ creations: 1, polls: 8, downloads: 0, cancels: 1 });
});

test.each([
  [404, true],
  [400, true],
  [500, false],
])("a job whose status is answered with %i may be paid for, and is gone: %p", async (status, isGone) => {
  const { model } = fixture.google({ polls: [failing(status)] });
  const animated = model.animate(fixture.task(), recordedCall().call, noCheckpoint);
  await expect(animated).rejects.toMatchObject({ facts: { unanswered: true, isGone } });
});

test.each([
  ["provider_error", job("failed", { errors: [{ code: "internal", message: "It broke." }] })],
  ["content_refused", job("failed", { errors: [{ code: "safety", message: "It was blocked." }] })],
  ["content_refused", () => Response.json({ error: { message: "Blocked by our policies." } })],
  ["provider_error", job("cancelled")],
  ["provider_bad_response", job("incomplete", outputSteps({ type: "video", data: mp4Bytes.toBase64() }))],
  ["provider_bad_response", job("requires_action")],
  ["provider_quota_exhausted", job("budget_exceeded")],
  ["content_refused", job("completed", outputSteps({ type: "text", text: "I can't generate that." }))],
  ["provider_bad_response", job("completed")],
  [
    "provider_bad_response",
    job("completed", { steps: [{ type: "user_input", content: [{ type: "text", text: "Go" }] }] }),
  ],
  ["provider_bad_response", job("completed", outputSteps({ type: "video", data: "<<not base64>>" }))],
  ["provider_bad_response", completedInline(Buffer.from("<html>no video</html>"))],
] satisfies [string, Reply][])("a job that ends with %s is neither repeated nor cancelled", async (code, endedJob) => {
  const { model, counts } = fixture.google({ polls: [endedJob] });
  const { call, records } = recordedCall();
  expect(await codeOf(model.animate(fixture.task(), call, noCheckpoint))).toBe(code);
  expect(counts()).toEqual({ creations: 1, polls: 1, downloads: 0, cancels: 0 });
  expect(records).toMatchObject([{ outcome: code }]);
});

test.each([
  ["provider_error", failing(500)],
  ["provider_overloaded", failing(503)],
  ["provider_rate_limited", failing(429)],
  ["provider_key_rejected", failing(403)],
  ["content_refused", failing(400, { error: { message: "It was blocked.", status: "SAFETY" } })],
  ["provider_bad_response", () => new Response("<html>")],
  ["provider_bad_response", () => Response.json({ status: "in_progress" })],
] satisfies [string, Reply][])("a job creation that fails with %s is not repeated", async (code, creation) => {
  const { model, counts } = fixture.google({ creation });
  expect(await codeOf(model.animate(fixture.task(), recordedCall().call, noCheckpoint))).toBe(code);
  expect(counts()).toEqual({ creations: 1, polls: 0, downloads: 0, cancels: 0 });
});

test("a job that is created as completed is not polled", async () => {
  const { model, counts } = fixture.google({ creation: completedInline(mp4Bytes) });
  await model.animate(fixture.task(), recordedCall().call, noCheckpoint);
  expect(counts()).toEqual({ creations: 1, polls: 0, downloads: 0, cancels: 0 });
});

test("the job is cancelled when the client disconnects", async () => {
  const { call, records, disconnect } = recordedCall();
  const disconnecting: Reply = (origin) => {
    disconnect();
    return running(origin);
  };
  const { model, counts } = fixture.google({ polls: [running, disconnecting] });
  await expect(model.animate(fixture.task(), call, noCheckpoint)).rejects.toThrow();
  expect(counts()).toEqual({ creations: 1, polls: 2, downloads: 0, cancels: 1 });
  expect(records).toMatchObject([{ outcome: "cancelled" }]);
});

test("the job is cancelled at the deadline", async () => {
  const { call, expire } = recordedCall();
  const expiring: Reply = (origin) => {
    expire();
    return running(origin);
  };
  const { model, counts } = fixture.google({ polls: [expiring] });
  expect(await codeOf(model.animate(fixture.task(), call, noCheckpoint))).toBe("provider_timeout");
  expect(counts()).toMatchObject({ creations: 1, downloads: 0, cancels: 1 });
});

const storedJob = () => ({ isStored: true, save: async () => {} });

test("a job that is stored goes on after the deadline, and a film waits for it", async () => {
  const request = recordedCall();
  const film = recordedCall({ awaitsJobs: true });
  const expiring =
    ({ expire }: typeof request): Reply =>
    (origin) => {
      expire();
      return running(origin);
    };
  const late = fixture.google({ polls: [expiring(request)] });
  expect(await codeOf(late.model.animate(fixture.task(), request.call, storedJob()))).toBe("provider_timeout");
  const { model, counts } = fixture.google({ polls: [expiring(film), running, completedWithUri()] });
  expect(await codeOf(model.animate(fixture.task(), film.call, storedJob()))).toBe("ok");
  expect([late.counts().cancels, counts()]).toEqual([0, { creations: 1, polls: 3, downloads: 1, cancels: 0 }]);
});

test("an image larger than a request may be is not sent", async () => {
  const { model, requests } = fixture.google({});
  const image = { ...fixture.task().image, sizeBytes: 80_000_000 };
  expect(await codeOf(model.animate(fixture.task({ image }), recordedCall().call, noCheckpoint))).toBe(
    "media_too_large",
  );
  expect(requests).toEqual([]);
});

test.each([
  ["gemini-omni-1.1-flash", 0.4, 3],
  ["gemini-omni-1.1-flash", 4.5, 5],
  ["gemini-omni-1.1-flash", 12, 10],
  ["gemini-omni-1.2-flash", 12.4, 12],
  ["gemini-omni-1.2-flash", 60, 15],
  ["an-unknown-model", 60, 15],
])("%s supports %d seconds as %d", (modelId, wanted, supported) => {
  expect(fixture.google({}, modelId).model.nearestDuration(wanted)).toBe(supported);
});

test.each([
  [1080, 1920, "9:16", "1080p"],
  [1920, 1080, "16:9", "1080p"],
  [1080, 1080, "9:16", "1080p"],
  [720, 1280, "9:16", "720p"],
  [640, 360, "16:9", "360p"],
  [2160, 3840, "9:16", "4k"],
])("%d x %d is requested as %s in %s", async (width, height, aspect_ratio, resolution) => {
  const { model, requests } = fixture.google({});
  await model.animate(fixture.task({ resolution: { width, height } }), recordedCall().call, noCheckpoint);
  expect(jsonBody(requests[0]).response_format).toMatchObject({ aspect_ratio, resolution });
});
