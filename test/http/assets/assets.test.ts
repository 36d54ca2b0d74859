import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "../../../src/client.ts";
import type { Inspector } from "../../../src/engine/ports.ts";
import { type OwnService, type TestUser, testService } from "../../support/service.ts";
import { filesOf, formOf, mp4, newProject, png, wav } from "../../support/uploads.ts";

let service: OwnService;
let ann: TestUser;

beforeAll(async () => {
  service = await testService();
  ann = await service.register();
});

afterAll(() => service.close());

const newAssets = async () => `/api/projects/${await newProject(ann)}/assets`;

async function upload(path: string, file: File, fields: Record<string, string | readonly string[]> = {}) {
  const response = await ann.request(path, { method: "POST", body: formOf({ file, ...fields }) });
  expect(response.status).toBe(201);
  return { etag: response.headers.get("etag")!, asset: await response.json() };
}

const read = async (path: string) => (await ann.request(path)).json();

test("an upload returns the asset as the list and its metadata show it", async () => {
  const path = await newAssets();
  const { asset, etag } = await upload(path, await mp4(), { name: "Opening", tags: ["a", "b"] });

  expect(asset).toEqual({
    id: expect.stringMatching(/^asset_[0-9a-f]{32}$/),
    projectId: path.split("/")[3],
    name: "Opening",
    type: "video",
    filename: "clip.mp4",
    mimeType: "video/mp4",
    size: (await mp4()).size,
    width: 32,
    height: 18,
    duration: expect.closeTo(0.5, 2),
    tags: ["a", "b"],
    thumbnail: `${asset.url}/thumbnail`,
    createdAt: expect.any(Number),
    updatedAt: asset.createdAt,
    url: `${path}/${asset.id}`,
  });
  const meta = await ann.request(`${asset.url}/meta`);
  expect(meta.headers.get("etag")).toBe(etag);
  expect(await meta.json()).toEqual(asset);
  expect((await read(path)).assets).toEqual([asset]);
});

test("a sound has a duration, but no dimensions and no thumbnail", async () => {
  const { asset } = await upload(await newAssets(), wav());

  expect(asset).toMatchObject({ type: "audio", duration: 1, mimeType: "audio/wav" });
  expect(asset).not.toContainAnyKeys(["width", "height", "thumbnail", "tags", "description"]);
  expect((await ann.request(`${asset.url}/thumbnail`)).status).toBe(404);
});

test("a font can be an asset", async () => {
  const path = Bun.resolveSync("@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf", import.meta.dir);
  const { asset } = await upload(await newAssets(), new File([await Bun.file(path).bytes()], "inter.ttf"));

  expect(asset).toMatchObject({ type: "font", filename: "inter.ttf" });
});

test("the list filters by type, and its count covers all pages", async () => {
  const path = await newAssets();
  const { asset: sound } = await upload(path, wav());
  const { asset: first } = await upload(path, png());
  const { asset: second } = await upload(path, png(9, 9));

  const images = await read(`${path}?type=image`);
  expect(images).toMatchObject({ count: 2, totalSize: first.size + second.size });
  expect(images.assets.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);

  const page = await ann.request(`${path}?limit=2`);
  expect(await page.json()).toMatchObject({ assets: [second, first], count: 3 });
  const next = /^<(.+)>; rel="next"$/.exec(page.headers.get("link")!)![1]!;
  const last = await ann.request(next);
  expect(await last.json()).toMatchObject({ assets: [sound], count: 3 });
  expect(last.headers.get("link")).toBeNull();
});

test.each(["type=picture", "type=", "limit=0", "limit=1001", "limit=x", "cursor=nonsense"])(
  "?%s is rejected",
  async (query) => {
    const response = await ann.request(`${await newAssets()}?${query}`);

    expect([response.status, (await response.json()).code]).toEqual([400, "validation_error"]);
  },
);

