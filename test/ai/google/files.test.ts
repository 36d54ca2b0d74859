import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { googleVision } from "../../../src/ai/google/google.ts";
import type { FilmTask } from "../../../src/domain/ai/models.ts";
import type { ProviderCall } from "../../../src/domain/ai/provider-calls.ts";
import { accessTo, codeOf, notedCall } from "../../helpers/model-calls.ts";
import { jsonOf, standIn } from "../../helpers/stand-in.ts";
import { googleAnswer, inTurn } from "../../helpers/text-answers.ts";

const sizeBytes = 17 * 2 ** 20;
let folder = "";
let bytes: Uint8Array;
let server: ReturnType<typeof standIn> | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "reelwright-files-"));
  bytes = new Uint8Array(sizeBytes);
  for (let at = 0; at < sizeBytes; at += 1000) bytes[at] = at / 1000;
  await Bun.write(join(folder, "film"), bytes);
});
afterEach(() => server?.stop());
afterAll(() => rm(folder, { recursive: true, force: true }));

type Replies = Parameters<typeof standIn>[0];

const described = JSON.stringify({ overall_tone: "calm", has_text_overlay: false, scenes: [] });
const file = (state: string) => Response.json({ name: "files/film-1", uri: "https://f.test/1", state });
const uploaded = (state: string) => Response.json({ file: { name: "files/film-1", uri: "https://f.test/1", state } });

/** Google's two steps of an upload, and all that comes after. */
function google(replies: Replies = {}) {
  const start = () => new Response("", { headers: { "x-goog-upload-url": `${server?.url}/put?upload_id=1` } });
  server = standIn({
    "POST /upload/v1beta/files": start,
    "POST /put": ({ headers }) =>
      /finalize/.test(headers.get("x-goog-upload-command") ?? "") ? uploaded("ACTIVE") : new Response(),
    "GET /v1beta/files/film-1": () => file("ACTIVE"),
    "DELETE /v1beta/files/film-1": () => Response.json({}),
    "POST /v1beta/models/:call": () => googleAnswer({ text: described }),
    ...replies,
  });
  const { to } = server;
  const counts = () => ({
    starts: to("POST", /^\/upload/).length,
    parts: to("POST", /^\/put/).length,
    looks: to("GET", /files/).length,
    questions: to("POST", /models/).length,
    removals: to("DELETE", /files/).length,
  });
  return { model: googleVision(accessTo(`${server.url}/v1beta`, "a-model")), server, counts };
}

const describe = ({ model }: Pick<ReturnType<typeof google>, "model">, call: ProviderCall = notedCall().call) => {
  const facts = { kind: "video", container: "mp4", mimeType: "video/mp4", extension: "mp4" } as const;
  const film = { path: join(folder, "film"), sizeBytes, facts };
  // safe because a model outside reads the prompt alone
  return model.describeFilm(
    { prompt: { system: "s", message: "What?" }, frames: [], film } as unknown as FilmTask,
    call,
  );
};

test("a large film is uploaded in parts, waited for, shown, and removed", async () => {
  const last = ({ headers }: { headers: Headers }) => headers.get("x-goog-upload-command") === "upload, finalize";
  const bench = google({
    "POST /put": (taken) => (last(taken) ? uploaded("PROCESSING") : new Response()),
    "GET /v1beta/files/film-1": inTurn(
      () => file("PROCESSING"),
      () => file("ACTIVE"),
    ),
  });
  const { call, noted } = notedCall();
  await describe(bench, call);
  expect(bench.counts()).toEqual({ starts: 1, parts: 3, looks: 2, questions: 1, removals: 1 });
  const { taken, to } = bench.server;
  expect(taken.map(({ method }) => method).slice(-2)).toEqual(["POST", "DELETE"]);

  const [start] = taken;
  expect(start?.headers.get("x-goog-upload-header-content-length")).toBe(`${sizeBytes}`);
  expect(start?.headers.get("x-goog-upload-header-content-type")).toBe("video/mp4");
  const parts = to("POST", /^\/put/);
  expect(parts.map(({ headers }) => headers.get("x-goog-upload-offset"))).toEqual(["0", "8388608", "16777216"]);
  expect(Buffer.concat(parts.map((part) => part.bytes)).equals(bytes)).toBe(true);
  expect(parts[0]?.headers.get("x-goog-api-key")).toBeNull();

  const [question] = to("POST", /models/);
  const fileData = { mimeType: "video/mp4", fileUri: "https://f.test/1" };
  expect(jsonOf(question).contents[0].parts[1]).toMatchObject({ fileData });
  expect(noted.map(({ purpose, outcome }) => [purpose, outcome])).toEqual([
    ["analyze", "ok"],
    ["analyze", "ok"],
  ]);
});

