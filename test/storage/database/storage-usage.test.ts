import { afterAll, beforeEach, expect, test } from "bun:test";
import type { MediaSlot } from "../../../src/domain/files/internal-urls.ts";
import { nothingStored, usedBytes } from "../../../src/domain/files/storage.ts";
import { newId } from "../../../src/domain/shared/ids.ts";
import type { WorkMedia } from "../../../src/domain/works/media.ts";
import { assetStore } from "../../../src/storage/assets/store.ts";
import { storageUsageStore } from "../../../src/storage/database/storage-usage.ts";
import { generatedMediaStore } from "../../../src/storage/generated-media/store.ts";
import { exportFiles, exportJobs } from "../../../src/storage/tables/exports.ts";
import { idempotencyKeys } from "../../../src/storage/tables/idempotency.ts";
import { workMediaStore } from "../../../src/storage/works/media-store.ts";
import { freshDatabase } from "../../support/database.ts";
import { addAsset, addProject, addWork, aFile, anAsset, codeOf, queuedExport } from "../samples.ts";

const { db, close } = await freshDatabase();
afterAll(close);

const assets = assetStore(db);
const workMedia = workMediaStore(db);
const usage = storageUsageStore(db);
let userId: string;
let projectId: string;

beforeEach(async () => {
  ({ userId, id: projectId } = await addProject(db));
});

let number = 0;
const fileOf = (sizeBytes: number, sha256 = `${++number}`) =>
  aFile(`${projectId}/${newId("media")}`, { sizeBytes, sha256 });
const addFile = (sizeBytes: number, sha256?: string) => addAsset(db, projectId, { file: fileOf(sizeBytes, sha256) });
const linkOrigin = { inputHash: "hash" };
const put = (
  workId: string,
  slot: MediaSlot,
  media: Partial<WorkMedia>,
  limit?: { userId: string; maxBytes: number },
) =>
  workMedia.put(
    projectId,
    workId,
    { slot, file: fileOf(1), createdAt: 1, ...media },
    (work) => work,
    limit && { limit },
  );

test("the usage of a user counts the files of each kind and no one else's", async () => {
  const { id: workId } = await addWork(db, projectId);
  await addFile(1);
  await addFile(2);
  await put(workId, "audio", { file: fileOf(10) });
  const media = { id: newId("media"), userId, file: fileOf(100), createdAt: 1, expiresAt: 2 };
  await generatedMediaStore(db).add(media);
  const other = await addProject(db);
  await addAsset(db, other.id, { file: fileOf(5000) });

  const read = await usage.read(userId);

  const none = { files: 0, bytes: 0 };
  expect(read).toEqual({
    assets: { files: 2, bytes: 3 },
    workMedia: { files: 1, bytes: 10 },
    generatedMedia: { files: 1, bytes: 100 },
    exports: none,
    documents: none,
  });
  expect(usedBytes(read)).toBe(113);
  expect(await usage.read("user_none")).toEqual(nothingStored);
});

test("scenes that show an asset share its bytes; two uploads of the same bytes do not", async () => {
  const { id: workId } = await addWork(db, projectId);
  const asset = await addFile(10, "same");
  await addFile(10, "same");
  for (const slot of ["scene/0/image", "scene/1/image"] as const) {
    await put(workId, slot, { file: fileOf(10, "same"), origin: linkOrigin });
  }
  const model = { provider: "p", model: "m" };
  await put(workId, "scene/2/image", { file: fileOf(7, "drawn"), origin: { ...linkOrigin, model } });
  expect(await usage.read(userId)).toMatchObject({ assets: { bytes: 20 }, workMedia: { files: 1, bytes: 7 } });

  await assets.remove(projectId, asset.id, () => {});
  expect(usedBytes(await usage.read(userId))).toBe(17);
  for (const { id } of (await assets.list(projectId, {}, { limit: 10 })).items)
    await assets.remove(projectId, id, () => {});

  expect(await usage.read(userId)).toMatchObject({ assets: { bytes: 0 }, workMedia: { files: 2, bytes: 17 } });
});

test("an export and its stored response count once while both exist", async () => {
  const addVideo = async (sizeBytes: number) => {
    const { files: _, ...job } = queuedExport({ userId, projectId }, { status: "done" });
    await db.insert(exportJobs).values(job);
    await db.insert(exportFiles).values({ exportId: job.id, target: "", fileKey: `${projectId}/${job.id}`, sizeBytes });
  };
  const addResponse = (sizeBytes: number) =>
    db.insert(idempotencyKeys).values({
      ...{ userId, key: newId("evt"), fingerprint: "f", claimId: "c", leasedUntil: 0, checkpoints: {} },
      ...{ fileKey: `${projectId}/${newId("media")}`, sizeBytes, expiresAt: 1 },
    });
  await addVideo(10);
  await addVideo(20);
  for (const sizeBytes of [10, 10, 10, 30]) await addResponse(sizeBytes);

  expect((await usage.read(userId)).exports).toEqual({ files: 5, bytes: 80 });
});

test("of ten concurrent uploads as many are added as fit", async () => {
  const add = () => codeOf(assets.add(anAsset(projectId, { file: fileOf(30) }), { userId, maxBytes: 100 }));

  const codes = await Promise.all(Array.from({ length: 10 }, add));

  expect(codes.filter((code) => code === "resolved")).toHaveLength(3);
  expect(new Set(codes)).toEqual(new Set(["resolved", "limit_reached"]));
  expect(usedBytes(await usage.read(userId))).toBe(90);
});

test("a file that replaces another one needs room for the difference only", async () => {
  const { id: workId } = await addWork(db, projectId);
  await addFile(50, "asset");
  await put(workId, "scene/0/image", { file: fileOf(40) });
  const limit = { userId, maxBytes: 100 };

  expect(await codeOf(put(workId, "scene/0/image", { file: fileOf(51) }, limit))).toBe("limit_reached");
  expect(usedBytes(await usage.read(userId))).toBe(90);
  expect(await codeOf(put(workId, "scene/0/image", { file: fileOf(50) }, limit))).toBe("resolved");
  expect(await codeOf(put(workId, "scene/0/image", { file: fileOf(45) }, { userId, maxBytes: 10 }))).toBe("resolved");

  await put(workId, "scene/1/image", { file: fileOf(50, "asset"), origin: linkOrigin });
  expect(await codeOf(put(workId, "scene/1/image", { file: fileOf(50) }, limit))).toBe("limit_reached");
  expect(usedBytes(await usage.read(userId))).toBe(95);
});

test("nothing is added to a project or a work that is gone", async () => {
  const limit = { userId, maxBytes: 100 };

  expect(await assets.add(anAsset("proj_gone"), limit)).toBeUndefined();
  expect(await put("work_gone", "audio", {}, limit)).toBeUndefined();
});
