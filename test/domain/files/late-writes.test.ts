import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { Readable } from "node:stream";
import { addGeneratedMedia } from "../../../src/domain/files/generated-media.ts";
import { putCopy } from "../../../src/domain/works/media.ts";
import type { Services } from "../../../src/services.ts";
import { withDatabaseTimeout } from "../../../src/storage/database/errors.ts";
import { codeOf } from "../../storage/samples.ts";
import { controlledRenderer } from "../../support/media/controlled-renderer.ts";
import { type OwnService, type TestUser, testService } from "../../support/service.ts";
import { isStored, storedFile } from "../../support/stored-files.ts";
import { filesOf, formOf, newProject, png } from "../../support/uploads.ts";

let service: OwnService;
let ann: TestUser;
let isFrozen = false;
let thawed = Promise.withResolvers<void>();
let written: Promise<unknown>[] = [];
const { renderer, next: nextRendering } = controlledRenderer();
let onGivenUp = () => {};

/** The method of a store on a database that, while it is frozen, writes only after its caller has given up. */
function late<Write extends (...args: never[]) => Promise<unknown>>(write: Write): Write {
  const delayed = (...args: never[]) => {
    // one after the other, as the row's lock orders them
    const result = Promise.allSettled([thawed.promise, ...written]).then(() => write(...args));
    written.push(result);
    return result;
  };
  const store = withDatabaseTimeout({ delayed }, 1);
  // safe because both methods have the arguments and the result of `write`
  return ((...args: never[]) =>
    isFrozen ? store.delayed(...args).finally(() => onGivenUp()) : write(...args)) as Write;
}

const withLateWrites = ({ assets, workMedia, generatedMedia, exports, ...others }: Services): Partial<Services> => ({
  exports: { ...exports, end: late(exports.end) },
  renderer: renderer(others),
  assets: { ...assets, add: late(assets.add) },
  workMedia: { ...workMedia, put: late(workMedia.put) },
  generatedMedia: { ...generatedMedia, add: late(generatedMedia.add) },
});

beforeAll(async () => {
  service = await testService({}, undefined, withLateWrites);
  ann = await service.register();
});

afterAll(() => service.close());

beforeEach(() => {
  thawed = Promise.withResolvers();
  written = [];
});

/** Runs an action whose write has an unknown outcome, and then lets the write commit. */
async function whileFrozen<Result>(action: () => Promise<Result>): Promise<Result> {
  isFrozen = true;
  const result = await action();
  isFrozen = false;
  thawed.resolve();
  await Promise.allSettled(written);
  return result;
}

async function upload(path: string, file: File): Promise<number> {
  const response = await ann.request(path, { method: "POST", body: formOf({ file }) });
  return response.status;
}

async function newWork() {
  const projectId = await newProject(ann);
  const { id } = await (await ann.json("POST", `/api/projects/${projectId}/works`, {})).json();
  // safe because the work has just been made
  return (await service.services.works.find(projectId, id))!;
}

const bytesOf = async (file: File) => await file.bytes();

test("an asset whose row commits after the upload has failed keeps its file and its thumbnail", async () => {
  const assets = `/api/projects/${await newProject(ann)}/assets`;

  expect(await whileFrozen(() => upload(assets, png(9, 9)))).toBe(503);

  const [asset] = (await (await ann.request(assets)).json()).assets;
  const file = await ann.request(asset.url);
  const thumbnail = await ann.request(asset.thumbnail);
  expect([file.status, thumbnail.status]).toEqual([200, 200]);
  expect(await file.bytes()).toEqual(await bytesOf(png(9, 9)));
});

test("a scene's image that replaces another after the upload has failed keeps its file", async () => {
  const { projectId, id } = await newWork();
  const image = `/api/projects/${projectId}/works/${id}/media/scene/0/image`;
  expect(await upload(image, png(3, 3))).toBe(200);

  expect(await whileFrozen(() => upload(image, png(9, 9)))).toBe(503);

  const response = await ann.request(image);
  expect([response.status, await response.bytes()]).toEqual([200, await bytesOf(png(9, 9))]);
});

test("a generated image whose row commits late keeps its file", async () => {
  const { files } = service.services;
  const received = await files.receive(Readable.from([await bytesOf(png(9, 9))]), 10_000);

  const code = await whileFrozen(() => codeOf(addGeneratedMedia(service.services, ann.user, received, "image")));

  expect(code).toBe("unavailable");
  expect((await filesOf(service)).filter((path) => path.includes(`/files/${ann.user.id}/`))).toHaveLength(1);
});

test("an asset's copy in a scene whose row commits late keeps its file", async () => {
  const work = await newWork();
  const { files, workMedia } = service.services;
  const original = await storedFile(files, work.projectId);
  const slot = "scene/0/image" as const;

  const target = { work, slot, seen: undefined };
  expect(await whileFrozen(() => codeOf(putCopy(service.services, target, original)))).toBe("unavailable");

  const copy = await workMedia.find(work.id, slot);
  expect(await isStored(files, copy!.file)).toBe(true);
});

test("an export whose end commits after its worker has given up keeps its video", async () => {
  const { projectId, id: workId } = await newWork();
  const image = `/api/projects/${projectId}/works/${workId}/media/scene/0/image`;
  expect(await upload(image, png(9, 9))).toBe(200);
  const clips = [{ sceneIndex: 0, position: 0, end: 1 }];
  const rendering = nextRendering();
  const { id } = await (await ann.json("POST", "/api/exports", { projectId, workId, clips })).json();
  const { finish } = await rendering;

  const gaveUp = new Promise<void>((resolve) => {
    onGivenUp = resolve;
  });
  await whileFrozen(() => finish().then(() => gaveUp));

  expect((await (await ann.request(`/api/exports/${id}`)).json()).status).toBe("done");
  expect(await (await ann.request(`/api/exports/${id}/file`)).text()).toBe("0123456789");
});
