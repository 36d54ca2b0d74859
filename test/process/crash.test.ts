import { afterAll, beforeAll, expect, test } from "bun:test";
import { fakeServer, jsonBody } from "../support/models/fake-server.ts";
import { runsFfmpeg, serviceProcesses } from "../support/processes.ts";
import { jsonInit } from "../support/service.ts";
import { formOf, mp4, png } from "../support/uploads.ts";

let service: Awaited<ReturnType<typeof serviceProcesses>>;
let provider: ReturnType<typeof fakeServer>;
let running: Awaited<ReturnType<typeof service.start>>;
let accessToken: string;

/** Run before the provider responds to an image request and to a job poll. */
let beforeImage: () => Promise<unknown>;
let beforePoll: () => Promise<unknown>;
/** Run before a job of the start and status adapter starts, and before its result is sent. */
let beforeStart: () => Promise<unknown>;
let beforeResult: () => Promise<unknown>;
const doNothing = async () => {};

beforeAll(async () => {
  const bytes = await (await mp4()).bytes();
  const video = { type: "video", data: bytes.toBase64() };
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
    "POST /v1/models/:owner/:name/predictions": async () => {
      await beforeStart();
      const urls = { get: `${provider.url}/v1/predictions/1` };
      return Response.json({ id: "1", status: "starting", urls }, { status: 201 });
    },
    "GET /v1/predictions/1": async () => {
      await beforePoll();
      const output = `${provider.url}/results/1.mp4`;
      return Response.json({ id: "1", status: "succeeded", output, urls: { get: "" } });
    },
    "GET /results/1.mp4": async () => {
      await beforeResult();
      return new Response(bytes);
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
  running = await service.start({ ...base, REPLICATE_BASE_URL: provider.url });
  beforeImage = doNothing;
  beforePoll = doNothing;
  beforeStart = doNothing;
  beforeResult = doNothing;
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

const animation = async (key: string) => ({
  path: "/api/generate/video",
  body: {
    ...{ prompt: "It pours", duration: 5, resolution: { width: 64, height: 64 } },
    image_url: `data:image/png;base64,${(await png(64, 64).bytes()).toBase64()}`,
  },
  headers: { "idempotency-key": key, "x-video-provider": "replicate", "x-api-key": "r8-1" },
});

test("a job of the start and status adapter is paid for once, whenever the process is killed", async () => {
  const { path, body, headers } = await animation("job");
  const send = () => post(path, body, headers);
  const starts = () => callsTo(/predictions$/);

  beforePoll = kill;
  expect(await outcomeOf(send())).toBe("lost");
  await start();
  beforeResult = kill;
  expect(await outcomeOf(send())).toBe("lost");
  await start();
  const made = await send();
  expect([made.status, made.headers.get("idempotency-replayed"), starts()]).toEqual([200, null, 1]);
  expect(await (await send()).json()).toEqual(await made.json());
  expect(starts()).toBe(1);

  // between the start and its answer nobody can know
  const unclear = await animation("unclear");
  beforeStart = kill;
  expect(await outcomeOf(post(unclear.path, unclear.body, unclear.headers))).toBe("lost");
  await start();
  for (let attempt = 0; attempt < 2; attempt++) {
    const again = await post(unclear.path, unclear.body, unclear.headers);
    expect([again.status, (await again.json()).code]).toEqual([502, "provider_error"]);
  }
  expect(starts()).toBe(2);
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
