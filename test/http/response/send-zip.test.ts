import { expect, test } from "bun:test";
import { Hono } from "hono";
import { sendZip, textEntry } from "../../../src/http/response/send-zip.ts";

const chunk = new Uint8Array(1024 ** 2);

/** Chunks that are there at once, as those of a file in the page cache. */
function fileOf(chunks: number, onCancel = () => {}): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull: (controller) => (sent++ < chunks ? controller.enqueue(chunk) : controller.close()),
    cancel: onCancel,
  });
}

function appWith(chunks: number, onCancel?: () => void): Hono {
  const film = { name: "film.mp4", size: chunks * chunk.length, open: async () => fileOf(chunks, onCancel) };
  const entries = [film, textEntry("manifest.json", "{}")];
  return new Hono().get("/", (c) => sendZip(c, { filename: "films.zip", entries, lastModified: new Date() }));
}

const zipOf = async (chunks: number, onCancel?: () => void) => await appWith(chunks, onCancel).request("/");

test("a small archive has its length over a connection, too", async () => {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: appWith(2).fetch });
  const response = await fetch(server.url);
  const { byteLength } = await response.bytes();
  expect(response.headers.get("content-length")).toBe(`${byteLength}`);
});

test("an archive is as long as it says, and others have their turns while it is read", async () => {
  let isOver = false;
  let turns = 0;
  const nextTurn = () => {
    turns++;
    if (!isOver) setImmediate(nextTurn);
  };
  const response = await zipOf(64);
  setImmediate(nextTurn);
  let length = 0;
  for await (const { byteLength } of response.body!) length += byteLength;
  isOver = true;
  expect(`${length}`).toBe(response.headers.get("content-length")!);
  expect(turns).toBeGreaterThan(1);
});

test("who breaks off an archive leaves no file open", async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const reader = (await zipOf(64, resolve)).body!.getReader();
  for (let length = 0; length < chunk.length; ) length += (await reader.read()).value!.byteLength;
  await reader.cancel();
  await closed;
});
