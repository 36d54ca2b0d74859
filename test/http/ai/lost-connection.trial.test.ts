import { afterAll, beforeEach, expect, test } from "bun:test";
import { createApp } from "../../../src/app.ts";
import { requestTracker } from "../../../src/process/shutdown.ts";
import { leaseEnds } from "../../support/lease-ends.ts";
import { fakeServer } from "../../support/models/fake-server.ts";
import { openaiResponse, scenarioOutput } from "../../support/models/text-responses.ts";
import { rememberedMedia } from "../../support/remembered-media.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { jsonInit, testService } from "../../support/service.ts";
import { formOf, listen, mp4, png } from "../../support/uploads.ts";

const image = (await png(64, 64).bytes()).toBase64();
const video = { type: "video", data: (await (await mp4()).bytes()).toBase64() };
const completed = { id: "v1_job", status: "completed", steps: [{ type: "model_output", content: [video] }] };

/** Called by each paid request. A response that it returns replaces the provider's. */
let onPaidCall: () => Promise<Response | undefined>;
/** The same for a request of a job's status. */
let onPoll: typeof onPaidCall;
const unscripted = async () => undefined;

const provider = fakeServer({
  "POST /v1/images/generations": async () =>
    (await onPaidCall()) ?? Response.json({ created: 1, data: [{ b64_json: image }] }),
  "POST /v1/responses": async () => (await onPaidCall()) ?? openaiResponse({ text: JSON.stringify(scenarioOutput) }),
  "POST /v1beta/interactions": async () => (await onPaidCall()) ?? Response.json(completed),
  "GET /v1beta/interactions/:id": async () => (await onPoll()) ?? Response.json(completed),
  "POST /v1beta/interactions/:id/cancel": () => Response.json({ id: "v1_job", status: "cancelled" }),
});
const ends = leaseEnds();
const service = await testService(
  { OPENAI_BASE_URL: `${provider.url}/v1`, GOOGLE_BASE_URL: `${provider.url}/v1beta` },
  undefined,
  (services) => ({ ...rememberedMedia(services), ...ends.store(services) }),
);
const ann = await service.register("Ann");

/** Resolved when the service notices that a client has left. */
let clientLeft: PromiseWithResolvers<void>;
const server = listen(service, () => clientLeft.resolve());

beforeEach(() => {
  onPaidCall = unscripted;
  onPoll = unscripted;
  provider.requests.length = 0;
});
afterAll(async () => {
  await service.close();
  await provider.stop();
  await server.stop();
});

const newKey = (): Record<string, string> => ({ "idempotency-key": crypto.randomUUID() });
const openai = { "x-image-provider": "openai", "x-llm-provider": "openai", "x-api-key": "sk-1" };
const google = { "x-video-provider": "google", "x-api-key": "g-1" };

type PaidRequest = { readonly path: string; readonly init: RequestInit };

/** The next paid call resolves `called`, and waits for the response of `release`. */
function holdPaidCall() {
  const called = Promise.withResolvers<void>();
  const released = Promise.withResolvers<Response | undefined>();
  onPaidCall = () => {
    onPaidCall = unscripted;
    called.resolve();
    return released.promise;
  };
  return { called: called.promise, release: (response?: Response) => released.resolve(response) };
}

