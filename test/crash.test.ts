import { afterAll, beforeAll, expect, test } from "bun:test";
import { hasChildren, processes } from "./helpers/processes.ts";
import { jsonInit } from "./helpers/service.ts";
import { jsonOf, standIn } from "./helpers/stand-in.ts";
import { formOf, mp4, png } from "./helpers/uploads.ts";

let service: Awaited<ReturnType<typeof processes>>;
let provider: ReturnType<typeof standIn>;
let running: Awaited<ReturnType<typeof service.started>>;
let accessToken: string;

/** What the provider does before it tells of a picture, and of a job. */
let beforePicture: () => Promise<unknown>;
let beforeLook: () => Promise<unknown>;
const nothing = async () => {};

beforeAll(async () => {
  const video = { type: "video", data: (await (await mp4()).bytes()).toBase64() };
  const picture = (await png(64, 64).bytes()).toBase64();
  provider = standIn({
    "POST /v1/images/generations": async () => {
      await beforePicture();
      return Response.json({ created: 1, data: [{ b64_json: picture }] });
    },
    "POST /v1beta/interactions": () => Response.json({ id: "v1_job", status: "in_progress" }),
    "GET /v1beta/interactions/:id": async () => {
      await beforeLook();
      const steps = [{ type: "model_output", content: [video] }];
      return Response.json({ id: "v1_job", status: "completed", steps });
    },
  });
  service = await processes();
  await start();
  const ann = { email: "ann@example.com", password: "a good long password", name: "Ann" };
  accessToken = (await created("/api/auth/register", ann)).accessToken;
}, 60_000);
afterAll(async () => {
  await service.end();
  await provider.stop();
});

async function start() {
  const base = { OPENAI_BASE_URL: `${provider.url}/v1`, GOOGLE_BASE_URL: `${provider.url}/v1beta` };
  running = await service.started(base);
  [beforePicture, beforeLook] = [nothing, nothing];
}

async function kill() {
  running.launched.kill("SIGKILL");
  await running.launched.exited;
}

const ask = (path: string, body: object = {}, headers: Record<string, string> = {}) =>
  fetch(running.url + path, jsonInit("POST", body, { authorization: `Bearer ${accessToken}`, ...headers }));

async function created(path: string, body: object) {
  const response = await ask(path, body);
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

const upstream = (path: RegExp, method = "POST") => provider.to(method, path).length;

/** What a client knows whose server died under it: nothing. */
const lost = (answer: Promise<Response>) =>
  answer.then(
    () => "answered",
    () => "lost",
  );

const drawing = {
  ...{ path: "/api/generate/image", body: { prompt: "A teapot", resolution: { width: 1024, height: 1024 } } },
  headers: { "idempotency-key": "drawing", "x-image-provider": "openai", "x-api-key": "sk-1" },
};
const draw = () => ask(drawing.path, drawing.body, drawing.headers);

test("a server that dies while a picture is drawn does not have it drawn again, and says so", async () => {
  beforePicture = kill;
  expect(await lost(draw())).toBe("lost");
  await start();

  for (const isReplay of [null, "true"]) {
    const response = await draw();
    expect([response.status, response.headers.get("idempotency-replayed")]).toEqual([502, isReplay]);
    expect(await response.json()).toMatchObject({
      code: "provider_error",
      error: expect.stringContaining("may have been billed: use a new key"),
    });
  }
  expect(upstream(/images/)).toBe(1);
}, 60_000);

const scene = {
  ...{ scene_index: 0, duration_seconds: 5, image_prompt: "A teapot", negative_prompt: "" },
  ...{ video_prompt: "It pours", text_overlay: null, transition: "cut" },
};

let made: { path: string; headers: Record<string, string>; answer: object };

test("a server that dies while a video is made goes on with it, and with the picture that it has", async () => {
  const { id: projectId } = await created("/api/projects", { name: "Launch" });
  const { id: workId } = await created(`/api/projects/${projectId}/works`, { scenes: [scene] });
  const path = `/api/projects/${projectId}/works/${workId}/generate/scene/0`;
  const chosen = { "x-image-provider": "openai", "x-video-provider": "google" };
  const keys = { "x-image-api-key": "sk-1", "x-video-api-key": "g-1" };
  const headers = { "idempotency-key": "scene", ...chosen, ...keys };
  const before = upstream(/images/);

  beforeLook = kill;
  expect(await lost(ask(path, {}, headers))).toBe("lost");
  await start();

  const response = await ask(path, {}, headers);
  const answer = await response.json();
  expect([response.status, answer]).toEqual([200, { imageUrl: expect.any(String), videoUrl: expect.any(String) }]);
  expect([upstream(/images/) - before, upstream(/interactions$/), upstream(/v1_job$/, "GET")]).toEqual([1, 1, 2]);
  expect(jsonOf(provider.to("POST", /interactions$/)[0]).background).toBe(true);
  made = { path, headers, answer };
}, 60_000);

test("a server that dies while it renders does it anew, and what it had answered before it answers again", async () => {
  const { id: projectId } = await created("/api/projects", { name: "Film" });
  const { id: workId } = await created(`/api/projects/${projectId}/works`, {});
  await fetch(`${running.url}/api/projects/${projectId}/works/${workId}/media/scene/0/image`, {
    ...{ method: "POST", headers: { authorization: `Bearer ${accessToken}` }, body: formOf({ file: png(64, 64) }) },
  });
  const film = {
    projectId,
    workId,
    clips: [{ sceneIndex: 0, position: 0, end: 1 }],
    options: { width: 320, height: 320 },
  };
  const exported = () => ask("/api/export", film, { "idempotency-key": "film" });

  const answer = lost(exported());
  while (!(await hasChildren(running.launched.pid))) {
    if ((await Promise.race([answer, Bun.sleep(5)])) === "answered") throw new Error("It was over before it was seen.");
  }
  await kill();
  expect(await answer).toBe("lost");
  await start();

  const [first, second] = [await exported(), await exported()];
  expect([first.headers.get("idempotency-replayed"), second.headers.get("idempotency-replayed")]).toEqual([
    null,
    "true",
  ]);
  expect(Buffer.compare(await second.bytes(), await first.bytes())).toBe(0);

  const before = provider.taken.length;
  const again = await ask(made.path, {}, made.headers);
  expect([again.headers.get("idempotency-replayed"), await again.json()]).toEqual(["true", made.answer]);
  expect(provider.taken.length).toBe(before);
}, 60_000);
