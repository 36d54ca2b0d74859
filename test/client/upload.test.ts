import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ApiError, connect, type UploadProgress } from "../../src/client.ts";
import { breakingFetch } from "../support/broken-fetch.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { testService } from "../support/service.ts";
import { listen, mp4, newProject, png } from "../support/uploads.ts";
import { newWork } from "../support/work-videos.ts";

const service = await testService();
const server = listen(service);
const ann = await service.register("Ann");
const folder = await temporaryFolder();
afterAll(async () => {
  await server.stop();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const isUpload = (_url: string, { method }: RequestInit) => method === "POST";

const annWith = (fetch?: ReturnType<typeof breakingFetch>["fetch"]) =>
  connect(server.url, { token: ann.accessToken, ...(fetch && { fetch }) });

async function assetCount(projectId: string): Promise<number> {
  return (await (await ann.request(`/api/projects/${projectId}/assets`)).json()).count;
}

test("a Blob becomes an asset with a name and tags, and its progress ends at its size", async () => {
  const projectId = await newProject(ann);
  const file = png();
  const progress: UploadProgress[] = [];
  const onProgress = (step: UploadProgress) => void progress.push(step);

  const asset = await annWith().uploadFile({ projectId }, file, { name: "Opener", tags: ["b-roll", "é"], onProgress });

  expect(asset).toMatchObject({ name: "Opener", tags: ["b-roll", "é"], type: "image", size: file.size });
  expect(progress.at(-1)).toEqual({ sentBytes: file.size, totalBytes: file.size });
});

test.each([
  ["a path", (path: string) => path],
  ["a file: URL", (path: string) => pathToFileURL(path)],
])("%s is uploaded under its file name", async (_, sourceOf) => {
  const projectId = await newProject(ann);
  const path = join(folder, 'pixel "1" ü.png');
  await Bun.write(path, png());

  const asset = await annWith().uploadFile({ projectId }, sourceOf(path));

  expect(asset).toMatchObject({ name: 'pixel "1" ü.png', type: "image" });
});

test("a stream of unknown length is uploaded", async () => {
  const projectId = await newProject(ann);
  const asset = await annWith().uploadFile({ projectId }, png().stream(), { filename: "pixel.png" });
  expect(asset).toMatchObject({ name: "pixel.png", type: "image" });
});

test("media goes to a slot of a work", async () => {
  const { projectId, workId, base } = await newWork(ann);
  const uploaded = await annWith().uploadFile({ projectId, workId, slot: "scene/0/video" }, await mp4());
  expect(uploaded).toEqual({ ok: true, url: `${base}/media/scene/0/video` });
});

test("an upload whose response was lost is repeated and adds one asset", async () => {
  const projectId = await newProject(ann);
  const { fetch, exchanges } = breakingFetch({ matches: isUpload, isLost: true });

  const asset = await annWith(fetch).uploadFile({ projectId }, png());

  expect(exchanges.map(({ response }) => response.headers.get("idempotency-replayed"))).toEqual([null, "true"]);
  expect(await assetCount(projectId)).toBe(1);
  expect((await ann.request(`/api/projects/${projectId}/assets/${asset.id}/meta`)).status).toBe(200);
});

test("an upload is repeated after the time that a busy service names", async () => {
  const projectId = await newProject(ann);
  const body = { error: "The service is busy.", code: "busy", requestId: "1" };
  const instead = () => Response.json(body, { status: 503, headers: { "retry-after": "0" } });
  const { fetch, exchanges } = breakingFetch({ matches: isUpload, instead });

  await annWith(fetch).uploadFile({ projectId }, png());

  expect(exchanges.map(({ response }) => response.status)).toEqual([503, 201]);
});

test("a stream, which is gone after the first try, is not sent again", async () => {
  const projectId = await newProject(ann);
  const { fetch, exchanges } = breakingFetch({ matches: isUpload, isLost: true });

  const uploading = annWith(fetch).uploadFile({ projectId }, png().stream());

  await expect(uploading).rejects.toThrow("fetch failed");
  expect(exchanges).toHaveLength(1);
});

test.each([
  ["a small file", () => png()],
  ["a stream", () => png().stream()],
])("%s is uploaded although the access token has expired", async (_, open) => {
  const user = await service.register("Bea");
  const projectId = await newProject(user);
  const session = { accessToken: "no.longer.valid", refreshToken: user.refreshToken };
  const client = connect(server.url, { session });
  expect(await client.uploadFile({ projectId }, open())).toMatchObject({ projectId });
});

test("a refused file is an error at once", async () => {
  const projectId = await newProject(ann);
  const { fetch, exchanges } = breakingFetch();

  const error = await annWith(fetch)
    .uploadFile({ projectId }, new File(["plain text"], "notes.txt"))
    .catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code: "unsupported_media_type", status: 415 });
  expect(exchanges).toHaveLength(1);
});

test("an aborted upload rejects with the signal's reason and adds nothing", async () => {
  const projectId = await newProject(ann);
  const controller = new AbortController();
  const reason = new Error("The user left.");
  const onProgress = () => controller.abort(reason);

  const uploading = annWith().uploadFile({ projectId }, png(), { onProgress, signal: controller.signal });

  await expect(uploading).rejects.toThrow(reason);
  expect(await assetCount(projectId)).toBe(0);
});
