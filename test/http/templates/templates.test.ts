import { expect, test } from "bun:test";
import { jsonClient } from "../../support/json-client.ts";
import { jsonInit, sharedService } from "../../support/service.ts";

const service = await sharedService();

const annUser = await service.register("Ann");
const ann = jsonClient(annUser);
const bob = jsonClient(await service.register("Bob"));
const project = (await ann("POST", "/api/projects", { name: "P" })).body;
const base = `/api/projects/${project.id}/templates`;

const text = (id: string, more: object = {}) => ({ id, text: id, timingMode: "relative", ...more });
const image = (id: string, more: object = {}) => ({ id, assetId: "asset_1", timingMode: "absolute", ...more });

const post = (content: object, more: object = {}) => ann("POST", base, { name: "Frame", content, ...more });
const newTemplate = async (content: object, more: object = {}) => (await post(content, more)).body;

test("a template is returned with the defaults of its overlays", async () => {
  const { status, headers, body } = await post({ textOverlays: [text("a")], imageOverlays: [image("b")] });
  expect([status, headers.get("etag")]).toEqual([201, '"r1"']);
  const { id, createdAt, updatedAt, ...rest } = body;
  expect(id).toMatch(/^tmpl_/);
  expect(updatedAt).toBe(createdAt);
  expect(rest).toEqual({
    projectId: project.id,
    name: "Frame",
    thumbnail: `${base}/${id}/thumbnail`,
    content: {
      textOverlays: [{ ...text("a"), fontSize: 32, fontColor: "#ffffff", centerX: 0, centerY: 0 }],
      imageOverlays: [
        {
          ...image("b"),
          width: 128,
          height: 128,
          centerX: 0,
          centerY: 0,
          opacity: 1,
          rotation: 0,
          maintainAspectRatio: true,
        },
      ],
    },
  });
  expect((await ann("GET", `${base}/${id}`)).body).toEqual(body);
});

test("null in an overlay means the default", async () => {
  const nulls = { fontSize: null, fontColor: null, centerX: null };
  const { status, body } = await post({ textOverlays: [text("a", nulls)], imageOverlays: null });
  expect(status).toBe(201);
  expect(body.content).toMatchObject({
    textOverlays: [{ fontSize: 32, fontColor: "#ffffff", centerX: 0 }],
    imageOverlays: [],
  });
});

test("the list has the counts of overlays", async () => {
  const parent = (await ann("POST", "/api/projects", { name: "L" })).body;
  const templates = `/api/projects/${parent.id}/templates`;
  const exportSettings = { width: 720, height: 1280, fps: 25 };
  const content = { textOverlays: [text("a"), text("b")], imageOverlays: [image("c")], exportSettings };
  await ann("POST", templates, { name: "plain", content: {} });
  const full = (await ann("POST", templates, { name: "full", description: "d", tags: ["x"], content })).body;

  const { status, body } = await ann("GET", templates);
  expect([status, body.count]).toEqual([200, 2]);
  expect(body.templates[0]).toEqual({
    id: full.id,
    name: "full",
    description: "d",
    tags: ["x"],
    thumbnail: `${templates}/${full.id}/thumbnail`,
    createdAt: full.createdAt,
    updatedAt: full.updatedAt,
    textOverlayCount: 2,
    imageOverlayCount: 1,
    hasExportSettings: true,
  });
  expect(body.templates[1]).toMatchObject({ textOverlayCount: 0, hasExportSettings: false });

  const page = await ann("GET", `${templates}?limit=1`);
  expect([page.body.templates.length, page.body.count]).toEqual([1, 2]);
  expect(page.headers.get("link")).toContain('rel="next"');
});

test("PUT changes the given fields, returns the full template, and null clears", async () => {
  const created = await newTemplate({ textOverlays: [text("a")] }, { description: "d", tags: ["x", "y"] });
  const renamed = await ann("PUT", `${base}/${created.id}`, { name: "Other" });
  expect([renamed.status, renamed.body]).toEqual([
    200,
    { ...created, name: "Other", updatedAt: renamed.body.updatedAt },
  ]);

  const { body } = await ann("PUT", `${base}/${created.id}`, { description: null, tags: null, content: {} });
  expect(body).not.toHaveProperty("description");
  expect(body).not.toHaveProperty("tags");
  expect(body.content).toEqual({ textOverlays: [], imageOverlays: [] });
});

test("a complete template may be sent back, but not with other ids", async () => {
  const created = await newTemplate({ textOverlays: [text("a")] });
  const { status, body } = await ann("PUT", `${base}/${created.id}`, created);
  expect([status, body]).toEqual([200, { ...created, updatedAt: body.updatedAt }]);
  for (const field of ["id", "projectId"]) {
    const rejected = await ann("PUT", `${base}/${created.id}`, { ...created, [field]: "other" });
    expect([rejected.status, rejected.body.code]).toEqual([400, "id_mismatch"]);
  }
});