test("PUT changes only the given fields, and null clears the tags", async () => {
  const { asset } = await upload(await newAssets(), png(), { tags: "a" });
  const put = async (body: object) => (await ann.json("PUT", asset.url, body)).json();

  const renamed = await put({ name: "  Logo  " });
  expect(renamed).toEqual({ ...asset, name: "Logo", updatedAt: expect.any(Number) });
  expect(await put({ tags: ["x", "y"] })).toMatchObject({ name: "Logo", tags: ["x", "y"] });
  expect(await put({ tags: null })).not.toHaveProperty("tags");
  expect(await read(`${asset.url}/meta`)).not.toHaveProperty("tags");
});

test("an upload stores a trimmed description, and every answer shows it", async () => {
  const path = await newAssets();
  const { asset } = await upload(path, png(), { description: "  A kettle on a table.\n" });

  expect(asset.description).toBe("A kettle on a table.");
  expect(await read(`${asset.url}/meta`)).toEqual(asset);
  expect((await read(path)).assets).toEqual([asset]);
  expect((await upload(path, png(), { description: " " })).asset).not.toHaveProperty("description");
  expect((await upload(path, png(), { description: "é".repeat(2000) })).asset.description).toHaveLength(2000);
});

test.each([["x".repeat(2001)], [["one", "two"]]])(
  "a description that is too long or given twice is rejected and leaves nothing",
  async (description) => {
    const path = await newAssets();
    const before = await filesOf(service);
    const response = await ann.request(path, { method: "POST", body: formOf({ file: png(), description }) });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: "validation_error", details: [{ path: "description" }] });
    expect(await filesOf(service)).toEqual(before);
  },
);

test("PUT sets the description, and null or a blank one clears it", async () => {
  const { asset } = await upload(await newAssets(), png(), { description: "Old" });
  const put = async (body: object) => (await ann.json("PUT", asset.url, body)).json();

  expect(await put({ description: " New " })).toEqual({ ...asset, description: "New", updatedAt: expect.any(Number) });
  expect(await put({ name: "Logo" })).toMatchObject({ description: "New" });
  expect(await put({ description: null })).not.toHaveProperty("description");
  await put({ description: "Again" });
  expect(await put({ description: " " })).not.toHaveProperty("description");
  const tooLong = await ann.json("PUT", asset.url, { description: "x".repeat(2001) });
  expect([tooLong.status, (await tooLong.json()).details[0].path]).toEqual([400, "description"]);
});

test("a complete asset may be sent back as it was read", async () => {
  const { asset } = await upload(await newAssets(), png(), { tags: ["a"] });
  const response = await ann.json("PUT", asset.url, { ...asset, name: "Logo", createdAt: 1, size: 1, type: "video" });

  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ ...asset, name: "Logo", updatedAt: expect.any(Number) });
});

test.each<[title: string, body: object, code: string, path: string]>([
  ["another id", { id: "asset_other" }, "id_mismatch", "id"],
  ["another projectId", { projectId: "proj_other" }, "id_mismatch", "projectId"],
  ["an empty name", { name: "" }, "validation_error", "name"],
  ["no name", { name: null }, "validation_error", "name"],
  ["a name that is too long", { name: "x".repeat(201) }, "validation_error", "name"],
  ["a number as the name", { name: 5 }, "validation_error", "name"],
  ["a string as tags", { tags: "a" }, "validation_error", "tags"],
  ["a number as a tag", { tags: ["a", 1] }, "validation_error", "tags.1"],
  ["an empty tag", { tags: [""] }, "validation_error", "tags.0"],
])("a PUT with %s is rejected and the field is named", async (_, body, code, path) => {
  const { asset } = await upload(await newAssets(), png());
  const response = await ann.json("PUT", asset.url, body);

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code, details: [{ path }] });
});

test("If-Match is compared with the ETag of the metadata, for PUT and DELETE", async () => {
  const { asset, etag } = await upload(await newAssets(), png());
  const change = (method: string, ifMatch: string) =>
    ann.json(method, asset.url, method === "PUT" ? { name: "New" } : undefined, { "if-match": ifMatch });

  const changed = await change("PUT", etag);
  expect(changed.status).toBe(200);
  expect(changed.headers.get("etag")).not.toBe(etag);
  expect((await change("PUT", etag)).status).toBe(412);
  expect((await change("DELETE", etag)).status).toBe(412);
  expect(
    (await ann.request(`${asset.url}/meta`, { headers: { "if-none-match": changed.headers.get("etag")! } })).status,
  ).toBe(304);
  expect((await change("DELETE", "*")).status).toBe(204);
});

