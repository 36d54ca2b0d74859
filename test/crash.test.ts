import { afterAll, beforeAll, expect, test } from "bun:test";
import { fakeServer, jsonBody } from "./helpers/models/fake-server.ts";
import { runsFfmpeg, serviceProcesses } from "./helpers/processes.ts";
import { jsonInit } from "./helpers/service.ts";
import { formOf, mp4, png } from "./helpers/uploads.ts";

let service: Awaited<ReturnType<typeof serviceProcesses>>;
let provider: ReturnType<typeof fakeServer>;
let running: Awaited<ReturnType<typeof service.start>>;
let accessToken: string;

/** Run before the provider responds to an image request and to a job poll. */
let beforeImage: () => Promise<unknown>;
let beforePoll: () => Promise<unknown>;
const doNothing = async () => {};

beforeAll(async () => {
  const video = { type: "video", data: (await (await mp4()).bytes()).toBase64() };
  const image = (await png(64, 64).bytes()).toBase64();
  provider = fakeServer({
    "POST /v1/images/generations": async () => {
      await beforeImage();
      return Response.json({ created: 1, data: [{ b64_json: image }] });
    },
    "POST /v1beta/interactions": () => Response.json({ id: "v1_job", status: "in_progress" }),
    "GET /v1beta/interactions/:id": async () => {
      await beforePoll();
      const steps = [{ type: "model_output", content: [video] }];
      return Response.json({ id: "v1_job", status: "completed", steps });
    },
  });
  service = await serviceProcesses();
  await start();
  const ann = { email: "ann@example.com", password: "a good long password", name: "Ann" };
  accessToken = (await postJson("/api/auth/register", ann)).accessToken;
});
afterAll(async () => {
  await service.end();
  await provider.stop();
});

async function start() {
  const base = { OPENAI_BASE_URL: `${provider.url}/v1`, GOOGLE_BASE_URL: `${provider.url}/v1beta` };
  running = await service.start(base);
  beforeImage = doNothing;
  beforePoll = doNothing;
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

const imageRequest = {
  path: "/api/generate/image",
  body: { prompt: "A teapot", resolution: { width: 1024, height: 1024 } },
  headers: { "idempotency-key": "image", "x-image-provider": "openai", "x-api-key": "sk-1" },
};
const generateImage = () => post(imageRequest.path, imageRequest.body, imageRequest.headers);

test("after a crash during an image generation, a retry does not generate it again and says so", async () => {
  beforeImage = kill;
  expect(await outcomeOf(generateImage())).toBe("lost");
  await start();

  for (const isReplay of [null, "true"]) {
    const response = await generateImage();
    expect([response.status, response.headers.get("idempotency-replayed")]).toEqual([502, isReplay]);
    expect(await response.json()).toMatchObject({
      code: "provider_error",
      error: expect.stringContaining("may have been billed: use a new key"),
    });
  }
  expect(callsTo(/images/)).toBe(1);
});

const scene = {
  scene_index: 0,
  duration_seconds: 5,
  image_prompt: "A teapot",
  negative_prompt: "",
  video_prompt: "It pours",
  text_overlay: null,
  transition: "cut",
};

let generatedScene: { path: string; headers: Record<string, string>; body: object };

test("after a crash during a video generation, a retry resumes the job and reuses the image", async () => {
  const { id: projectId } = await postJson("/api/projects", { name: "Launch" });
  const { id: workId } = await postJson(`/api/projects/${projectId}/works`, { scenes: [scene] });
  const path = `/api/projects/${projectId}/works/${workId}/generate/scene/0`;
  const providers = { "x-image-provider": "openai", "x-video-provider": "google" };
  const keys = { "x-image-api-key": "sk-1", "x-video-api-key": "g-1" };
  const headers = { "idempotency-key": "scene", ...providers, ...keys };
  const before = callsTo(/images/);

  beforePoll = kill;
  expect(await outcomeOf(post(path, {}, headers))).toBe("lost");
  await start();

  const response = await post(path, {}, headers);
  const body = await response.json();
  expect([response.status, body]).toEqual([200, { imageUrl: expect.any(String), videoUrl: expect.any(String) }]);
  expect([callsTo(/images/) - before, callsTo(/interactions$/), callsTo(/v1_job$/, "GET")]).toEqual([1, 1, 2]);
  expect(jsonBody(provider.requestsTo("POST", /interactions$/)[0]).background).toBe(true);
  generatedScene = { path, headers, body };
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

  const outcome = outcomeOf(exportVideo());
  while (!(await runsFfmpeg(running.launched.pid))) {
    if ((await Promise.race([outcome, Bun.sleep(5)])) === "completed")
      throw new Error("The export ended before ffmpeg was seen.");
  }
  await kill();
  expect(await outcome).toBe("lost");
  await start();

  const first = await exportVideo();
  const second = await exportVideo();
  expect([first.headers.get("idempotency-replayed"), second.headers.get("idempotency-replayed")]).toEqual([
    null,
    "true",
  ]);
  expect(Buffer.compare(await second.bytes(), await first.bytes())).toBe(0);

  const before = provider.requests.length;
  const again = await post(generatedScene.path, {}, generatedScene.headers);
  expect([again.headers.get("idempotency-replayed"), await again.json()]).toEqual(["true", generatedScene.body]);
  expect(provider.requests.length).toBe(before);
});