test("PUT and DELETE with a stale If-Match are 412", async () => {
  const path = `${base}/${(await newTemplate({})).id}`;
  expect((await ann("PUT", path, { name: "b" }, { "if-match": '"r1"' })).headers.get("etag")).toBe('"r2"');
  expect((await ann("PUT", path, { name: "c" }, { "if-match": '"r1"' })).status).toBe(412);
  expect((await ann("DELETE", path, undefined, { "if-match": '"r1"' })).status).toBe(412);
  expect((await ann("GET", path, undefined, { "if-none-match": '"r2"' })).status).toBe(304);
  expect(await ann("DELETE", path)).toMatchObject({ status: 204, body: undefined });
  expect((await ann("GET", path)).status).toBe(404);
});

test("a template is found only in its project and by its owner", async () => {
  const { id } = await newTemplate({});
  const other = (await ann("POST", "/api/projects", { name: "O" })).body;
  const responses = await Promise.all([
    bob("GET", base),
    bob("POST", base, {}),
    bob("GET", `${base}/${id}`),
    bob("PUT", `${base}/${id}`, { name: 5 }),
    bob("DELETE", `${base}/${id}`),
    bob("POST", `${base}/${id}/apply`, {}),
    ann("GET", `/api/projects/${other.id}/templates/${id}`),
    ann("POST", `/api/projects/${other.id}/templates/${id}/apply`, {}),
    ann("PUT", `${base}/tmpl_1`, { name: 5 }),
  ]);
  for (const { status, body } of responses) expect([status, body.code]).toEqual([404, "not_found"]);
});

const texts = (more: object) => ({ textOverlays: [text("a", more)] });
const images = (more: object) => ({ imageOverlays: [image("a", more)] });

test.each([
  [{ textOverlays: [text("a"), text("a")] }, "textOverlays.1.id"],
  [{ textOverlays: [text("a")], imageOverlays: [image("a")] }, "imageOverlays.0.id"],
  [{ textOverlays: [{ id: "a", text: "x" }] }, "textOverlays.0.timingMode"],
  [texts({ timingMode: "later" }), "textOverlays.0.timingMode"],
  [texts({ text: undefined }), "textOverlays.0.text"],
  [texts({ startPercent: 50, endPercent: 50 }), "textOverlays.0.endPercent"],
  [texts({ startPercent: 100 }), "textOverlays.0.endPercent"],
  [texts({ endPercent: 0 }), "textOverlays.0.endPercent"],
  [texts({ startPercent: 105, endPercent: 125 }), "textOverlays.0.endPercent"],
  [texts({ startPercent: -20, endPercent: -1 }), "textOverlays.0.endPercent"],
  [texts({ endPercent: "50" }), "textOverlays.0.endPercent"],
  [texts({ timingMode: "absolute", endSeconds: 0 }), "textOverlays.0.endSeconds"],
  [images({ startSeconds: 3, endSeconds: 2 }), "imageOverlays.0.endSeconds"],
  [texts({ fontSize: 0 }), "textOverlays.0.fontSize"],
  [texts({ fontSize: 20_000 }), "textOverlays.0.fontSize"],
  [texts({ fontColor: "bluish" }), "textOverlays.0.fontColor"],
  [texts({ centerX: "0" }), "textOverlays.0.centerX"],
  [images({ opacity: 1.1 }), "imageOverlays.0.opacity"],
  [images({ opacity: -0.1 }), "imageOverlays.0.opacity"],
  [images({ width: 0 }), "imageOverlays.0.width"],
  [images({ maintainAspectRatio: "yes" }), "imageOverlays.0.maintainAspectRatio"],
  [{ defaultTransition: { type: "spiral", duration: 1 } }, "defaultTransition.type"],
  [{ exportSettings: { width: 721, height: 1280, fps: 30 } }, "exportSettings.width"],
  [{ textOverlays: {} }, "textOverlays"],
])("the content %j is rejected and its invalid field is named", async (content, path) => {
  const { status, body } = await post(content);
  expect([status, body.code, body.details[0].path]).toEqual([400, "validation_error", `content.${path}`]);
});

test.each([
  [{ content: {} }, "name"],
  [{ name: "x".repeat(201), content: {} }, "name"],
  [{ name: "x" }, "content"],
  [{ name: "x", content: {}, description: "x".repeat(501) }, "description"],
  [{ name: "x", content: {}, tags: "x" }, "tags"],
])("the template %j is rejected and its invalid field is named", async (sent, path) => {
  const { status, body } = await ann("POST", base, sent);
  expect([status, body.details[0].path]).toEqual([400, path]);
});

