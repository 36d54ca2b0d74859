import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { sweepOrphanedFiles } from "../../../src/storage/files/orphans.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { s3Server } from "../../support/s3-server.ts";
import { settingsFor, testService } from "../../support/service.ts";
import { formOf, newProject, png } from "../../support/uploads.ts";
import { countUp, newFilm, readNumbers, requireJson, saveResponse } from "../../support/work-videos.ts";

const server = s3Server();
const access = server.newBucket();
const service = await testService(settingsFor(access));
const ann = await service.register();
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();
afterAll(async () => {
  await service.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const storedKeys = () => [...server.objectsOf(access).keys()].filter((key) => key.startsWith("files/"));

async function newAsset(user = ann) {
  const path = `/api/projects/${await newProject(user)}/assets`;
  const file = png(40, 30);
  const response = await user.request(path, { method: "POST", body: formOf({ file }) });
  return { path, asset: await requireJson(response) };
}

test("an asset is stored in the bucket, sent whole and in ranges with its headers, and removed", async () => {
  const before = storedKeys();
  const { path, asset } = await newAsset();
  expect(storedKeys().length).toBe(before.length + 2);

  const whole = await ann.request(`${path}/${asset.id}`);
  const bytes = await whole.bytes();
  expect(bytes).toEqual(await png(40, 30).bytes());
  expect(whole.headers.get("content-length")).toBe(`${bytes.length}`);
  const range = await ann.request(`${path}/${asset.id}`, { headers: { range: "bytes=5-14" } });
  expect([range.status, range.headers.get("content-range")]).toEqual([206, `bytes 5-14/${bytes.length}`]);
  expect(await range.bytes()).toEqual(bytes.slice(5, 15));
  expect((await ann.request(`${path}/${asset.id}/thumbnail`)).status).toBe(200);

  expect((await ann.request(`${path}/${asset.id}`, { method: "DELETE" })).status).toBe(204);
  expect(storedKeys()).toEqual(before);
});

test("an export is rendered from objects and stored as one", async () => {
  const { request } = await newFilm(ann, folder);
  // as on a machine that has none of the sources
  await rm(`${service.dataDir}/scratch`, { recursive: true });

  const path = await saveResponse(folder, await ann.json("POST", "/api/export", request));

  expect(await readNumbers(ffmpeg!, path)).toEqual(countUp(100, 30));
  expect(storedKeys().some((key) => key.endsWith(".mp4"))).toBe(true);
});

test("while the store is away, requests for files get 503 with Retry-After and leave nothing", async () => {
  const { path, asset } = await newAsset();
  await rm(`${service.dataDir}/scratch`, { recursive: true });
  await server.stop();
  try {
    const responses = await Promise.all([ann.request(`${path}/${asset.id}`), ann.request(path, uploadOf(png(9, 9)))]);
    for (const response of responses) {
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(await response.json()).toMatchObject({
        code: "unavailable",
        error: expect.stringContaining("file storage"),
      });
    }
    expect((await requireJson(ann.request(path))).count).toBe(1);
    expect((await ann.request(`${path}/${asset.id}`, { method: "HEAD" })).status).toBe(200);
    expect((await ann.request("/api/ready")).status).toBe(503);
  } finally {
    server.restart();
  }
  expect((await ann.request(`${path}/${asset.id}`)).status).toBe(200);
});

const uploadOf = (file: File): RequestInit => ({ method: "POST", body: formOf({ file }) });

test("objects without a row are removed after a day, and no others", async () => {
  const { path, asset } = await newAsset();
  const orphan = "files/project/orphan.png";
  const objects = server.objectsOf(access);
  const old = { bytes: new Uint8Array(5), sha256: null, writtenAt: 0 };
  objects.set(orphan, old);
  for (const object of objects.values()) object.writtenAt = 0;
  objects.set("files/project/young.png", { ...old, writtenAt: Date.now() });

  expect(await sweepOrphanedFiles(service.db, service.files)).toBe(1);

  expect(storedKeys()).not.toContain(orphan);
  expect(storedKeys()).toContain("files/project/young.png");
  expect((await ann.request(`${path}/${asset.id}`)).status).toBe(200);
});

test("with a public address, downloads are redirected to a URL that needs no token and keeps type and name", async () => {
  const publicAccess = server.newBucket();
  const redirecting = await testService({ ...settingsFor(publicAccess), S3_PUBLIC_URL: publicAccess.endpoint });
  const bob = await redirecting.register("Bob");
  try {
    const { path, asset } = await newAsset(bob);

    const response = await bob.request(`${path}/${asset.id}`);
    const location = response.headers.get("location") ?? "";
    expect(response.status).toBe(302);
    expect(new URL(location).pathname).toStartWith(`/${publicAccess.bucket}/files/`);

    const object = await fetch(location, { headers: { range: "bytes=0-3" } });
    expect([object.status, object.headers.get("content-type")]).toEqual([206, "image/png"]);
    expect(object.headers.get("content-disposition")).toContain("pixel.png");
    const head = await bob.request(`${path}/${asset.id}`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, `${asset.size}`]);
    const etag = head.headers.get("etag") ?? "";
    expect((await bob.request(`${path}/${asset.id}`, { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await fetch(location.replace("pixel", "script"))).status).toBe(403);
  } finally {
    await redirecting.close();
  }
});
