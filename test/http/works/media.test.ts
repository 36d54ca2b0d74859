import { afterAll, beforeAll, expect, test } from "bun:test";
import { type OwnService, type TestUser, testService } from "../../support/service.ts";
import { filesOf, formOf, listen, mp4, newProject, png, wav } from "../../support/uploads.ts";

let service: OwnService;
let ann: TestUser;

beforeAll(async () => {
  service = await testService();
  ann = await service.register();
});

afterAll(() => service.close());

async function newWork(fields: object = {}): Promise<string> {
  const path = `/api/projects/${await newProject(ann)}/works`;
  const response = await ann.json("POST", path, fields);
  expect(response.status).toBe(201);
  return `${path}/${(await response.json()).id}`;
}

const read = async (path: string) => (await ann.request(path)).json();

async function send(url: string, field: string, file: File) {
  const response = await ann.request(url, { method: "POST", body: formOf({ [field]: file }) });
  return { status: response.status, body: await response.json() };
}

const remove = async (url: string) => (await ann.request(url, { method: "DELETE" })).status;

test("a reference video is stored, streamed and removed, and hasReferenceVideo follows", async () => {
  const work = await newWork();
  const url = `${work}/media/reference`;

  expect(await send(url, "video", await mp4())).toEqual({ status: 200, body: { ok: true, url } });
  expect(await read(work)).toMatchObject({ hasReferenceVideo: true });
  expect(await (await ann.request(url)).bytes()).toEqual(await (await mp4()).bytes());

  expect(await remove(url)).toBe(204);
  expect(await read(work)).toMatchObject({ hasReferenceVideo: false });
  expect((await ann.request(url)).status).toBe(404);
  expect(await remove(url)).toBe(404);
});

test("uploaded music sets the editor's audioUrl, and its removal clears it", async () => {
  const work = await newWork({ resolution: { width: 640, height: 360 } });
  const url = `${work}/media/audio`;

  expect(await send(url, "audio", wav())).toEqual({ status: 200, body: { ok: true, audioUrl: url } });
  const { editorState } = await read(work);
  expect(editorState).toMatchObject({ audioUrl: url, audioVolume: 1, exportSettings: { width: 640, height: 360 } });

  expect(await remove(url)).toBe(204);
  expect((await read(work)).editorState).not.toHaveProperty("audioUrl");
});

test("a scene's voice is stored, and stays when an editor that knows no voices saves its scenes", async () => {
  const work = await newWork({ scenes: [{ duration_seconds: 2, voice_text: "Good morning." }] });
  const url = `${work}/media/scene/0/voice`;

  expect(await send(url, "file", wav())).toEqual({ status: 200, body: { ok: true, url } });
  await send(`${work}/media/scene/0/image`, "file", png());
  const [scene] = (await read(work)).generatedScenes;
  expect(scene).toMatchObject({ sceneIndex: 0, voiceUrl: url, status: "image_ready" });
  const { voiceUrl: _, ...known } = scene;
  await ann.json("PUT", work, { generatedScenes: [known] });
  expect(await read(work)).toMatchObject({ generatedScenes: [scene], scenes: [{ voice_text: "Good morning." }] });

  expect(await remove(url)).toBe(204);
  expect((await read(work)).generatedScenes[0]).toEqual(known);
});

test("the voice of a whole work is stored and removed", async () => {
  const url = `${await newWork()}/media/voice`;

  expect(await send(url, "file", wav())).toEqual({ status: 200, body: { ok: true, url } });
  expect(await (await ann.request(url)).bytes()).toEqual(await wav().bytes());
  expect(await remove(url)).toBe(204);
  expect((await ann.request(url)).status).toBe(404);
});

test("removing the uploaded music keeps an external audioUrl", async () => {
  const work = await newWork();
  await send(`${work}/media/audio`, "audio", wav());
  const { editorState } = await read(work);
  await ann.json("PUT", work, { editorState: { ...editorState, audioUrl: "https://example.com/a.mp3" } });

  expect(await remove(`${work}/media/audio`)).toBe(204);
  expect(await read(work)).toMatchObject({ editorState: { audioUrl: "https://example.com/a.mp3" } });
});

test("a scene's status follows its files", async () => {
  const work = await newWork();
  const imageUrl = `${work}/media/scene/2/image`;
  const videoUrl = `${work}/media/scene/2/video`;
  const scene = async () => (await read(work)).generatedScenes[2];

  expect(await send(imageUrl, "file", png())).toEqual({ status: 200, body: { ok: true, url: imageUrl } });
  expect(await scene()).toEqual({ sceneIndex: 2, status: "image_ready", imageUrl });
  expect(await send(videoUrl, "file", await mp4())).toEqual({ status: 200, body: { ok: true, url: videoUrl } });
  expect(await scene()).toEqual({ sceneIndex: 2, status: "done", imageUrl, videoUrl });
  await send(imageUrl, "file", png());
  expect(await scene()).toMatchObject({ status: "done" });
  expect(await remove(videoUrl)).toBe(204);
  expect(await scene()).toEqual({ sceneIndex: 2, status: "image_ready", imageUrl });
  expect(await remove(imageUrl)).toBe(204);
  expect(await scene()).toEqual({ sceneIndex: 2, status: "pending" });
});

