import { afterAll, beforeEach, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { connect, ExportFailedError, unwrap } from "../../src/client.ts";
import { DomainError } from "../../src/errors.ts";
import { breakingFetch, type Fault } from "../support/broken-fetch.ts";
import { controlledRenderer } from "../support/media/controlled-renderer.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { testService } from "../support/service.ts";
import { listen } from "../support/uploads.ts";
import { newFilm } from "../support/work-videos.ts";

const { renderer, next: nextRendering, reset } = controlledRenderer();
const service = await testService({}, undefined, (services) => ({ renderer: renderer(services) }));
const server = listen(service);
const folder = await temporaryFolder();
const ann = await service.register("Ann");
const { request } = await newFilm(ann, folder);
afterAll(async () => {
  await server.stop();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(reset);

const annWith = (...faults: Fault[]) => {
  const { fetch, exchanges } = breakingFetch(...faults);
  return { client: connect(server.url, { token: ann.accessToken, fetch }), exchanges };
};

/** An export that a worker is rendering. */
async function startExport() {
  const rendering = nextRendering();
  const { id } = await unwrap(annWith().client.api.exports.$post({ json: request }));
  return { id, rendering: await rendering };
}

async function finishedExport(): Promise<string> {
  const { id, rendering } = await startExport();
  await rendering.finish();
  await annWith().client.waitForExport(id);
  return id;
}

const isEvents = (url: string) => url.endsWith("/events");
const isFile = (url: string) => url.includes("/file");

test("waiting follows the events until the export is done", async () => {
  const { id, rendering } = await startExport();
  const { client, exchanges } = annWith();
  const seen: string[] = [];
  const onProgress = ({ status }: { status: string }) => {
    if (seen.length === 0) void rendering.finish();
    seen.push(status);
  };

  const job = await client.waitForExport(id, { onProgress });

  expect(job).toMatchObject({ id, status: "done", progress: 1 });
  expect(seen[0]).toBe("rendering");
  expect(seen.at(-1)).toBe("done");
  expect(exchanges.map(({ url }) => isEvents(url))).toEqual([true]);
});

test("a broken event stream is continued after the last event that was seen", async () => {
  const { id, rendering } = await startExport();
  const { client, exchanges } = annWith({ matches: isEvents, isCutAfterFirstChunk: true });
  const seen: string[] = [];
  const onProgress = ({ status }: { status: string }) => {
    if (seen.length === 0) void rendering.finish();
    seen.push(status);
  };

  expect(await client.waitForExport(id, { onProgress })).toMatchObject({ status: "done" });

  expect(seen).toEqual(["rendering", "done"]);
  const [first, second, ...others] = exchanges.map(({ headers }) => headers.get("last-event-id"));
  expect([first, others]).toEqual([null, []]);
  expect(second).toMatch(/^\d+$/);
});

test("where no events get through, the export is polled", async () => {
  const id = await finishedExport();
  const html = () => new Response("<h1>Bad gateway</h1>", { status: 502 });
  const noEvents = { matches: isEvents, instead: html };
  const { client, exchanges } = annWith(noEvents, noEvents);

  expect(await client.waitForExport(id)).toMatchObject({ status: "done" });
  expect(exchanges.map(({ url }) => isEvents(url))).toEqual([true, true, false]);
});

test("an export that fails rejects with its sentence and its job", async () => {
  const { id, rendering } = await startExport();
  rendering.fail(new DomainError("font_unusable", { path: "texts.0", what: "The font" }));

  const error = await annWith()
    .client.waitForExport(id)
    .catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(ExportFailedError);
  expect(error).toMatchObject({ code: "font_unusable", job: { id, status: "error" } });
});

test("an export that is removed while it is awaited was cancelled", async () => {
  const { id } = await startExport();
  const { client } = annWith();
  const remove = () => void client.api.exports[":exportId"].$delete({ param: { exportId: id } });

  const waiting = client.waitForExport(id, { onProgress: remove });

  await expect(waiting).rejects.toThrow("The export was cancelled.");
});

test("waiting ends with the signal's reason, and the export goes on", async () => {
  const { id, rendering } = await startExport();
  const controller = new AbortController();
  const reason = new Error("The tab was closed.");
  const waiting = annWith().client.waitForExport(id, {
    signal: controller.signal,
    onProgress: () => controller.abort(reason),
  });

  await expect(waiting).rejects.toThrow(reason);
  await rendering.finish();
  expect(await annWith().client.waitForExport(id)).toMatchObject({ status: "done" });
});

test("an export that does not exist is an error at once", async () => {
  const { client, exchanges } = annWith();
  await expect(client.waitForExport("exp_0")).rejects.toMatchObject({ code: "not_found" });
  expect(exchanges).toHaveLength(1);
});

test("a download is a Blob, or goes to a path or a stream", async () => {
  const id = await finishedExport();
  const { client } = annWith();
  const path = join(folder, "film.mp4");
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();

  const streamed = new Response(readable).text();
  await client.downloadExport(id, { to: writable });
  await client.downloadExport(id, { to: path });
  const blob = await client.downloadExport(id);

  expect([await streamed, await Bun.file(path).text(), await blob.text()]).toEqual(Array(3).fill("0123456789"));
  expect(blob.type).toBe("video/mp4");
});

test("a broken download goes on where it ended, and reports its progress", async () => {
  const id = await finishedExport();
  const { client, exchanges } = annWith({ matches: isFile, cutAfterBytes: 4 });
  const received: number[] = [];

  const blob = await client.downloadExport(id, {
    onProgress: ({ receivedBytes }) => void received.push(receivedBytes),
  });

  expect(await blob.text()).toBe("0123456789");
  expect(received).toEqual([4, 10]);
  expect(exchanges.map(({ headers }) => headers.get("range"))).toEqual([null, "bytes=4-"]);
  expect(exchanges.map(({ response }) => response.status)).toEqual([200, 206]);
});

test("a file that has changed since the connection broke is received again from its beginning", async () => {
  const id = await finishedExport();
  const otherFile = () => new Response("abcdef", { headers: { etag: '"other"', "content-length": "6" } });
  const { client } = annWith({ matches: isFile, instead: otherFile, cutAfterBytes: 3 });

  const path = join(folder, "changed.mp4");
  await client.downloadExport(id, { to: path });

  expect(await Bun.file(path).text()).toBe("0123456789");
});

test("a download that stays short fails and leaves no file", async () => {
  const id = await finishedExport();
  const short = () => new Response("01", { headers: { "content-length": "10" } });
  const { client } = annWith({ matches: isFile, instead: short });

  const path = join(folder, "short.mp4");
  await expect(client.downloadExport(id, { to: path, attempts: 1 })).rejects.toThrow("2 of 10 bytes");

  expect((await readdir(folder)).filter((name) => name.startsWith("short"))).toEqual([]);
});
