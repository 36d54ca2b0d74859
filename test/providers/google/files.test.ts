import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DescribeVideoTask } from "../../../src/domain/ai/models.ts";
import type { ProviderCall } from "../../../src/domain/ai/provider-calls.ts";
import { googleVision } from "../../../src/providers/google/google.ts";
import { fakeServer, jsonBody, type Routes } from "../../support/models/fake-server.ts";
import { codeOf, credentialsFor, recordedCall } from "../../support/models/model-calls.ts";
import { googleResponse, inSequence } from "../../support/models/text-responses.ts";

const sizeBytes = 17 * 2 ** 20;
let folder = "";
let bytes: Uint8Array;
let server: ReturnType<typeof fakeServer> | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "reelwright-files-"));
  bytes = new Uint8Array(sizeBytes);
  for (let at = 0; at < sizeBytes; at += 1000) bytes[at] = at / 1000;
  await Bun.write(join(folder, "video"), bytes);
});
afterEach(() => server?.stop());
afterAll(() => rm(folder, { recursive: true, force: true }));

const described = JSON.stringify({ overall_tone: "calm", has_text_overlay: false, scenes: [] });
const file = (state: string) => Response.json({ name: "files/video-1", uri: "https://f.test/1", state });
const uploaded = (state: string) => Response.json({ file: { name: "files/video-1", uri: "https://f.test/1", state } });

/** Google's upload, file and model endpoints. `routes` replace the default ones. */
function google(routes: Routes = {}) {
  const start = () => new Response("", { headers: { "x-goog-upload-url": `${server?.url}/put?upload_id=1` } });
  server = fakeServer({
    "POST /upload/v1beta/files": start,
    "POST /put": ({ headers }) =>
      /finalize/.test(headers.get("x-goog-upload-command") ?? "") ? uploaded("ACTIVE") : new Response(),
    "GET /v1beta/files/video-1": () => file("ACTIVE"),
    "DELETE /v1beta/files/video-1": () => Response.json({}),
    "POST /v1beta/models/:call": () => googleResponse({ text: described }),
    ...routes,
  });
  const { requestsTo } = server;
  const counts = () => ({
    starts: requestsTo("POST", /^\/upload/).length,
    chunks: requestsTo("POST", /^\/put/).length,
    polls: requestsTo("GET", /files/).length,
    modelCalls: requestsTo("POST", /models/).length,
    deletions: requestsTo("DELETE", /files/).length,
  });
  return { model: googleVision(credentialsFor(`${server.url}/v1beta`, "a-model")), server, counts };
}

const describeVideo = (
  { model }: Pick<ReturnType<typeof google>, "model">,
  call: ProviderCall = recordedCall().call,
) => {
  const facts = { kind: "video", container: "mp4", mimeType: "video/mp4", extension: "mp4" } as const;
  const video = { path: join(folder, "video"), sizeBytes, facts };
  // safe because an external model reads no metrics
  return model.describeVideo(
    { prompt: { system: "s", message: "What?" }, frames: [], video } as unknown as DescribeVideoTask,
    call,
  );
};

test("a large video is uploaded in chunks, polled, described, and deleted", async () => {
  const isLast = ({ headers }: { headers: Headers }) => headers.get("x-goog-upload-command") === "upload, finalize";
  const fixture = google({
    "POST /put": (request) => (isLast(request) ? uploaded("PROCESSING") : new Response()),
    "GET /v1beta/files/video-1": inSequence(
      () => file("PROCESSING"),
      () => file("ACTIVE"),
    ),
  });
  const { call, records } = recordedCall();
  await describeVideo(fixture, call);
  expect(fixture.counts()).toEqual({ starts: 1, chunks: 3, polls: 2, modelCalls: 1, deletions: 1 });
  const { requests, requestsTo } = fixture.server;
  expect(requests.map(({ method }) => method).slice(-2)).toEqual(["POST", "DELETE"]);

  const [start] = requests;
  expect(start?.headers.get("x-goog-upload-header-content-length")).toBe(`${sizeBytes}`);
  expect(start?.headers.get("x-goog-upload-header-content-type")).toBe("video/mp4");
  const chunks = requestsTo("POST", /^\/put/);
  expect(chunks.map(({ headers }) => headers.get("x-goog-upload-offset"))).toEqual(["0", "8388608", "16777216"]);
  expect(Buffer.concat(chunks.map((chunk) => chunk.bytes)).equals(bytes)).toBe(true);
  expect(chunks[0]?.headers.get("x-goog-api-key")).toBeNull();

  const [modelCall] = requestsTo("POST", /models/);
  const fileData = { mimeType: "video/mp4", fileUri: "https://f.test/1" };
  expect(jsonBody(modelCall).contents[0].parts[1]).toMatchObject({ fileData });
  expect(records.map(({ purpose, outcome }) => [purpose, outcome])).toEqual([
    ["analyze", "ok"],
    ["analyze", "ok"],
  ]);
});