test("a new upload replaces the previous file", async () => {
  const url = `${await newWork()}/media/scene/0/image`;
  await send(url, "file", png(2, 2));
  const before = await filesOf(service);
  await send(url, "file", png(8, 8));

  expect(await (await ann.request(url)).bytes()).toEqual(await png(8, 8).bytes());
  expect(await filesOf(service)).toHaveLength(before.length);
});

test("a rejected upload leaves the previous file", async () => {
  const work = await newWork();
  const url = `${work}/media/scene/0/image`;
  await send(url, "file", png());
  const before = await filesOf(service);
  const workBefore = await read(work);

  expect((await send(url, "file", wav())).status).toBe(415);
  expect((await send(url, "other", png())).status).toBe(400);
  expect(await filesOf(service)).toEqual(before);
  expect(await read(work)).toEqual(workBefore);
  expect(await (await ann.request(url)).bytes()).toEqual(await png().bytes());
});

test.each([
  ["reference", "video", png()],
  ["reference", "video", wav()],
  ["scene/0/image", "file", wav()],
  ["scene/0/video", "file", png()],
  ["audio", "audio", png()],
  ["voice", "file", png()],
  ["scene/0/voice", "file", png()],
])("%s accepts only its kind of file", async (slot, field, file) => {
  const { status, body } = await send(`${await newWork()}/media/${slot}`, field, file);

  expect([status, body.code]).toEqual([415, "unsupported_media_type"]);
  expect(body.error).toMatch(/^This file (is a picture|holds only sound)\. Upload a .+\.$/);
});

test.each(["reference", "scene/0/image", "audio"])("%s without a file is rejected", async (slot) => {
  const { status, body } = await send(`${await newWork()}/media/${slot}`, "wrong", png());

  expect([status, body.error]).toEqual([400, "No file uploaded"]);
});

test.each([
  "scene/500/image",
  "scene/-1/image",
  "scene/01/image",
  "scene/x/video",
  "scene/1.5/video",
  "scene/0/sound",
  "cover",
])("%s is 404", async (slot) => {
  const url = `${await newWork()}/media/${slot}`;

  expect((await ann.request(url)).status).toBe(404);
  expect((await send(url, "file", png())).status).toBe(404);
  expect(await remove(url)).toBe(404);
});

test("the last scene index is 499", async () => {
  expect((await send(`${await newWork()}/media/scene/499/image`, "file", png())).status).toBe(200);
});

test("another user's work and a work of another project are 404", async () => {
  const work = await newWork();
  const url = `${work}/media/reference`;
  await send(url, "video", await mp4());
  const eve = await service.register("Eve");
  const elsewhere = url.replace(/proj_\w+/, (await newWork()).split("/")[3]!);

  for (const response of [
    await eve.request(url),
    await ann.request(elsewhere),
    await eve.request(url, { method: "DELETE" }),
  ]) {
    expect(response.status).toBe(404);
  }
});

test("reading requires works:read and changes require works:write", async () => {
  const url = `${await newWork()}/media/audio`;
  await send(url, "audio", wav());
  const response = await ann.json("POST", "/api/tokens", { name: "reader", scopes: ["works:read"] });
  const { token } = await response.json();
  const asReader = (method: string) => service.request(url, { method, headers: { authorization: `Bearer ${token}` } });

  expect((await asReader("GET")).status).toBe(200);
  expect((await asReader("POST")).status).toBe(403);
  expect((await asReader("DELETE")).status).toBe(403);
});

test("media is streamed over a port with ranges, HEAD and ?token=", async () => {
  const url = `${await newWork()}/media/audio`;
  await send(url, "audio", wav());
  const server = listen(service);
  const mediaUrl = `${server.url}${url}?token=${ann.accessToken}`;

  const part = await fetch(mediaUrl, { headers: { range: "bytes=-10" } });
  expect([part.status, (await part.bytes()).length]).toEqual([206, 10]);
  const head = await fetch(mediaUrl, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length")]).toEqual([200, `${wav().size}`]);
  expect((await fetch(mediaUrl, { method: "DELETE" })).status).toBe(401);
  server.stop();
});

test("twenty concurrent uploads to a work are all stored", async () => {
  const work = await newWork();
  const uploads = Array.from({ length: 20 }, (_, index) => send(`${work}/media/scene/${index}/image`, "file", png()));
  for (const { status } of await Promise.all(uploads)) expect(status).toBe(200);

  const { generatedScenes } = await read(work);
  expect(generatedScenes.map(({ status }: { status: string }) => status)).toEqual(Array(20).fill("image_ready"));
});