test("DELETE removes the row, the file and the thumbnail", async () => {
  const before = await filesOf(service);
  const { asset } = await upload(await newAssets(), png());

  const response = await ann.request(asset.url, { method: "DELETE" });
  expect([response.status, await response.text()]).toEqual([204, ""]);
  expect(await filesOf(service)).toEqual(before);
  for (const path of [asset.url, `${asset.url}/meta`, asset.thumbnail])
    expect((await ann.request(path)).status).toBe(404);
  expect((await ann.request(asset.url, { method: "DELETE" })).status).toBe(404);
});

test("a missing asset, a malformed id and another user's asset are 404 before the body is validated", async () => {
  const path = await newAssets();
  const { asset } = await upload(path, png());
  const elsewhere = `${await newAssets()}/${asset.id}`;
  const eve = await service.register("Eve");

  for (const missing of [
    `${path}/asset_${"0".repeat(32)}`,
    `${path}/nonsense`,
    `${path}/${asset.projectId}`,
    elsewhere,
  ]) {
    expect((await ann.request(missing)).status).toBe(404);
    expect((await ann.json("PUT", missing, { name: 5 })).status).toBe(404);
  }
  for (const method of ["GET", "PUT", "DELETE"]) expect((await eve.json(method, asset.url)).status).toBe(404);
  expect((await eve.request(path)).status).toBe(404);
  expect((await eve.request(path, { method: "POST", body: formOf({ file: png() }) })).status).toBe(404);
  expect((await ann.request(asset.url)).status).toBe(200);
});

test("an upload succeeds without a thumbnail if its rendering fails", async () => {
  const { inspector } = service.services;
  const thumbnail = inspector.thumbnail;
  Object.assign(inspector, { thumbnail: () => Promise.reject(new Error("no thumbnail")) });
  const { asset } = await upload(await newAssets(), png());
  Object.assign(inspector, { thumbnail });

  expect(asset).not.toHaveProperty("thumbnail");
});

test("an upload to a project that is deleted during the upload leaves no file", async () => {
  const path = await newAssets();
  const before = await filesOf(service);
  const { inspector } = service.services;
  const { inspect } = inspector;
  const deleteProject = () => ann.request(path.replace("/assets", ""), { method: "DELETE" });
  const inspectDeleted: Inspector["inspect"] = async (...args) => {
    await deleteProject();
    return inspect(...args);
  };
  Object.assign(inspector, { inspect: inspectDeleted });
  const response = await ann.request(path, { method: "POST", body: formOf({ file: png() }) });
  Object.assign(inspector, { inspect });

  expect(response.status).toBe(404);
  expect(await filesOf(service)).toEqual(before);
});

test("an upload that is repeated with its Idempotency-Key adds one asset, and leaves no second file", async () => {
  const path = await newAssets();
  const send = (file: File) =>
    ann.request(path, { method: "POST", headers: { "idempotency-key": path }, body: formOf({ file }) });

  const first = await send(png());
  const files = await filesOf(service);
  const again = await send(png());
  const other = await send(png(8, 8));

  expect([first.status, again.status, other.status]).toEqual([201, 201, 422]);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await again.json()).toEqual(await first.json());
  expect((await other.json()).code).toBe("idempotency_mismatch");
  expect((await read(path)).count).toBe(1);
  expect(await filesOf(service)).toEqual(files);
});

test("the typed client uploads and lists assets", async () => {
  const { assets } = connect("http://localhost", { token: ann.accessToken, fetch: service.request }).api.projects[
    ":projectId"
  ];
  const param = { projectId: await newProject(ann) };
  const uploaded = await assets.$post({ param, form: { file: png(), name: "Logo", tags: ["a", "b"] } });
  const listed = await assets.$get({ param, query: { type: "image" } });
  if (!uploaded.ok || !listed.ok) throw new Error("rejected");

  const { name, tags } = await uploaded.json();
  expect([name, tags]).toEqual(["Logo", ["a", "b"]]);
  expect((await listed.json()).assets.map((asset) => asset.name)).toEqual(["Logo"]);
});
