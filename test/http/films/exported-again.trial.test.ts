import { afterAll, expect, test } from "bun:test";
import { Timeline } from "../../editor/timeline.ts";
import { type Json, paidFilms } from "../../support/paid-films.ts";
import type { TestUser } from "../../support/service.ts";
import { formOf, wav } from "../../support/uploads.ts";
import { requireJson } from "../../support/work-videos.ts";
import { editorOf } from "./edited-works.ts";

const films = await paidFilms();
afterAll(films.close);

const known = ["text", "fontSize", "fontColor", "centerX", "centerY"];
const knownOfImages = [
  "assetId",
  "width",
  "height",
  "centerX",
  "centerY",
  "opacity",
  "rotation",
  "maintainAspectRatio",
];
const knownOfClips = [
  "id",
  "start",
  "end",
  "sceneIndex",
  "trimStart",
  "trimEnd",
  "transitionType",
  "transitionDuration",
];

const pick = (fields: readonly string[]) => (item: Json) =>
  Object.fromEntries(Object.entries(item).filter(([field]) => fields.includes(field)));
const pickAll = (fields: readonly string[], overlays: Json) =>
  Object.fromEntries(Object.entries(overlays).map(([id, overlay]) => [id, pick(fields)(overlay)]));

/** What an existing editor holds of a saved work. */
function opened(state: Json): Timeline {
  const { textOverlays, imageOverlays, editorData } = state;
  return Timeline.load({
    textOverlays: pickAll(known, textOverlays),
    imageOverlays: pickAll(knownOfImages, imageOverlays),
    editorData: { ...editorData, videoTrack: editorData.videoTrack.map(pick(knownOfClips)) },
  });
}

/** The bytes of all videos of an export, which stand for their timelines. */
async function videosOf(user: TestUser, id: string, targets: readonly string[]): Promise<readonly string[]> {
  await (await user.request(`/api/exports/${id}/events`)).text();
  return Promise.all(
    targets.map(async (target) => (await user.request(`/api/exports/${id}/file?target=${target}`)).text()),
  );
}

const orders: Record<string, Json> = {
  "a voice, captions and two formats": { captions: {}, targets: ["9:16", "1:1"] },
  "captions of its own look": { captions: { style: "box" }, voice: false },
  "no captions": { captions: false },
  music: { captions: {}, music: "asset" },
  "a template": { captions: {}, template: { library: "end-card", values: { headline: "Warm", action: "Buy" } } },
};

test.each(Object.entries(orders))(
  "an order with %s: exports of its work are the film, also of an editor that knows few fields, and after its save",
  async (_, order) => {
    const ann = await films.register();
    const { id: projectId } = await requireJson(ann.json("POST", "/api/projects", { name: "Cups" }));
    const assets = `/api/projects/${projectId}/assets`;
    const asset = await requireJson(ann.request(assets, { method: "POST", body: formOf({ file: wav() }) }));
    const music = order.music && { music: { assetId: asset.id } };
    const { path } = await films.order(ann, { ...order, ...music }, projectId);
    const film = await films.rested(ann, path);
    expect(film.status).toBe("done");
    const targets = order.targets ?? ["9:16"];
    const ordered = await videosOf(ann, film.exportId, targets);
    const ids = { projectId, workId: film.workId };
    const exported = async (body: object = {}) => {
      const { id } = await requireJson(ann.json("POST", "/api/exports", { ...ids, ...body }));
      return videosOf(ann, id, targets);
    };
    expect(await exported()).toEqual(ordered);

    const { state, save } = await editorOf(ann, projectId, film);
    const editor = opened(state);
    const body = editor.exportRequest({ width: 90, height: 160, fps: 30 });
    expect(await exported(body)).toEqual(ordered);
    const muted = await exported({ ...body, options: { ...body.options, disclosure: "off" } });
    expect(muted).not.toEqual(ordered);

    await save(editor.saved());
    expect(await exported()).toEqual(ordered);
    expect(await exported(body)).toEqual(ordered);
    expect((await editorOf(ann, projectId, film)).state).toEqual(state);
    const waited = await ann.json("POST", "/api/export", { ...ids, ...body });
    expect(await waited.text()).toBe(ordered[0]!);

    await ann.json("POST", `${path}/steps/export/retry`);
    const again = await films.rested(ann, path);
    expect(await videosOf(ann, again.exportId, targets)).toEqual(ordered);
  },
);
