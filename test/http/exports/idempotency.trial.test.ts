import { expect, test } from "bun:test";
import { createApp } from "../../../src/app.ts";
import { DomainError } from "../../../src/errors.ts";
import { leaseEnds } from "../../support/lease-ends.ts";
import { jsonInit, sharedService } from "../../support/service.ts";
import { filesOf, formOf, listen, newProject, png } from "../../support/uploads.ts";

const service = await sharedService();
const ann = await service.register("Ann");

/** A work with one image, and a request that exports it. */
async function imageExport() {
  const projectId = await newProject(ann);
  const created = await ann.json("POST", `/api/projects/${projectId}/works`, { name: "Фильм" });
  const { id: workId } = await created.json();
  const imagePath = `/api/projects/${projectId}/works/${workId}/media/scene/0/image`;
  await ann.request(imagePath, { method: "POST", body: formOf({ file: png(64, 36) }) });
  const body = {
    projectId,
    workId,
    options: { width: 64, height: 36, fps: 10 },
    clips: [{ sceneIndex: 0, position: 0, end: 0.5 }],
    texts: [{ text: "late", position: 10, end: 12 }],
  };
  return { projectId, body, removeImage: () => ann.json("DELETE", imagePath) };
}

/** For tests that remove nothing of it. */
const lasting = await imageExport();

const newKey = () => ({ "idempotency-key": crypto.randomUUID() });

const metadataOf = ({ status, headers }: Response) => ({
  status,
  headers: ["content-type", "content-disposition", "content-length", "x-export-warnings", "cache-control"].map(
    (name) => [name, headers.get(name)],
  ),
});

/** The stored videos of exports: one for each, and another for each that can be replayed. */
const storedVideos = async () => (await filesOf(service)).filter((path) => /\/files\/.*\.mp4$/.test(path));

test("an export with a key is replayed byte for byte, without rendering", async () => {
  const { body, removeImage } = await imageExport();
  const key = newKey();
  const first = await ann.json("POST", "/api/export", body, key);
  const bytes = await first.bytes();
  expect((await removeImage()).status).toBe(204);

  const second = await ann.json("POST", "/api/export", body, key);
  expect(metadataOf(second)).toEqual(metadataOf(first));
  expect(metadataOf(second)).toMatchObject({
    status: 200,
    headers: expect.arrayContaining([["x-export-warnings", '["overlay_past_end","silent_result"]']]),
  });
  expect([first.headers.get("idempotency-replayed"), second.headers.get("idempotency-replayed")]).toEqual([
    null,
    "true",
  ]);
  expect(Buffer.compare(await second.bytes(), bytes)).toBe(0);
});

test("a replayed export has a Content-Length over a real connection", async () => {
  const { body } = lasting;
  const server = listen(service);
  const send = () => {
    const headers = {
      authorization: `Bearer ${ann.accessToken}`,
      "idempotency-key": "over a port".replaceAll(" ", "-"),
    };
    return fetch(`${server.url}/api/export`, jsonInit("POST", body, headers));
  };
  const lengths: (string | number | null)[] = [];
  for (const response of [await send(), await send()]) {
    lengths.push(response.headers.get("content-length"), `${(await response.bytes()).length}`);
  }
  await server.stop();

  expect(new Set(lengths).size).toBe(1);
});

test("only an export with a key stores a second file, for its replay", async () => {
  const { body } = lasting;
  const counts = [(await storedVideos()).length];
  for (const headers of [{}, newKey()]) {
    await (await ann.json("POST", "/api/export", body, headers)).bytes();
    counts.push((await storedVideos()).length);
  }

  expect(counts.map((count) => count - counts[0]!)).toEqual([0, 1, 3]);
});

test("removing a project removes its videos, also those that are kept for a replay", async () => {
  const other = await imageExport();
  await (await ann.json("POST", "/api/export", other.body, newKey())).bytes();
  const before = await storedVideos();
  const { body, projectId } = await imageExport();
  await (await ann.json("POST", "/api/export", body, newKey())).bytes();

  expect((await ann.json("DELETE", `/api/projects/${projectId}`)).status).toBe(204);

  expect(await storedVideos()).toEqual(before);
});

test("removing a project removes its rendered parts and frames", async () => {
  const cached = async () => (await filesOf(service)).filter((path) => path.includes("/cache/"));
  const other = await imageExport();
  await (await ann.json("POST", "/api/export", other.body)).bytes();
  const before = await cached();
  const { body, projectId } = await imageExport();
  await (await ann.json("POST", "/api/export", body)).bytes();
  await (await ann.json("POST", "/api/export/frame?t=0.2", body)).bytes();
  expect((await cached()).length).toBeGreaterThan(before.length + 1);

  expect((await ann.json("DELETE", `/api/projects/${projectId}`)).status).toBe(204);

  expect(await cached()).toEqual(before);
});

