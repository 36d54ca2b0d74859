import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { jsonClient } from "../../support/json-client.ts";
import { sharedService } from "../../support/service.ts";
import { formOf, png } from "../../support/uploads.ts";

const service = await sharedService();
const annUser = await service.register("Ann");
const ann = jsonClient(annUser);
const bob = jsonClient(await service.register("Bob"));
const project = (await ann("POST", "/api/projects", { name: "P" })).body;
const works = `/api/projects/${project.id}/works`;

const clip = { id: "a", start: 0, end: 2, sceneIndex: 0 };
const stateWith = (text: string) => ({
  editorData: { videoTrack: [clip], textTrack: [{ id: "t", start: 0, end: 2 }] },
  textOverlays: { t: { text, fontSize: 20 } },
  exportSettings: { width: 64, height: 36, fps: 10 },
});

async function newWork(): Promise<string> {
  const scenes = [{ duration_seconds: 2 }];
  return `${works}/${(await ann("POST", works, { name: "W", scenes })).body.id}`;
}
const save = (work: string, text: string) => ann("PUT", work, { editorState: stateWith(text) });
const textIn = (body: { editorState: ReturnType<typeof stateWith> }) => body.editorState.textOverlays.t.text;
const versionsOf = async (work: string) => (await ann("GET", `${work}/versions`)).body;

test("each save of the editor is a version, the newest first, and other changes are none", async () => {
  const work = await newWork();
  expect(await versionsOf(work)).toEqual({ versions: [], count: 0 });
  for (const text of ["one", "two"]) expect((await save(work, text)).status).toBe(200);
  await save(work, "two");
  await ann("PUT", work, { name: "Renamed" });
  const { versions, count } = await versionsOf(work);
  expect([count, versions.length]).toEqual([2, 2]);
  expect(versions[0].savedAt).toBeGreaterThanOrEqual(versions[1].savedAt);
  expect(versions[0]).toEqual({
    id: expect.stringMatching(/^version_[0-9a-f]{32}$/),
    savedAt: expect.any(Number),
    thumbnail: `${work}/versions/${versions[0].id}/thumbnail`,
  });
});

test("a version is restored at the expected revision, and the state that it replaces stays in the list", async () => {
  const work = await newWork();
  for (const text of ["one", "two"]) await save(work, text);
  const [, first] = (await versionsOf(work)).versions;
  const path = `${work}/versions/${first.id}/restore`;
  const stale = await ann("POST", path, undefined, { "if-match": '"r1"' });
  expect([stale.status, stale.body.code]).toEqual([412, "precondition_failed"]);
  const { etag } = Object.fromEntries((await ann("GET", work)).headers);
  const restored = await ann("POST", path, undefined, { "if-match": etag! });
  expect([restored.status, textIn(restored.body)]).toEqual([200, "one"]);
  expect(restored.headers.get("etag")).not.toBe(etag!);
  expect(textIn((await ann("GET", work)).body)).toBe("one");
  const { versions, count } = await versionsOf(work);
  expect(count).toBe(3);
  expect(textIn((await ann("POST", `${work}/versions/${versions[1].id}/restore`)).body)).toBe("two");
});

test("what something else wrote into the work is kept, too, once a save replaces it", async () => {
  const work = await newWork();
  await save(work, "one");
  const { id } = (await ann("GET", work)).body;
  // as a film writes its scenes
  const written = sql`jsonb_set(scenes::jsonb, '{0,duration_seconds}', '1')::json`;
  await service.db.execute(sql`update works set scenes = ${written} where id = ${id}`);
  await save(work, "two");
  const { versions } = await versionsOf(work);
  expect(versions).toHaveLength(3);
  expect((await ann("POST", `${work}/versions/${versions[1].id}/restore`)).body).toMatchObject({
    scenes: [{ duration_seconds: 1 }],
    editorState: { textOverlays: { t: { text: "one" } } },
  });
});

test("the last twenty saves are kept, and go with the work", async () => {
  const work = await newWork();
  for (let at = 0; at < 22; at++) await save(work, `text ${at}`);
  const { versions, count } = await versionsOf(work);
  expect([count, versions.length]).toEqual([20, 20]);
  const oldest = await ann("POST", `${work}/versions/${versions[19].id}/restore`);
  expect(textIn(oldest.body)).toBe("text 2");
  const id = work.split("/").at(-1);
  const rows = async () => {
    const found = await service.db.execute(sql`select id from work_versions where work_id = ${id}`);
    return (found as unknown as { rows: readonly unknown[] }).rows.length;
  };
  expect(await rows()).toBe(20);
  await ann("DELETE", work);
  expect(await rows()).toBe(0);
});

test("large saves leave room for fewer", async () => {
  const work = await newWork();
  const large = "x".repeat(1_900_000);
  for (let at = 0; at < 5; at++) await ann("PUT", work, { editorState: { ...stateWith(`${at}`), note: large } });
  expect((await versionsOf(work)).count).toBe(4);
});

test("each version has its picture", async () => {
  const work = await newWork();
  const image = formOf({ file: png(64, 36, "#204060") });
  expect((await annUser.request(`${work}/media/scene/0/image`, { method: "POST", body: image })).status).toBe(200);
  for (const text of ["", "MMMM"]) await save(work, text);
  const { versions } = await versionsOf(work);
  const pictures = await Promise.all(
    versions.map(async ({ thumbnail }: { thumbnail: string }) => {
      const response = await annUser.request(thumbnail);
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
      return Bun.hash(await response.arrayBuffer());
    }),
  );
  expect(new Set(pictures).size).toBe(2);
});

test("nobody else reads or restores them, and a version belongs to one work", async () => {
  const [work, other] = [await newWork(), await newWork()];
  await save(work, "one");
  const [{ id, thumbnail }] = (await versionsOf(work)).versions;
  const restore = `versions/${id}/restore`;
  const answers = [
    bob("GET", `${work}/versions`),
    bob("GET", thumbnail),
    bob("POST", `${work}/${restore}`),
    ann("POST", `${other}/${restore}`),
    ann("POST", `${work}/versions/nothing/restore`),
  ];
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
});
