import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { works as workRows } from "../../../src/storage/tables/projects.ts";
import { jsonClient } from "../../support/json-client.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();
const ann = jsonClient(await service.register("Ann"));
const works = `/api/projects/${(await ann("POST", "/api/projects", { name: "P" })).body.id}/works`;

test("the copies of tracks that a response shows do not count when the work is sent back", async () => {
  const action = (index: number) => ({ id: `a${index}`, start: 0, end: 1, note: "x".repeat(300) });
  const textTrack = Array.from({ length: 3600 }, (_, index) => action(index));
  const { status, body: work } = await ann("POST", works, { editorState: { editorData: { textTrack } } });
  expect(status).toBe(201);
  expect(Buffer.byteLength(JSON.stringify(work.editorState))).toBeGreaterThan(2048 * 1024);

  const saved = await ann("PUT", `${works}/${work.id}`, work);

  expect(saved.status).toBe(200);
  expect(saved.body.editorState).toEqual(work.editorState);
});

/** Saves fields that an earlier version accepted. */
const storeInWork = (id: string, fields: object) => service.db.update(workRows).set(fields).where(eq(workRows.id, id));

/** Within 4 MiB with the tracks that a response shows twice. */
const largeState = (textBytes: number, actions: number) => {
  const track = Array.from({ length: actions }, (_, at) => ({ id: `t${at}`, start: at, end: at + 1 }));
  return {
    editorData: { videoTrack: [], textTrack: track, imageTrack: [], audioTrack: [] },
    textOverlays: { a: { text: "x".repeat(textBytes) } },
    imageOverlays: {},
    audioVolume: 1,
    exportSettings: { width: 1080, height: 1920, fps: 30 },
  };
};

test("a work that is larger than a later bound is saved again as it was read, and changed, but does not grow", async () => {
  const { id } = (await ann("POST", works, { name: "Old" })).body;
  await storeInWork(id, { editorState: largeState(3_000_000, 10) });
  const path = `${works}/${id}`;
  const read = async () => (await ann("GET", path)).body;
  expect((await ann("PUT", path, await read())).status).toBe(200);

  const { editorState } = await read();
  editorState.textOverlays.a.text = `New ${editorState.textOverlays.a.text.slice(4)}`;
  expect((await ann("PUT", path, { editorState })).status).toBe(200);
  expect((await read()).editorState.textOverlays.a.text).toStartWith("New x");

  editorState.textOverlays.a.text += "x";
  const { status, body } = await ann("PUT", path, { editorState });
  expect([status, body.details[0].path]).toEqual([400, "editorState"]);
  expect((await ann("PUT", path, { editorState: largeState(1000, 10) })).status).toBe(200);
  expect((await ann("PUT", path, { editorState })).status).toBe(400);
});

test("a work of more values than a later bound is saved again as it was read, but does not grow", async () => {
  const { id } = (await ann("POST", works, { name: "Old" })).body;
  const path = `${works}/${id}`;
  const own = (values: number) =>
    Object.fromEntries(Array.from({ length: values / 10_000 }, (_, at) => [`k${at}`, Array(9_999).fill(0)]));
  await storeInWork(id, { analysis: own(60_000) });
  const read = async () => (await ann("GET", path)).body;
  expect((await ann("PUT", path, await read())).status).toBe(200);
  expect((await ann("PUT", path, { analysis: own(60_000) })).status).toBe(200);
  const { status, body } = await ann("PUT", path, { analysis: own(80_000) });
  expect([status, body.code]).toEqual([400, "validation_error"]);
});

test("a work whose tracks are shown twice in more values than the bound is saved again as it was read", async () => {
  const { id } = (await ann("POST", works, { name: "Long" })).body;
  const path = `${works}/${id}`;
  const state = largeState(10, 5000);
  const withImages = { ...state, editorData: { ...state.editorData, imageTrack: state.editorData.textTrack } };
  expect((await ann("PUT", path, { editorState: withImages })).status).toBe(200);
  // 40,000 values are stored, 80,000 are shown
  const { body: shown } = await ann("GET", path);
  expect((await ann("PUT", path, shown)).status).toBe(200);
  // what is shown twice must not become two tracks of different content
  shown.editorState.more = Array.from({ length: 3 }, () => Array(9_000).fill(0));
  expect((await ann("PUT", path, shown)).status).toBe(400);
});