test("percents outside 0 to 100 are stored as 0 or 100, on creation and on a change", async () => {
  const content = {
    textOverlays: [text("a", { startPercent: -1, endPercent: 125 })],
    imageOverlays: [image("b", { timingMode: "relative", startPercent: 99.5, endPercent: 1e300 })],
  };
  const clamped = {
    textOverlays: [{ startPercent: 0, endPercent: 100 }],
    imageOverlays: [{ startPercent: 99.5, endPercent: 100 }],
  };
  expect((await newTemplate(content)).content).toMatchObject(clamped);
  const { id } = await newTemplate({});
  expect((await ann("PUT", `${base}/${id}`, { content })).body.content).toMatchObject(clamped);
});

test("a percent that is no finite number is rejected", async () => {
  for (const percent of ["1e999", '"NaN"', "true"]) {
    const body = `{"name":"T","content":{"textOverlays":[{"id":"a","text":"","timingMode":"relative","endPercent":${percent}}]}}`;
    const response = await annUser.request(base, { ...jsonInit("POST", {}), body });
    expect([response.status, (await response.json()).details[0].path]).toEqual([
      400,
      "content.textOverlays.0.endPercent",
    ]);
  }
});

test.each(["rgba(255, 0, 0, 0.5)", "hsl(120 100% 50%)", "oklch(70% 0.1 30)", "Tomato", "transparent", "#1234"])(
  "the color %s is stored as written",
  async (fontColor) => {
    const { content } = await newTemplate(texts({ fontColor }));
    expect(content.textOverlays[0].fontColor).toBe(fontColor);
  },
);

test("applying resolves timing and placeholders, and saves nothing", async () => {
  const { id } = await newTemplate({
    textOverlays: [text("title", { text: "{{ name }} by {{by}}", startPercent: 10, endPercent: 50 })],
    imageOverlays: [image("logo", { startSeconds: 1 }), image("late", { startSeconds: 8 })],
    exportSettings: { width: 720, height: 1280, fps: 25 },
  });
  const placeholderValues = { name: "$& {{by}}" };
  const { status, body } = await ann("POST", `${base}/${id}/apply`, { videoDuration: 8, placeholderValues });
  expect(status).toBe(200);
  expect(body).toEqual({
    textOverlays: {
      [`${id}-title`]: { text: "$& {{by}} by {{by}}", fontSize: 32, fontColor: "#ffffff", centerX: 0, centerY: 0 },
    },
    textTrackActions: [{ id: `${id}-title`, start: 0.8, end: 4 }],
    imageOverlays: {
      [`${id}-logo`]: {
        assetId: "asset_1",
        width: 128,
        height: 128,
        centerX: 0,
        centerY: 0,
        opacity: 1,
        rotation: 0,
        maintainAspectRatio: true,
      },
    },
    imageTrackActions: [{ id: `${id}-logo`, start: 1, end: 8 }],
    exportSettings: { width: 720, height: 1280, fps: 25 },
    missingAssetIds: ["asset_1"],
    skippedOverlayIds: ["late"],
    pendingPlaceholders: ["by"],
  });
});

test("missingAssetIds may be empty, and exportSettings is absent if the template has none", async () => {
  const { id } = await newTemplate({ textOverlays: [text("a")] });
  const { body } = await ann("POST", `${base}/${id}/apply`, { videoDuration: 1 });
  expect(body.missingAssetIds).toEqual([]);
  expect(body).not.toHaveProperty("exportSettings");
});

test.each([
  [{}, "videoDuration"],
  [{ videoDuration: 0 }, "videoDuration"],
  [{ videoDuration: "8" }, "videoDuration"],
  [{ videoDuration: 8, placeholderValues: { a: 1 } }, "placeholderValues.a"],
  [{ videoDuration: 8, placeholderValues: ["a"] }, "placeholderValues"],
])("the apply body %j is rejected and its invalid field is named", async (sent, path) => {
  const { id } = await newTemplate({});
  const { status, body } = await ann("POST", `${base}/${id}/apply`, sent);
  expect([status, body.details[0].path]).toEqual([400, path]);
});

test("a text of opening braces only is applied unchanged", async () => {
  const braces = "{{".repeat(100_000);
  const { id } = await newTemplate(texts({ text: braces }));
  const { body } = await ann("POST", `${base}/${id}/apply`, { videoDuration: 1, placeholderValues: { a: "b" } });
  expect(body.textOverlays[`${id}-a`].text).toBe(braces);
});