/** Sends a request whose client leaves as soon as a provider is called. The provider responds after `release`. */
async function sendAndLeave({ path, init }: PaidRequest) {
  clientLeft = Promise.withResolvers();
  const client = new AbortController();
  const { called, release } = holdPaidCall();
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${ann.accessToken}`);
  const response = fetch(server.url + path, { ...init, headers, signal: client.signal });
  await Promise.race([called, response.then(async (early) => Promise.reject(new Error(await early.text())))]);
  client.abort();
  await expect(response).rejects.toThrow();
  await clientLeft.promise;
  return { release };
}

async function answerTo({ path, init }: PaidRequest) {
  const response = await ann.request(path, init);
  const isReplay = response.headers.get("idempotency-replayed") === "true";
  return { status: response.status, isReplay, body: await response.json() };
}

/** Repeats a request with a key once its first attempt has ended. */
async function afterEnd(request: PaidRequest) {
  await ends.ofKey(ann, new Headers(request.init.headers).get("idempotency-key")!);
  return await answerTo(request);
}

const post = (path: string, body: object, headers: Record<string, string>): PaidRequest => ({
  path,
  init: jsonInit("POST", body, headers),
});

const callsTo = (path: RegExp) => provider.requestsTo("POST", path).length;

const imageRequest = (headers = newKey()) =>
  post("/api/generate/image", { prompt: "A teapot" }, { ...openai, ...headers });
const videoRequest = (headers = newKey()) =>
  post(
    "/api/generate/video",
    { prompt: "It pours", image_url: `data:image/png;base64,${image}` },
    { ...google, ...headers },
  );
const scenarioRequest = () => {
  const intent = { mode: "content_remix", product_name: "Cup", scene_count: 1 };
  return post("/api/scenario", { analysis: {}, intent }, { ...openai, ...newKey() });
};

test.each([
  ["an image", imageRequest, /images/, "imageUrl"],
  ["a video", videoRequest, /interactions$/, "videoUrl"],
  ["a scenario", scenarioRequest, /responses/, "scenes"],
])("%s with a key is made without its client, and a retry gets it", async (_, request, paid, field) => {
  const sent = request();
  const { release } = await sendAndLeave(sent);
  const early = await ann.request(sent.path, sent.init);
  expect([early.status, (await early.json()).code]).toEqual([409, "request_in_progress"]);

  release();
  const { status, isReplay, body } = await afterEnd(sent);
  expect([status, isReplay, Object.keys(body)]).toEqual([200, true, expect.arrayContaining([field])]);
  expect([callsTo(paid), callsTo(/cancel/)]).toEqual([1, 0]);
});

test("a video that was uploaded with a key is analyzed without its client", async () => {
  const body = formOf({ video: await mp4(), mode: "style_transfer" });
  const headers = { "x-vision-provider": "openai", "x-api-key": "sk-1", ...newKey() };
  const sent = { path: "/api/analyze", init: { method: "POST", body, headers } };
  const { release } = await sendAndLeave(sent);

  const scene = { description: "A test pattern", transition: null, text_overlay: null, camera_movement: null };
  const description = { overall_tone: "bold", has_text_overlay: false, scenes: [scene] };
  release(openaiResponse({ text: JSON.stringify(description) }));
  expect(await afterEnd(sent)).toMatchObject({ status: 200, isReplay: true, body: { overall_tone: "bold" } });
  expect(callsTo(/responses/)).toBe(1);
});

const scene = { scene_index: 0, duration_seconds: 5, image_prompt: "A teapot", video_prompt: "It pours" };

test("a scene with a key is generated to its end without its client", async () => {
  const work = await workWithScenes(ann, { scenes: [scene] });
  const models = { "x-image-provider": "openai", "x-image-api-key": "sk-1" };
  const videoModel = { "x-video-provider": "google", "x-video-api-key": "g-1" };
  const sent = post(`${work.base}/generate/scene/0`, {}, { ...models, ...videoModel, ...newKey() });
  const { release } = await sendAndLeave(sent);
  expect((await work.scene()).status).toBe("generating_image");

  release();
  expect(await afterEnd(sent)).toMatchObject({ status: 200, isReplay: true });
  expect(await work.scene()).toMatchObject({ status: "done" });
  expect([callsTo(/images/), callsTo(/interactions$/)]).toEqual([1, 1]);
});

test("without a key the provider's request ends with its client", async () => {
  const { release } = await sendAndLeave(imageRequest({}));
  await provider.requests[0]?.left;
  release();
});

test("a failure that was not billed is not kept, and the retry asks again", async () => {
  const sent = imageRequest();
  const { release } = await sendAndLeave(sent);
  release(Response.json({ error: { message: "slow down" } }, { status: 429 }));

  expect(await afterEnd(sent)).toMatchObject({ status: 200, isReplay: false });
  expect(callsTo(/images/)).toBe(2);
});

test("a user has at most 20 requests that run without a client", async () => {
  const requests = Array.from({ length: 20 }, () => imageRequest());
  const held = [];
  for (const sent of requests) held.push(await sendAndLeave(sent));

  const next = imageRequest();
  const refused = await ann.request(next.path, next.init);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
  expect((await ann.request(requests[0]!.path, requests[0]!.init)).status).toBe(409);
  const withoutKey = imageRequest({});
  expect((await ann.request(withoutKey.path, withoutKey.init)).status).toBe(200);

  for (const { release } of held) release();
  for (const sent of requests) expect((await afterEnd(sent)).isReplay).toBe(true);
  expect(await answerTo(next)).toMatchObject({ status: 200, isReplay: false });
});

/** An app whose process can stop, and a request that runs in it. */
function stoppingApp() {
  const requests = requestTracker();
  const app = createApp(service.services, { deferredRequests: requests });
  const send = ({ path, init }: PaidRequest) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${ann.accessToken}`);
    return app.request(path, { ...init, headers });
  };
  return { stop: requests.abort, send };
}

test("a stop of the process keeps what is paid: a retry continues the provider's job", async () => {
  const { stop, send } = stoppingApp();
  const sent = videoRequest();
  onPaidCall = async () => Response.json({ id: "v1_job", status: "in_progress" });
  onPoll = async () => {
    onPoll = unscripted;
    stop();
    return undefined;
  };
  expect((await send(sent)).status).toBe(503);

  expect(await afterEnd(sent)).toMatchObject({ status: 200, isReplay: false });
  expect([callsTo(/interactions$/), callsTo(/cancel/)]).toEqual([1, 0]);
});

test("a stop of the process during a paid call is reported, and never paid again", async () => {
  const { stop, send } = stoppingApp();
  const sent = imageRequest();
  const { called, release } = holdPaidCall();
  const response = send(sent);
  await called;
  stop();
  expect((await response).status).toBe(503);
  release();

  const { status, body } = await afterEnd(sent);
  expect([status, body.error]).toEqual([502, expect.stringContaining("may have been billed")]);
  expect(callsTo(/images/)).toBe(1);
});