const serverError = () => new Response("", { status: 500, headers: { "retry-after": "0" } });

test.each<[string, Routes, string, object]>([
  [
    "the upload cannot be started",
    { "POST /upload/v1beta/files": serverError },
    "provider_error",
    { starts: 3, deletions: 0 },
  ],
  ["a chunk is rejected", { "POST /put": serverError }, "provider_error", { starts: 1, chunks: 3, deletions: 0 }],
  [
    "Google cannot read it",
    { "POST /put": () => uploaded("FAILED") },
    "provider_error",
    { modelCalls: 0, deletions: 1 },
  ],
  [
    "its status cannot be read",
    { "POST /put": () => uploaded("PROCESSING"), "GET /v1beta/files/video-1": serverError },
    "provider_error",
    { polls: 3, modelCalls: 0, deletions: 1 },
  ],
  [
    "Google does not find it",
    { "POST /put": () => uploaded("PROCESSING"), "GET /v1beta/files/video-1": () => new Response("", { status: 404 }) },
    "provider_error",
    { polls: 1, modelCalls: 0, deletions: 1 },
  ],
  [
    "the key is wrong",
    { "POST /upload/v1beta/files": () => new Response("", { status: 403 }) },
    "provider_key_rejected",
    { starts: 1, chunks: 0 },
  ],
  [
    "the response is not JSON",
    { "POST /put": () => new Response("<html>") },
    "provider_bad_response",
    { modelCalls: 0 },
  ],
  [
    "the model fails",
    { "POST /v1beta/models/:call": () => new Response("", { status: 400 }) },
    "provider_rejected_request",
    { modelCalls: 1, deletions: 1 },
  ],
])("the description fails and leaves no video at Google when %s", async (_, routes, code, expected) => {
  const fixture = google(routes);
  expect(await codeOf(describeVideo(fixture))).toBe(code);
  expect(fixture.counts()).toMatchObject(expected);
});

test("a video is never uploaded to another origin", async () => {
  const otherServer = fakeServer({ "POST /put": () => uploaded("ACTIVE") });
  const headers = { "x-goog-upload-url": `${otherServer.url}/put` };
  const fixture = google({ "POST /upload/v1beta/files": () => new Response("", { headers }) });
  expect(await codeOf(describeVideo(fixture))).toBe("provider_bad_response");
  expect(otherServer.requests).toEqual([]);
  otherServer.stop();
});

test("a video that never becomes active is deleted at the deadline", async () => {
  const { call, expire } = recordedCall();
  const fixture = google({
    "POST /put": () => uploaded("PROCESSING"),
    "GET /v1beta/files/video-1": () => {
      expire();
      return file("PROCESSING");
    },
  });
  expect(await codeOf(describeVideo(fixture, call))).toBe("provider_timeout");
  expect(fixture.counts()).toMatchObject({ modelCalls: 0, deletions: 1 });
});

test("a video is deleted when the client disconnects during the model call", async () => {
  const { call, disconnect } = recordedCall();
  const fixture = google({
    "POST /v1beta/models/:call": () => {
      disconnect();
      return new Promise(() => {});
    },
  });
  expect((await describeVideo(fixture, call).catch((error) => error)).name).toBe("AbortError");
  expect(fixture.counts()).toMatchObject({ modelCalls: 1, deletions: 1 });
});

test("a failed deletion is ignored", async () => {
  const fixture = google({ "DELETE /v1beta/files/video-1": () => new Response("", { status: 500 }) });
  expect(await describeVideo(fixture)).toMatchObject({ overall_tone: "calm" });
});