test("an export whose file cannot be stored is sent, and sent again for the same key", async () => {
  const copy = async () => Promise.reject(new DomainError("storage_full", {}));
  const app = createApp({ ...service.services, files: { ...service.services.files, copy } });
  const { body } = lasting;
  const headers = { authorization: `Bearer ${ann.accessToken}`, ...newKey() };
  for (const _ of [1, 2]) {
    const response = await app.request("/api/export", jsonInit("POST", body, headers));
    expect([response.status, response.headers.get("idempotency-replayed")]).toEqual([200, null]);
    expect((await response.bytes()).length).toBe(Number(response.headers.get("content-length")));
  }
});

test("an asynchronous export with a key is enqueued once", async () => {
  const { body } = lasting;
  const key = newKey();
  const first = await ann.json("POST", "/api/exports", body, key);
  const second = await ann.json("POST", "/api/exports", body, key);

  expect([first.status, second.status, second.headers.get("idempotency-replayed")]).toEqual([202, 202, "true"]);
  const { id } = await first.json();
  expect([(await second.json()).id, second.headers.get("location")]).toEqual([id, `/api/exports/${id}`]);
});

/** The service, with an export store whose first answers are lost: the write takes effect, and the request fails. */
function losingAnswers(count: number) {
  const { exports } = service.services;
  let lost = 0;
  const add: typeof exports.add = async (...args) => {
    await exports.add(...args);
    if (lost++ < count) throw new DomainError("unavailable", {});
  };
  const ends = leaseEnds();
  return {
    ends,
    app: createApp({ ...service.services, ...ends.store(service.services), exports: { ...exports, add } }),
  };
}

test.each(["/api/exports", "/api/export"])("%s: a retry finds the export whose confirmation was lost", async (path) => {
  const { body } = await imageExport();
  const { ends, app } = losingAnswers(2);
  const key = newKey();
  const headers = { authorization: `Bearer ${ann.accessToken}`, ...key };
  const send = () => app.request(path, jsonInit("POST", body, headers));
  const first = await send();
  // a request that met an outage does not wait until its claim of the key is released
  await ends.ofKey(ann, key["idempotency-key"]);
  const retry = await send();

  expect([first.status, retry.status]).toEqual([503, path === "/api/exports" ? 202 : 200]);
  const { exports } = await (await ann.request("/api/exports")).json();
  expect(exports.filter(({ projectId }: { projectId: string }) => projectId === body.projectId)).toHaveLength(1);
});

test("an export with the id of another is not added", async () => {
  const { body } = lasting;
  const { id } = await (await ann.json("POST", "/api/exports", body)).json();
  const count = async () => (await (await ann.request("/api/exports")).json()).count;
  const before = await count();

  const job = await service.services.exports.find(ann.user.id, id);
  await service.services.exports.add({ ...job!, status: "queued" });

  expect(await count()).toBe(before);
});

test("an export that has failed is rendered again for the same key", async () => {
  const { body, removeImage } = await imageExport();
  const key = newKey();
  const { exports } = service.services;
  const removing: typeof exports.add = async (...args) => {
    await removeImage();
    await exports.add(...args);
  };
  const app = createApp({ ...service.services, exports: { ...exports, add: removing } });
  const headers = { authorization: `Bearer ${ann.accessToken}`, ...key };
  expect((await app.request("/api/export", jsonInit("POST", body, headers))).status).toBe(422);

  const image = `/api/projects/${body.projectId}/works/${body.workId}/media/scene/0/image`;
  await ann.request(image, { method: "POST", body: formOf({ file: png(64, 36) }) });
  const again = await ann.json("POST", "/api/export", body, key);
  expect(again.status).toBe(200);
  await again.bytes();
});

test("a rejected export does not use up its key", async () => {
  const { body } = lasting;
  const key = newKey();
  const rejected = await ann.json(
    "POST",
    "/api/export",
    { ...body, clips: [{ sceneIndex: 7, position: 0, end: 1 }] },
    key,
  );
  expect(rejected.status).toBe(422);

  const corrected = await ann.json("POST", "/api/export", body, key);
  expect(corrected.status).toBe(200);
  await corrected.bytes();
});

test("a replay gives 404 once the project is removed", async () => {
  const { body, projectId } = await imageExport();
  const key = newKey();
  await (await ann.json("POST", "/api/export", body, key)).bytes();
  await ann.json("DELETE", `/api/projects/${projectId}`);

  expect((await ann.json("POST", "/api/export", body, key)).status).toBe(404);
});
