import { describe, expect, test } from "bun:test";
import { loadImage } from "@napi-rs/canvas";
import { jsonClient } from "../../support/json-client.ts";
import { sharedService } from "../../support/service.ts";
import { formOf, newProject, png } from "../../support/uploads.ts";
import { requireJson } from "../../support/work-videos.ts";

const service = await sharedService();
const user = await service.register();
const ann = jsonClient(user);
const bob = jsonClient(await service.register("Bob"));

const templatesOf = (projectId: string) => `/api/projects/${projectId}/templates`;
const upload = (projectId: string, file: File, name: string) =>
  requireJson(user.request(`/api/projects/${projectId}/assets`, { method: "POST", body: formOf({ file, name }) }));
const deletedAsset = "asset_00000000000000000000000000000000";
const title = { id: "title", text: "{{title}}", timingMode: "relative", fontSize: 60 };
const logo = (assetId: string) => ({ id: "logo", assetId, timingMode: "absolute", width: 300, height: 200 });

const projectId = await newProject(user);
const base = templatesOf(projectId);
const create = async (content: object, name = "Frame") => (await ann("POST", base, { name, content })).body;

const sizeOf = async (response: Response) => {
  const { width, height } = await loadImage(await response.bytes());
  return { width, height };
};

describe("thumbnail", () => {
  test("is a small picture in the template's proportions, the same for the same content", async () => {
    const exportSettings = { width: 1920, height: 1080, fps: 30 };
    const template = await create({ textOverlays: [title], exportSettings });
    const response = await user.request(template.thumbnail);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/webp"]);
    expect(await sizeOf(response)).toEqual({ width: 480, height: 270 });

    const etag = response.headers.get("etag")!;
    expect((await user.request(template.thumbnail, { headers: { "if-none-match": etag } })).status).toBe(304);
    const twin = await create({ textOverlays: [title], exportSettings }, "Twin");
    expect((await user.request(twin.thumbnail)).headers.get("etag")).toBe(etag);
    await ann("PUT", `${base}/${template.id}`, { content: { textOverlays: [{ ...title, text: "Other" }] } });
    expect((await user.request(template.thumbnail)).headers.get("etag")).not.toBe(etag);
  });

  test("is drawn for a template without overlays, with missing files, and with overlays outside of the frame", async () => {
    const far = { ...title, id: "far", centerX: 16_000, fontAssetId: deletedAsset };
    for (const content of [
      {},
      { imageOverlays: [logo(deletedAsset), { ...logo("x"), id: "l2" }], textOverlays: [far] },
    ]) {
      const response = await user.request((await create(content)).thumbnail);
      expect([response.status, await sizeOf(response)]).toEqual([200, { width: 270, height: 480 }]);
    }
  });

  test("takes its credential from the query, and is the owner's only", async () => {
    const { thumbnail } = await create({ textOverlays: [title] });
    expect((await service.request(`${thumbnail}?token=${user.accessToken}`)).status).toBe(200);
    expect((await bob("GET", thumbnail)).status).toBe(404);
  });
});

describe("export and import", () => {
  test("another project gets the template with its own assets: the same bytes, the same name, or the chosen one", async () => {
    const [first, second, third] = await Promise.all([
      upload(projectId, png(30, 20), "By bytes"),
      upload(projectId, png(31, 20), "By name"),
      upload(projectId, png(32, 20), "By choice"),
    ]);
    const images = [first, second, third].map(({ id }, index) => ({ ...logo(id), id: `i${index}` }));
    const { id } = await create({ textOverlays: [title], imageOverlays: images }, "Shared");
    const file = (await ann("GET", `${base}/${id}/export`)).body;
    expect(file).toMatchObject({ format: "reelwright-template", version: 1, name: "Shared" });
    expect(file.assets[0]).toEqual({
      id: first.id,
      name: "By bytes",
      type: "image",
      filename: "pixel.png",
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      width: 30,
      height: 20,
    });

    const other = await newProject(user);
    const [bytes, name, choice] = await Promise.all([
      upload(other, png(30, 20), "Another name"),
      upload(other, png(50, 50), "By name"),
      upload(other, png(60, 60), "Whatever"),
    ]);
    const imported = await ann("POST", `${templatesOf(other)}/import`, {
      template: file,
      assets: { [third.id]: choice.id },
    });
    expect([imported.status, imported.headers.get("etag"), imported.body.missingAssets]).toEqual([201, '"r1"', []]);
    expect(imported.body.content.imageOverlays.map((image: { assetId: string }) => image.assetId)).toEqual([
      bytes.id,
      name.id,
      choice.id,
    ]);
    expect(imported.body.content.textOverlays).toEqual(file.content.textOverlays);
  });

  test("assets without a counterpart are named, and keep their ids", async () => {
    const asset = await upload(projectId, png(40, 20), "Only here");
    const { id } = await create({ imageOverlays: [logo(asset.id), { ...logo(deletedAsset), id: "gone" }] });
    const file = (await ann("GET", `${base}/${id}/export`)).body;
    const { status, body } = await ann("POST", `${templatesOf(await newProject(user))}/import`, { template: file });
    expect([status, body.missingAssets]).toEqual([201, file.assets]);
    expect(body.content).toEqual(file.content);
  });

  test("the same project gets the same assets back", async () => {
    const asset = await upload(projectId, png(40, 20), "Only here");
    const { id } = await create({ imageOverlays: [logo(asset.id)] });
    const template = (await ann("GET", `${base}/${id}/export`)).body;
    const { body } = await ann("POST", `${base}/import`, { template });
    expect([body.content.imageOverlays[0].assetId, body.missingAssets]).toEqual([asset.id, []]);
  });

  test("bad files are refused with a sentence that names the field", async () => {
    const good = { format: "reelwright-template", version: 1, name: "T", content: {}, assets: [] };
    const asset = await upload(projectId, png(), "Logo");
    const content = { imageOverlays: [logo(deletedAsset)] };
    const cases: [object, string][] = [
      [{ template: { ...good, version: 2 } }, "template.version"],
      [{ template: { ...good, format: "other" } }, "template.format"],
      [{ template: { ...good, content: undefined } }, "template.content"],
      [{ template: { ...good, assets: Array.from({ length: 1001 }, () => ({})) } }, "template.assets"],
      [{}, "template"],
      [{ template: good, assets: { x: asset.id } }, "assets.x"],
      [{ template: { ...good, content }, assets: { [deletedAsset]: deletedAsset } }, `assets.${deletedAsset}`],
    ];
    for (const [body, path] of cases) {
      const answer = await ann("POST", `${base}/import`, body);
      expect([answer.status, answer.body.code]).toEqual([400, "validation_error"]);
      expect(answer.body.details.map((issue: { path: string }) => issue.path)).toContain(path);
    }
    const { body } = await ann("POST", `${base}/import`, { template: { ...good, version: 2 } });
    expect(body.error).toContain("reads only this version");
    expect((await bob("POST", `${base}/import`, { template: good })).status).toBe(404);
  });
});
