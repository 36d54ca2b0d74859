import { afterAll, beforeAll, expect, test } from "bun:test";
import { runsFfmpeg } from "../support/child-processes.ts";
import { fakeServer, jsonBody } from "../support/models/fake-server.ts";
import { serviceProcesses } from "../support/processes.ts";
import { jsonInit } from "../support/service.ts";
import { formOf, mp4, png } from "../support/uploads.ts";

/**
 * The process is killed twice: first during an image, two jobs of videos and the start of a third one, then during the
 * download of a video and an export.
 */
let service: Awaited<ReturnType<typeof serviceProcesses>>;
let provider: ReturnType<typeof fakeServer>;
let running: Awaited<ReturnType<typeof service.start>>;
let accessToken: string;

/** The moments at which the provider does not answer, and those at which a call has then arrived. */
type Moment = "image" | "job" | "start" | "poll" | "result";
const silent = new Set<Moment>();
const arrived = new Map<Moment, PromiseWithResolvers<void>>();

/** Resolves at once, or never where the provider is silent. */
function answer(moment: Moment): Promise<void> {
  arrived.get(moment)?.resolve();
  return silent.has(moment) ? new Promise(() => {}) : Promise.resolve();
}

/** Makes the provider silent, and resolves once a call has arrived. */
function silence(moment: Moment): Promise<void> {
  silent.add(moment);
  const call = Promise.withResolvers<void>();
  arrived.set(moment, call);
  return call.promise;
}

beforeAll(async () => {
  const bytes = await (await mp4()).bytes();
  const video = { type: "video", data: bytes.toBase64() };
  const image = (await png(64, 64).bytes()).toBase64();
  provider = fakeServer({
    "POST /v1/images/generations": async (request) => {
      if (jsonBody(request).prompt.includes(lostImage)) await answer("image");
      return Response.json({ created: 1, data: [{ b64_json: image }] });
    },
    "POST /v1beta/interactions": () => Response.json({ id: "v1_job", status: "in_progress" }),
    "GET /v1beta/interactions/:id": async () => {
      await answer("job");
      const steps = [{ type: "model_output", content: [video] }];
      return Response.json({ id: "v1_job", status: "completed", steps });
    },
    "POST /v1/models/:owner/:name/predictions": async (request) => {
      if (jsonBody(request).input.prompt.includes(lostStart)) await answer("start");
      const urls = { get: `${provider.url}/v1/predictions/1` };
      return Response.json({ id: "1", status: "starting", urls }, { status: 201 });
    },
    "GET /v1/predictions/1": async () => {
      await answer("poll");
      const output = `${provider.url}/results/1.mp4`;
      return Response.json({ id: "1", status: "succeeded", output, urls: { get: "" } });
    },
    "GET /results/1.mp4": async () => {
      await answer("result");
      return new Response(bytes);
    },
  });
  service = await serviceProcesses();
  await start();
  const ann = { email: "ann@example.com", password: "a good long password", name: "Ann" };
  accessToken = (await postJson("/api/auth/register", ann)).accessToken;
  const { id: projectId } = await postJson("/api/projects", { name: "Launch" });
  const { id: workId } = await postJson(`/api/projects/${projectId}/works`, { scenes: [scene] });
  scenePath = `/api/projects/${projectId}/works/${workId}/generate/scene/0`;

  const reached = (["image", "job", "poll", "start"] as const).map(silence);
  const lost = [generateImage(), generateScene(), animate("It pours"), animate(lostStart)].map(outcomeOf);
  await Promise.all(reached);
  await kill();
  expect(await Promise.all(lost)).toEqual(["lost", "lost", "lost", "lost"]);
  await start();
});
afterAll(async () => {
  await service.end();
  await provider.stop();
});

async function start() {
  silent.clear();
  const base = { OPENAI_BASE_URL: `${provider.url}/v1`, GOOGLE_BASE_URL: `${provider.url}/v1beta` };
  running = await service.start({ ...base, REPLICATE_BASE_URL: provider.url });
}

async function kill() {
  running.launched.kill("SIGKILL");
  await running.launched.exited;
}

const post = (path: string, body: object = {}, headers: Record<string, string> = {}) =>
  fetch(running.url + path, jsonInit("POST", body, { authorization: `Bearer ${accessToken}`, ...headers }));

