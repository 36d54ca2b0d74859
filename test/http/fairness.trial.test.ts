import { afterAll, beforeEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { newId } from "../../src/domain/shared/ids.ts";
import { exportJobs } from "../../src/storage/tables/exports.ts";
import { foundFfmpeg } from "../support/media/ffmpeg.ts";
import { heldFfmpeg } from "../support/media/held-ffmpeg.ts";
import { jsonInit, type TestUser, testService } from "../support/service.ts";
import { formOf, newProject, png, wav } from "../support/uploads.ts";
import { newPictureFilm } from "../support/work-videos.ts";

// the slots of one user for frames and for exports
const concurrency = 2;
const { ffmpeg, ...held } = heldFfmpeg(await foundFfmpeg());
const service = await testService({ EXPORT_CONCURRENCY: `${concurrency}` }, undefined, undefined, ffmpeg);
const [ann, bob] = [await service.register("Ann"), await service.register("Bob")];
const [annsFilm, bobsFilm] = [await newPictureFilm(ann), await newPictureFilm(bob)];

let left: AbortController;

beforeEach(() => {
  left = new AbortController();
  held.hold();
});

afterAll(async () => {
  held.pass();
  held.release();
  await service.close();
});

const post = async (user: TestUser, path: string, init: RequestInit): Promise<Response> =>
  user.request(path, { method: "POST", ...init });

/** Sends requests of Ann that end when she leaves. Resolves once they hold two slots, and lets the later ones run. */
async function fillSlots(count: number, path: string, init: () => RequestInit): Promise<readonly Promise<Response>[]> {
  const sent = Array.from({ length: count }, () => post(ann, path, { ...init(), signal: left.signal }));
  await held.heldCount(concurrency);
  held.pass();
  return sent;
}

async function leave(sent: readonly Promise<Response>[]): Promise<void> {
  left.abort();
  held.release();
  await Promise.allSettled(sent);
}

test("an upload does not wait for another user's sound files", async () => {
  const form = (file: File) => ({ body: formOf({ file }) });
  const anns = await fillSlots(7, `/api/projects/${await newProject(ann)}/assets`, () => form(wav()));

  const path = `/api/projects/${await newProject(bob)}/assets`;
  for (const file of [png(), wav()]) expect((await post(bob, path, form(file))).status).toBe(201);
  await leave(anns);
});

test("the full queue of one user's frames leaves those of others as they are", async () => {
  const path = "/api/export/frame?t=0.2";
  const anns = await fillSlots(concurrency + 33, path, () => jsonInit("POST", annsFilm.request));
  const refused = await Promise.race(anns);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);

  expect((await post(bob, path, jsonInit("POST", bobsFilm.request))).status).toBe(200);
  await leave(anns);
});

test("a local video does not wait for another user's", async () => {
  const image = `data:image/png;base64,${(await png(64, 36).bytes()).toBase64()}`;
  const body = { prompt: "A kettle", image_url: image, duration: 1, resolution: { width: 64, height: 36 } };
  const anns = await fillSlots(5, "/api/generate/video", () => jsonInit("POST", body));

  expect((await post(bob, "/api/generate/video", jsonInit("POST", body))).status).toBe(200);
  await leave(anns);
});

test("an export does not wait for another user's", async () => {
  const anns = await fillSlots(2, "/api/export", () => jsonInit("POST", annsFilm.request));

  expect((await post(bob, "/api/export", jsonInit("POST", bobsFilm.request))).status).toBe(200);
  await leave(anns);
});

test("the full queue of one user's exports leaves those of others as they are", async () => {
  const [row] = await service.db.select().from(exportJobs).where(eq(exportJobs.userId, ann.user.id)).limit(1);
  const waiting = (): typeof exportJobs.$inferInsert => ({ ...row!, id: newId("exp"), status: "queued" });
  await service.db.insert(exportJobs).values(Array.from({ length: 20 }, waiting));

  const refused = await ann.json("POST", "/api/exports", annsFilm.request);
  expect([refused.status, (await refused.json()).code]).toEqual([409, "limit_reached"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await bob.json("POST", "/api/exports", bobsFilm.request)).status).toBe(202);
});
