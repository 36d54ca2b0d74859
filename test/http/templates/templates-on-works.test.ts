import { expect, test } from "bun:test";
import { jsonClient } from "../../support/json-client.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();

const ann = jsonClient(await service.register("Ann"));
const bob = jsonClient(await service.register("Bob"));
const project = (await ann("POST", "/api/projects", { name: "P" })).body;
const base = `/api/projects/${project.id}`;

const text = (id: string, more: object = {}) => ({ id, text: id, timingMode: "relative", ...more });
const newTemplate = async (content: object): Promise<string> =>
  (await ann("POST", `${base}/templates`, { name: "T", content })).body.id;
const newWork = async (fields: object): Promise<string> => (await ann("POST", `${base}/works`, fields)).body.id;
const apply = (workId: string, body: object) => ann("POST", `${base}/works/${workId}/apply-template`, body);

test("a template is merged into the work's editor state and saved", async () => {
  const workId = await newWork({
    videoDuration: 10,
    editorState: {
      editorData: { videoTrack: [{ id: "v", start: 0, end: 4 }], textTrack: [{ id: "mine", start: 0, end: 1 }] },
      textOverlays: { mine: { text: "mine" } },
    },
  });
  const templateId = await newTemplate({
    textOverlays: [text("title", { text: "Hi {{name}}", endPercent: 50 })],
    imageOverlays: [{ id: "logo", assetId: "asset_gone", timingMode: "absolute" }],
    defaultTransition: { type: "fade", duration: 0.4 },
    exportSettings: { width: 720, height: 1280, fps: 25 },
  });
  const { status, headers, body } = await apply(workId, { templateId, placeholderValues: { name: "Ann" } });

  expect([status, headers.get("etag")]).toEqual([200, '"r2"']);
  expect(body.missingAssetIds).toEqual(["asset_gone"]);
  const { editorState } = body;
  expect(editorState.textOverlays).toEqual({
    mine: { text: "mine" },
    [`${templateId}-title`]: { text: "Hi Ann", fontSize: 32, fontColor: "#ffffff", centerX: 0, centerY: 0 },
  });
  expect(editorState.textTrack).toEqual([
    { id: "mine", start: 0, end: 1 },
    { id: `${templateId}-title`, start: 0, end: 5 },
  ]);
  expect(Object.keys(editorState.imageOverlays)).toEqual([`${templateId}-logo`]);
  expect(editorState.imageTrack).toEqual([{ id: `${templateId}-logo`, start: 0, end: 10 }]);
  expect(editorState.editorData).toMatchObject({
    videoTrack: [{ id: "v", transitionType: "fade", transitionDuration: 0.4 }],
    textTrack: editorState.textTrack,
  });
  expect(editorState.exportSettings).toEqual({ width: 720, height: 1280, fps: 25 });

  const { missingAssetIds, ...work } = body;
  expect((await ann("GET", `${base}/works/${workId}`)).body).toEqual(work);
});

test("a template applied twice replaces its overlays", async () => {
  const workId = await newWork({ videoDuration: 10 });
  const templateId = await newTemplate({ textOverlays: [text("a", { text: "{{x}}" }), text("b")] });
  await apply(workId, { templateId, placeholderValues: { x: "first" } });
  const { body } = await apply(workId, { templateId, placeholderValues: { x: "second" } });
  expect(body.editorState.textTrack).toHaveLength(2);
  expect(body.editorState.textOverlays[`${templateId}-a`].text).toBe("second");
});

test("a template never changes an overlay of the user, not even one with the id of its own overlay", async () => {
  const mine = { textOverlays: { "text-1": { text: "mine" } }, textTrack: [{ id: "text-1", start: 0, end: 1 }] };
  const workId = await newWork({ videoDuration: 10, editorState: mine });
  const templateId = await newTemplate({ textOverlays: [text("text-1")] });
  for (const _ of ["first", "second"]) await apply(workId, { templateId });

  const { editorState } = (await ann("GET", `${base}/works/${workId}`)).body;
  const [own, applied] = Object.keys(editorState.textOverlays);
  expect([own, applied]).toEqual([expect.stringMatching(/^text-1-[0-9a-z]+$/), `${templateId}-text-1`]);
  expect(editorState.textOverlays[own!]).toEqual({ text: "mine" });
  expect(editorState.textTrack).toEqual([
    { id: own, start: 0, end: 1 },
    { id: `${templateId}-text-1`, start: 0, end: 10 },
  ]);
});

test("an overlay that was removed from the template leaves the work when the template is applied again", async () => {
  const workId = await newWork({ videoDuration: 10 });
  const templateId = await newTemplate({
    textOverlays: [text("stays"), text("goes")],
    imageOverlays: [{ id: "logo", assetId: "asset_1", timingMode: "relative" }],
  });
  await apply(workId, { templateId });
  await ann("PUT", `${base}/templates/${templateId}`, { content: { textOverlays: [text("stays")] } });
  const { editorState } = (await apply(workId, { templateId })).body;

  expect(editorState.textTrack).toEqual([{ id: `${templateId}-stays`, start: 0, end: 10 }]);
  expect(Object.keys(editorState.textOverlays)).toEqual([`${templateId}-stays`]);
  expect([editorState.imageTrack, editorState.imageOverlays]).toEqual([[], {}]);
});

