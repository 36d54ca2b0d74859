import { afterAll, expect, test } from "bun:test";
import { createApp } from "../../../../src/app.ts";
import { DomainError } from "../../../../src/errors.ts";
import { jsonInit, testService } from "../../../helpers/service.ts";
import { filesOf, formOf, listen, newProject, png } from "../../../helpers/uploads.ts";

const service = await testService();
const ann = await service.register("Ann");
afterAll(() => service.close());

/** A work of one still picture, and the export of it. */
async function still() {
  const projectId = await newProject(ann);
  const created = await ann.json("POST", `/api/projects/${projectId}/works`, { name: "Фильм" });
  const { id: workId } = await created.json();
  const picture = `/api/projects/${projectId}/works/${workId}/media/scene/0/image`;
  await ann.request(picture, { method: "POST", body: formOf({ file: png(64, 36) }) });
  const body = {
    ...{ projectId, workId, options: { width: 64, height: 36, fps: 10 } },
    clips: [{ sceneIndex: 0, position: 0, end: 0.5 }],
    texts: [{ text: "late", position: 10, end: 12 }],
  };
  return { projectId, body, removePicture: () => ann.json("DELETE", picture) };
}

const newKey = () => ({ "idempotency-key": crypto.randomUUID() });

const told = ({ status, headers }: Response) => ({
  status,
  headers: ["content-type", "content-disposition", "content-length", "x-export-warnings", "cache-control"].map(
    (name) => [name, headers.get(name)],
  ),
});

/** The films that wait to be sent again. */
const kept = async () => (await filesOf(service)).filter((path) => path.includes(`/files/${ann.user.id}/`));

test("a film that was exported with a key is sent again, byte for byte, without being rendered", async () => {
  const { body, removePicture } = await still();
  const key = newKey();
  const first = await ann.json("POST", "/api/export", body, key);
  const bytes = await first.bytes();
  expect((await removePicture()).status).toBe(204);

  const second = await ann.json("POST", "/api/export", body, key);
  expect(told(second)).toEqual(told(first));
  expect(told(second)).toMatchObject({
    status: 200,
    headers: expect.arrayContaining([["x-export-warnings", '["overlay_past_end"]']]),
  });
  expect([first.headers.get("idempotency-replayed"), second.headers.get("idempotency-replayed")]).toEqual([
    null,
    "true",
  ]);
  expect(Buffer.compare(await second.bytes(), bytes)).toBe(0);
});

test("over a port the repeated film tells its length", async () => {
  const { body } = await still();
  const server = listen(service);
  const ask = () => {
    const headers = {
      authorization: `Bearer ${ann.accessToken}`,
      "idempotency-key": "over a port".replaceAll(" ", "-"),
    };
    return fetch(`${server.url}/api/export`, jsonInit("POST", body, headers));
  };
  const lengths: (string | number | null)[] = [];
  for (const response of [await ask(), await ask()]) {
    lengths.push(response.headers.get("content-length"), `${(await response.bytes()).length}`);
  }
  await server.stop();

  expect(new Set(lengths).size).toBe(1);
});

test("a film without a key is not kept", async () => {
  const { body } = await still();
  const before = await kept();
  await (await ann.json("POST", "/api/export", body)).bytes();

  expect(await kept()).toEqual(before);
});

test("a film that cannot be kept is sent all the same, and made again when asked for again", async () => {
  const keepToo = async () => Promise.reject(new DomainError("storage_full", {}));
  const app = createApp({ ...service.services, files: { ...service.services.files, keepToo } });
  const { body } = await still();
  const headers = { authorization: `Bearer ${ann.accessToken}`, ...newKey() };
  for (const _ of [1, 2]) {
    const response = await app.request("/api/export", jsonInit("POST", body, headers));
    expect([response.status, response.headers.get("idempotency-replayed")]).toEqual([200, null]);
    expect((await response.bytes()).length).toBe(Number(response.headers.get("content-length")));
  }
});

test("an export to be fetched later is ordered once", async () => {
  const { body } = await still();
  const key = newKey();
  const [first, second] = [
    await ann.json("POST", "/api/exports", body, key),
    await ann.json("POST", "/api/exports", body, key),
  ];

  expect([first.status, second.status, second.headers.get("idempotency-replayed")]).toEqual([202, 202, "true"]);
  const { id } = await first.json();
  expect([(await second.json()).id, second.headers.get("location")]).toEqual([id, `/api/exports/${id}`]);
});

test("an export that is refused leaves its key free", async () => {
  const { body } = await still();
  const key = newKey();
  const refused = await ann.json(
    "POST",
    "/api/export",
    { ...body, clips: [{ sceneIndex: 7, position: 0, end: 1 }] },
    key,
  );
  expect(refused.status).toBe(422);

  const mended = await ann.json("POST", "/api/export", body, key);
  expect(mended.status).toBe(200);
  await mended.bytes();
});

test("a film of a project that is gone is as missing as the project", async () => {
  const { body, projectId } = await still();
  const key = newKey();
  await (await ann.json("POST", "/api/export", body, key)).bytes();
  await ann.json("DELETE", `/api/projects/${projectId}`);

  expect((await ann.json("POST", "/api/export", body, key)).status).toBe(404);
});