async function postJson(path: string, body: object) {
  const response = await post(path, body);
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

const callsTo = (path: RegExp, method = "POST") => provider.requestsTo(method, path).length;

/** "lost" if the connection breaks before the response, otherwise "completed". */
const outcomeOf = (response: Promise<Response>) =>
  response.then(
    () => "completed",
    () => "lost",
  );

const lostImage = "A teapot that nobody receives";
const lostStart = "It is never known to pour";

const generateImage = () =>
  post(
    "/api/generate/image",
    { prompt: lostImage, resolution: { width: 1024, height: 1024 } },
    { "idempotency-key": "image", "x-image-provider": "openai", "x-api-key": "sk-1" },
  );

const scene = {
  scene_index: 0,
  duration_seconds: 5,
  image_prompt: "A teapot",
  negative_prompt: "",
  video_prompt: "It pours",
  text_overlay: null,
  transition: "cut",
};
let scenePath: string;

const generateScene = () => {
  const providers = { "x-image-provider": "openai", "x-video-provider": "google" };
  const keys = { "x-image-api-key": "sk-1", "x-video-api-key": "g-1" };
  return post(scenePath, {}, { "idempotency-key": "scene", ...providers, ...keys });
};

/** By the start and status adapter. */
const animate = async (prompt: string) => {
  const image_url = `data:image/png;base64,${(await png(64, 64).bytes()).toBase64()}`;
  const body = { prompt, duration: 5, resolution: { width: 64, height: 64 }, image_url };
  const headers = {
    "idempotency-key": prompt.replaceAll(" ", "-"),
    "x-video-provider": "replicate",
    "x-api-key": "r8-1",
  };
  return await post("/api/generate/video", body, headers);
};

const callsFor = (prompt: string) =>
  provider.requests.filter(({ method, bytes }) => method === "POST" && Buffer.from(bytes).includes(prompt)).length;

test("after a crash during an image generation, a retry does not generate it again and says so", async () => {
  for (const isReplay of [null, "true"]) {
    const response = await generateImage();
    expect([response.status, response.headers.get("idempotency-replayed")]).toEqual([502, isReplay]);
    expect(await response.json()).toMatchObject({
      code: "provider_error",
      error: expect.stringContaining("may have been billed: use a new key"),
    });
  }
  expect(callsFor(lostImage)).toBe(1);
});

let generatedScene: object;

test("after a crash during a video generation, a retry resumes the job and reuses the image", async () => {
  const response = await generateScene();
  generatedScene = await response.json();
  expect([response.status, generatedScene]).toEqual([
    200,
    { imageUrl: expect.any(String), videoUrl: expect.any(String) },
  ]);
  expect([callsTo(/images/), callsTo(/interactions$/), callsTo(/v1_job$/, "GET")]).toEqual([2, 1, 2]);
  expect(jsonBody(provider.requestsTo("POST", /interactions$/)[0]).background).toBe(true);
});

test("after a crash between the start of a job and its answer nobody can know, and it is not started again", async () => {
  for (let attempt = 0; attempt < 2; attempt++) {
    const again = await animate(lostStart);
    expect([again.status, (await again.json()).code]).toEqual([502, "provider_error"]);
  }
  expect(callsFor(lostStart)).toBe(1);
});

test("after a crash during an export, a retry renders it again, and earlier responses are replayed", async () => {
  const { id: projectId } = await postJson("/api/projects", { name: "Film" });
  const { id: workId } = await postJson(`/api/projects/${projectId}/works`, {});
  await fetch(`${running.url}/api/projects/${projectId}/works/${workId}/media/scene/0/image`, {
    method: "POST",
    headers: { authorization: `Bearer ${accessToken}` },
    body: formOf({ file: png(64, 64) }),
  });
  const request = {
    projectId,
    workId,
    clips: [{ sceneIndex: 0, position: 0, end: 1 }],
    options: { width: 320, height: 320 },
  };
  const exportVideo = () => post("/api/export", request, { "idempotency-key": "export" });

  // for the next test, a job that an earlier crash has met
  const downloads = silence("result");
  const animation = outcomeOf(animate("It pours"));
  await downloads;
  const outcome = outcomeOf(exportVideo());
  while (!(await runsFfmpeg(running.launched.pid))) {
    if ((await Promise.race([outcome, Bun.sleep(5)])) === "completed")
      throw new Error("The export ended before ffmpeg was seen.");
  }
  await kill();
  expect(await Promise.all([outcome, animation])).toEqual(["lost", "lost"]);
  await start();

  const first = await exportVideo();
  const second = await exportVideo();
  expect([first.headers.get("idempotency-replayed"), second.headers.get("idempotency-replayed")]).toEqual([
    null,
    "true",
  ]);
  expect(Buffer.compare(await second.bytes(), await first.bytes())).toBe(0);

  const before = provider.requests.length;
  const again = await generateScene();
  expect([again.headers.get("idempotency-replayed"), await again.json()]).toEqual(["true", generatedScene]);
  expect(provider.requests.length).toBe(before);
});

test("a job of the start and status adapter is paid for once, whenever the process is killed", async () => {
  const made = await animate("It pours");
  expect([made.status, made.headers.get("idempotency-replayed")]).toEqual([200, null]);
  expect(await (await animate("It pours")).json()).toEqual(await made.json());
  expect(callsTo(/predictions$/)).toBe(2);
});