test("the longest overlay id is accepted back with the template's id before it, and in a new template", async () => {
  const longest = "x".repeat(200);
  const workId = await newWork({ videoDuration: 10 });
  const templateId = await newTemplate({ textOverlays: [text(longest), text("__proto__")] });
  const { missingAssetIds, ...applied } = (await apply(workId, { templateId })).body;
  const saved = await ann("PUT", `${base}/works/${workId}`, applied);
  expect([saved.status, saved.body]).toEqual([200, { ...applied, updatedAt: saved.body.updatedAt }]);

  const ids = saved.body.editorState.textTrack.map(({ id }: { id: string }) => id);
  expect(ids).toEqual([`${templateId}-${longest}`, `${templateId}-__proto__`]);
  expect(await newTemplate({ textOverlays: ids.map((id: string) => text(id)) })).toMatch(/^tmpl_/);
});

test("the duration of a work without videoDuration is the sum of its scenes", async () => {
  const scenes = [2, 3.5].map((duration_seconds, scene_index) => ({ scene_index, duration_seconds }));
  const templateId = await newTemplate({ textOverlays: [text("a")] });
  const { body } = await apply(await newWork({ scenes }), { templateId });
  expect(body.editorState.textTrack).toEqual([{ id: `${templateId}-a`, start: 0, end: 5.5 }]);
});

test("a template cannot be applied to a work without a duration", async () => {
  const workId = await newWork({});
  const { status, body } = await apply(workId, { templateId: await newTemplate({}) });
  expect([status, body.code]).toEqual([422, "no_duration"]);
  expect((await ann("GET", `${base}/works/${workId}`)).body).not.toHaveProperty("editorState");
});

test("a template lasts as long as what an import or an editor has arranged without scenes", async () => {
  const templateId = await newTemplate({ textOverlays: [text("a")] });
  const clip = { id: "clip-1", start: 0, end: 3, sceneIndex: 0 };
  const states = [{ exportSettings: { duration: 4 } }, { editorData: { videoTrack: [clip] } }];
  for (const [at, editorState] of states.entries()) {
    const workId = await newWork({ editorState });
    const { status, body } = await apply(workId, { templateId });
    const [shown] = body.editorState.editorData.textTrack;
    expect([status, shown.end]).toEqual([200, [4, 3][at]]);
  }
});

test("templates applied concurrently are all merged", async () => {
  const workId = await newWork({ videoDuration: 10 });
  const ids = Array.from({ length: 20 }, (_, index) => `overlay ${index}`);
  const templateIds = await Promise.all(ids.map((id) => newTemplate({ textOverlays: [text(id)] })));
  const responses = await Promise.all(templateIds.map((templateId) => apply(workId, { templateId })));
  expect(responses.map(({ status }) => status)).toEqual(ids.map(() => 200));

  const { editorState } = (await ann("GET", `${base}/works/${workId}`)).body;
  const applied = templateIds.map((templateId, index) => `${templateId}-${ids[index]}`);
  expect(Object.keys(editorState.textOverlays).toSorted()).toEqual(applied.toSorted());
  expect(editorState.textTrack).toHaveLength(20);
});

test("a template of another project is not found", async () => {
  const workId = await newWork({ videoDuration: 1 });
  const other = (await ann("POST", "/api/projects", { name: "O" })).body;
  const otherTemplateId = (await ann("POST", `/api/projects/${other.id}/templates`, { name: "T", content: {} })).body
    .id;
  for (const templateId of [otherTemplateId, "tmpl_1", "__proto__"]) {
    expect((await apply(workId, { templateId })).status).toBe(404);
  }
});

test("another user gets 404, and an invalid body names its field", async () => {
  const workId = await newWork({ videoDuration: 1 });
  expect((await bob("POST", `${base}/works/${workId}/apply-template`, {})).status).toBe(404);
  const { status, body } = await apply(workId, { placeholderValues: {} });
  expect([status, body.details[0].path]).toEqual([400, "templateId"]);
});

test("an editor that applies a template by itself, and knows few fields of its texts, loses none of their looks", async () => {
  const { body: template } = await ann("POST", `${base}/templates`, { fromLibrary: "end-card" });
  const { body: applied } = await ann("POST", `${base}/templates/${template.id}/apply`, { videoDuration: 10 });
  const six = (overlay: object) =>
    Object.fromEntries(
      Object.entries(overlay).filter(([field]) =>
        ["text", "fontSize", "fontColor", "centerX", "centerY"].includes(field),
      ),
    );
  const textOverlays = Object.fromEntries(
    Object.entries<object>(applied.textOverlays).map(([id, overlay]) => [id, six(overlay)]),
  );
  const [first = "", ...others] = Object.keys(textOverlays);
  const larger = { ...textOverlays, [first]: { ...textOverlays[first], fontSize: 7 } };
  const editorState = { editorData: { textTrack: applied.textTrackActions }, textOverlays: larger };
  const workId = await newWork({ videoDuration: 10 });
  const { body } = await ann("PUT", `${base}/works/${workId}`, { editorState });
  const expected = Object.fromEntries(others.map((id) => [id, applied.textOverlays[id]]));
  expect(others.length).toBeGreaterThan(0);
  expect(body.editorState.textOverlays).toEqual({ ...expected, [first]: larger[first] });
});