const down = () => new Response("", { status: 500, headers: { "retry-after": "0" } });

test.each<[string, Replies, string, object]>([
  ["the upload cannot be started", { "POST /upload/v1beta/files": down }, "provider_error", { starts: 3, removals: 0 }],
  ["a part is not taken", { "POST /put": down }, "provider_error", { starts: 1, parts: 3, removals: 0 }],
  ["it cannot be read", { "POST /put": () => uploaded("FAILED") }, "provider_error", { questions: 0, removals: 1 }],
  [
    "nobody can say how far it is",
    { "POST /put": () => uploaded("PROCESSING"), "GET /v1beta/files/film-1": down },
    "provider_error",
    { looks: 3, questions: 0, removals: 1 },
  ],
  [
    "it is forgotten",
    { "POST /put": () => uploaded("PROCESSING"), "GET /v1beta/files/film-1": () => new Response("", { status: 404 }) },
    "provider_error",
    { looks: 1, questions: 0, removals: 1 },
  ],
  [
    "the key is wrong",
    { "POST /upload/v1beta/files": () => new Response("", { status: 403 }) },
    "provider_key_rejected",
    { starts: 1, parts: 0 },
  ],
  ["the answer is none", { "POST /put": () => new Response("<html>") }, "provider_bad_response", { questions: 0 }],
  [
    "the model fails",
    { "POST /v1beta/models/:call": () => new Response("", { status: 400 }) },
    "provider_rejected_request",
    { questions: 1, removals: 1 },
  ],
])("when %s, that is told and the film does not stay", async (_, replies, code, expected) => {
  const bench = google(replies);
  expect(await codeOf(describe(bench))).toBe(code);
  expect(bench.counts()).toMatchObject(expected);
});

test("the film goes nowhere but to Google", async () => {
  const stranger = standIn({ "POST /put": () => uploaded("ACTIVE") });
  const headers = { "x-goog-upload-url": `${stranger.url}/put` };
  const bench = google({ "POST /upload/v1beta/files": () => new Response("", { headers }) });
  expect(await codeOf(describe(bench))).toBe("provider_bad_response");
  expect(stranger.taken).toEqual([]);
  stranger.stop();
});

test("a film that is never ready is removed at the deadline", async () => {
  const bench = google({
    "POST /put": () => uploaded("PROCESSING"),
    "GET /v1beta/files/film-1": () => file("PROCESSING"),
  });
  expect(await codeOf(describe(bench, notedCall(700).call))).toBe("provider_timeout");
  expect(bench.counts()).toMatchObject({ questions: 0, removals: 1 });
});

test("when the caller leaves while the model watches, the film is removed", async () => {
  const { call, leave } = notedCall();
  const bench = google({
    "POST /v1beta/models/:call": () => {
      leave();
      return new Promise(() => {});
    },
  });
  expect((await describe(bench, call).catch((error) => error)).name).toBe("AbortError");
  expect(bench.counts()).toMatchObject({ questions: 1, removals: 1 });
});

test("a film that cannot be removed spoils nothing", async () => {
  const bench = google({ "DELETE /v1beta/files/film-1": () => new Response("", { status: 500 }) });
  expect(await describe(bench)).toMatchObject({ overall_tone: "calm" });
});
