import { expect, test } from "bun:test";
import { sharedService } from "../../support/service.ts";
import { newProject, png } from "../../support/uploads.ts";
import { requireJson } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const projectId = await newProject(ann);
const path = `/api/projects/${projectId}/works/from-edit`;

const picture = `data:image/png;base64,${Buffer.from(await png(32, 18, "#ff0000").arrayBuffer()).toString("base64")}`;
const output = { format: "mp4", fps: 10, size: { width: 64, height: 36 } };
const clip = (asset: object, more: object = {}) => ({ asset, start: 0, length: 1, ...more });

const words = {
  timeline: { tracks: [{ clips: [clip({ type: "text", text: "{{ NAME }}", font: { size: 12 } })] }] },
  output,
  merge: [{ find: "NAME", replace: "Ann" }],
};

const withPicture = {
  timeline: {
    tracks: [
      { clips: [clip({ type: "image", src: picture })] },
      { clips: [clip({ type: "video", src: "./gone.mp4" })] },
    ],
  },
  output,
};

const wait = { prefer: "wait" };

test("makes a work of an edit without files at once", async () => {
  const response = await ann.json("POST", path, words);
  const work = await response.json();
  expect([response.status, response.headers.get("etag")]).toEqual([201, expect.any(String)]);
  expect(work).toMatchObject({
    missingMedia: [],
    resolution: { width: 64, height: 36 },
    report: { ignored: [], changed: [] },
    editorState: { layers: [{ text: "{{NAME}}" }], placeholderValues: { NAME: "Ann" } },
  });
  const request = { projectId, workId: work.id };
  expect(await requireJson(ann.json("POST", "/api/export/validate", request))).toMatchObject({ ok: true, errors: [] });
});

test("an edit with files is an operation, unless the client prefers to wait", async () => {
  const begun = await ann.json("POST", path, withPicture);
  expect([begun.status, begun.headers.get("preference-applied")]).toEqual([202, null]);
  const at = begun.headers.get("location")!;
  let operation = await begun.json();
  while (operation.status === "running") operation = await requireJson(ann.request(at));
  expect(operation).toMatchObject({ status: "done", responseStatus: 201, response: { report: {} } });

  const response = await ann.json("POST", path, withPicture, wait);
  const work = await response.json();
  expect(response.status).toBe(201);
  expect(work.missingMedia).toEqual(["./gone.mp4"]);
  expect(work.report.ignored).toEqual([
    { path: "timeline.tracks.1.clips.0.asset.src", why: expect.stringContaining("could not be had") },
  ]);
  // an empty place below, the picture above
  expect(work.editorState.layers).toMatchObject([{ type: "shape" }, { type: "image" }]);
  // the file is stored once
  const { assets } = await requireJson(ann.request(`/api/projects/${projectId}/assets`));
  expect(assets).toHaveLength(1);
});

test("a table fills the placeholders, and keeps the values of absent columns", async () => {
  const { id: workId } = await requireJson(ann.json("POST", path, words, wait));
  const rows = [{ NAME: "Ben" }, { other: "x" }];
  const report = await requireJson(
    ann.json("POST", `/api/projects/${projectId}/batches/validate`, { base: { workId }, rows }),
  );
  expect(report).toMatchObject({ ok: true, counts: { valid: 2 }, placeholders: ["NAME"], errors: [] });
});

test.each([{}, { hello: 1 }, { template_id: "x", modifications: {}, source: {} }, { timeline: {} }, { clips: [] }])(
  "refuses %j with a sentence",
  async (body) => {
    const response = await ann.json("POST", path, body, wait);
    const { code, error } = await response.json();
    expect([response.status, code, typeof error]).toEqual([400, "validation_error", "string"]);
  },
);

test("the service of an edit can be named", async () => {
  const response = await ann.json("POST", `${path}?type=editly`, words, wait);
  expect([response.status, (await response.json()).code]).toEqual([400, "validation_error"]);
});

test("a timeline of OpenTimelineIO comes in by the same door", async () => {
  const timeline = { OTIO_SCHEMA: "Timeline.1", name: "T", tracks: { OTIO_SCHEMA: "Stack.1", children: [] } };
  const work = await requireJson(ann.json("POST", path, timeline));
  expect(work).toMatchObject({ name: "T", report: { used: [] }, missingMedia: [] });
});
