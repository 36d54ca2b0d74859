import { afterAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { type TestUser, testService } from "../../support/service.ts";
import { filesOf, formOf, png } from "../../support/uploads.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

const allowed = 100_000;
const service = await testService({ MAX_USER_BYTES: `${allowed}`, MAX_USER_EXPORTS_PER_DAY: "1" });
afterAll(() => service.close());

/** A PNG of this many bytes: readers ignore what follows its end. */
const sized = async (bytes: number) =>
  new File(
    [await png().bytes(), new Uint8Array(bytes)].map((part) => part),
    "a.png",
  );

const upload = async (user: TestUser, path: string, bytes: number) =>
  user.request(path, { method: "POST", body: formOf({ file: await sized(bytes) }) });

test("an upload that does not fit is 409 with what is used and allowed, and leaves no file", async () => {
  const ann = await service.register();
  const { projectId, base } = await newWork(ann);
  const assets = `/api/projects/${projectId}/assets`;
  expect((await upload(ann, assets, 50_000)).status).toBe(201);
  const { totalSize: used } = await (await ann.request(assets)).json();
  const before = await filesOf(service);

  for (const path of [assets, `${base}/media/scene/0/image`]) {
    const refused = await upload(ann, path, 50_000);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toEqual({
      error: `Your files and documents use ${Math.round(used / 102.4) / 10} KB of the allowed 97.7 KB: delete some of them first.`,
      code: "limit_reached",
      details: { limit: "storage_bytes", used, allowed },
      requestId: expect.any(String),
    });
  }
  expect(await filesOf(service)).toEqual(before);
  expect((await upload(ann, assets, 0)).status).toBe(201);
  const bob = await service.register("Bob");
  expect((await upload(bob, `/api/projects/${(await newWork(bob)).projectId}/assets`, 50_000)).status).toBe(201);
});

test("a user without room is refused before the body is read, and before a model or a renderer works", async () => {
  const ann = await service.register();
  const { projectId, workId, base } = await newWork(ann);
  const image = `${base}/media/scene/0/image`;
  const room = allowed - png().size;
  expect((await upload(ann, image, room)).status).toBe(200);
  const codeOf = async (sent: Response | Promise<Response>) => (await (await sent).json()).code;
  const clips = [{ sceneIndex: 0, position: 0, end: 1 }];

  const picture = { prompt: "A kettle", resolution: { width: 64, height: 64 } };
  const notAForm = { method: "POST", body: "x", headers: { "content-type": "text/plain" } };
  expect(await codeOf(ann.request(`/api/projects/${projectId}/assets`, notAForm))).toBe("limit_reached");
  expect(await codeOf(ann.json("POST", "/api/generate/image", picture))).toBe("limit_reached");
  expect(await codeOf(ann.json("POST", "/api/exports", { projectId, workId, clips }))).toBe("limit_reached");
  expect((await upload(ann, image, room)).status).toBe(200);
  expect((await ann.request(image, { method: "DELETE" })).status).toBe(204);
  expect((await ann.json("POST", "/api/generate/image", picture)).status).toBe(200);
});

test("a repeated request gets its first response and its ETag although the user has no room left", async () => {
  const ann = await service.register();
  const { projectId } = await newWork(ann);
  const path = `/api/projects/${projectId}/assets`;
  const file = await sized(allowed - 500);
  const add = (key: string) =>
    ann.request(path, { method: "POST", body: formOf({ file }), headers: { "idempotency-key": key } });
  const draw = (key: string) =>
    ann.json("POST", "/api/generate/image", { prompt: "A cup", resolution }, { "idempotency-key": key });
  const resolution = { width: 64, height: 64 };
  // leaves room for less than a picture
  expect((await upload(ann, path, allowed - png().size - 10)).status).toBe(201);
  const drawn = await draw("image");
  expect([drawn.status, (await draw("image")).status]).toEqual([200, 200]);
  expect(await (await draw("image")).json()).toEqual(await drawn.json());
  expect((await draw("another")).status).toBe(409);

  const bob = await service.register("Bob");
  const bobs = { path: `/api/projects/${(await newWork(bob)).projectId}/assets`, key: { "idempotency-key": "a" } };
  const send = async () => bob.request(bobs.path, { method: "POST", body: formOf({ file }), headers: bobs.key });
  const [first, second] = [await send(), await send()];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(first.headers.get("etag")).toBeString();
  expect(second.headers.get("etag")).toBe(first.headers.get("etag"));
  expect((await add("b")).status).toBe(409);
});

test("a user's second export of a day is 429 with what is used and allowed", async () => {
  const ann = await service.register();
  const { projectId, workId, image } = await newWork(ann);
  await image(0, png(64, 36));
  const request = {
    projectId,
    workId,
    clips: [{ sceneIndex: 0, position: 0, end: 0.1 }],
    options: { width: 64, height: 36 },
  };
  expect((await ann.json("POST", "/api/exports", request)).status).toBe(202);

  const refused = await ann.json("POST", "/api/exports", request);

  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({
    code: "rate_limited",
    details: { limit: "exports_per_day", used: 1, allowed: 1 },
  });
  expect(Number(refused.headers.get("retry-after"))).toBeWithin(86_000, 86_401);
});

test("the usage of storage tells what is used, by what, and what is allowed", async () => {
  const ann = await service.register();
  const { asset, image } = await newWork(ann);
  await asset(png(4, 2));
  await image(0, png(9, 9));
  const { token } = await requireJson(ann.json("POST", "/api/tokens", { name: "CI", scopes: ["works:read"] }));

  const response = await ann.request("/api/usage/storage", { headers: { authorization: `Bearer ${token}` } });

  const [assets, workMedia] = [png(4, 2).size, png(9, 9).size];
  expect([response.status, await response.json()]).toEqual([
    200,
    {
      usedBytes: assets + workMedia,
      allowedBytes: allowed,
      assets: { files: 1, bytes: assets },
      workMedia: { files: 1, bytes: workMedia },
      generatedMedia: { files: 0, bytes: 0 },
      exports: { files: 0, bytes: 0 },
      documents: { files: 0, bytes: 0 },
    },
  ]);
});

const kilobytes = (count: number) => "x".repeat(count * 1000);

test("documents count: one that grows beyond what the user may store is 409, one that does not grow passes", async () => {
  const ann = await service.register();
  const codeOf = async (sent: Response | Promise<Response>) => {
    const response = await sent;
    const { code, details } = await response.json();
    return response.ok ? response.status : [response.status, code, details.limit];
  };
  const full = [409, "limit_reached", "storage_bytes"];
  const { projectId, base } = await newWork(ann);
  const project = `/api/projects/${projectId}`;
  const put = (path: string, body: object) => codeOf(ann.json("PUT", path, body));
  const template = { name: "Intro", content: { textOverlays: [], imageOverlays: [] } };
  const created = await requireJson(ann.json("POST", `${project}/templates`, template));

  expect(await put(project, { knowledge: kilobytes(60) })).toBe(200);
  expect(await put(base, { editorState: { note: kilobytes(60) } })).toEqual(full);
  expect(await put(base, { editorState: { note: kilobytes(20) } })).toBe(200);
  expect(await put(`${project}/templates/${created.id}`, { description: "Short" })).toBe(200);
  expect(await codeOf(ann.json("POST", "/api/projects", { name: "B", knowledge: kilobytes(40) }))).toEqual(full);
  expect(await codeOf(ann.json("POST", `${project}/works`, { editorState: { note: kilobytes(40) } }))).toEqual(full);
  expect(await codeOf(ann.json("POST", `${project}/templates`, { ...template, thumbnail: null }))).toBe(201);
  const { usedBytes, documents } = await requireJson(ann.request("/api/usage/storage"));
  expect(documents).toEqual({ files: 2, bytes: usedBytes });
  expect(usedBytes).toBeWithin(80_000, 95_000);

  expect(await put(project, { knowledge: kilobytes(85) })).toEqual(full);
  expect(await put(project, { knowledge: kilobytes(60) })).toBe(200);
  const bob = await service.register("Bob");
  expect(await codeOf(bob.json("POST", "/api/projects", { name: "B", knowledge: kilobytes(40) }))).toBe(201);
  expect((await ann.request(project, { method: "DELETE" })).status).toBe(204);
  expect((await requireJson(ann.request("/api/usage/storage"))).usedBytes).toBe(0);
});

test("who stores more documents than a lower limit allows can change and shorten them", async () => {
  const ann = await service.register();
  const { projectId } = await newWork(ann);
  await service.db.execute(sql`update projects set knowledge = ${kilobytes(150)} where id = ${projectId}`);
  const put = async (body: object) => (await ann.json("PUT", `/api/projects/${projectId}`, body)).status;

  expect(await put({ name: "Launch video" })).toBe(409);
  expect(await put({ knowledge: kilobytes(150).replaceAll("x", "y") })).toBe(200);
  expect(await put({ knowledge: kilobytes(149), name: "A longer name" })).toBe(200);
  expect(await put({ knowledge: kilobytes(149) + 1 })).toBe(409);
});
