import { afterAll, expect, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { openBucket } from "../../../src/storage/s3/bucket.ts";
import { s3Files } from "../../../src/storage/s3/files.ts";
import type { StoreAccess } from "../../../src/storage/s3/request.ts";
import { realBucket, s3Server } from "../../support/s3-server.ts";
import { bytesOf, fileStoreContract, filesUnder } from "../files/contract.ts";
import { codeOf } from "../samples.ts";

const server = s3Server();
const folder = await mkdtemp(join(tmpdir(), "reelwright-s3-"));
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const gibibyte = 1024 ** 3;

const open = (access: StoreAccess, dataDir = folder, scratchBytes = gibibyte) =>
  s3Files({ bucket: openBucket(access, { prefix: "tests/" }), dataDir, scratchBytes, hasPublicUrls: false });

const newFolder = () => mkdtemp(join(folder, "machine-"));

fileStoreContract("in a bucket", folder, async () => open(server.newBucket()));

const real = await realBucket();
if (real) fileStoreContract("in a bucket of a real server", folder, async () => open((await realBucket()) ?? real));

/** Two machines that share a bucket; `near` has stored a file under `key`. */
async function twoMachines(bytes: Buffer, farScratchBytes = gibibyte) {
  const access = server.newBucket();
  const near = await open(access, await newFolder());
  const farFolder = await newFolder();
  const far = await open(access, farFolder, farScratchBytes);
  const received = await near.receive(Readable.from([bytes]), bytes.length);
  const key = "project/video.mp4";
  await near.store(received, key);
  const file = { key, sizeBytes: bytes.length, sha256: received.sha256 };
  const object = server.objectsOf(access);
  return { access, near, far, farFolder, file, object };
}

const downloads = (key: string) => server.requests.filter((request) => request === `GET ${key}`).length;

test("a source is downloaded once for all that wait for it, and once for all keys with its content", async () => {
  const bytes = bytesOf(50_000);
  const { access, far, file } = await twoMachines(bytes);
  await far.copy(file.key, "project/second.mp4");

  const read = (key: string) => far.withLocalFile({ ...file, key }, (path) => readFile(path));
  const all = await Promise.all([1, 2, 3].map(() => read(file.key)));
  all.push(await read("project/second.mp4"));

  expect(all.every((each) => each.equals(bytes))).toBe(true);
  expect(downloads(`/${access.bucket}/tests/files/${file.key}`)).toBe(1);
  expect(downloads(`/${access.bucket}/tests/files/project/second.mp4`)).toBe(0);
});

test("what a machine stored it reads without the store", async () => {
  const { near, file } = await twoMachines(bytesOf(1000));
  server.requests.length = 0;

  expect((await new Response(await near.read(file, 10, 20)).bytes()).length).toBe(10);
  expect(server.requests).toEqual([]);
});

test("copies stay within their bound, and a source that does not fit is still opened", async () => {
  const bytes = bytesOf(100_000);
  const { far, farFolder, file } = await twoMachines(bytes, 50_000);

  expect(await far.withLocalFile(file, (path) => readFile(path))).toEqual(bytes);
  expect(await new Response(await far.read(file, 0, 100_000)).bytes()).toEqual(new Uint8Array(bytes));

  expect(await filesUnder(farFolder)).toEqual([]);
});

test("a source whose copy is evicted while it is used stays readable", async () => {
  const { far, farFolder, file } = await twoMachines(bytesOf(100_000));

  const size = await far.withLocalFile(file, async (path) => {
    await rm(join(farFolder, "scratch"), { recursive: true });
    return (await readFile(path)).length;
  });

  expect(size).toBe(100_000);
});

/** Sends the first bytes of a body, then closes the connection. */
const cutAfter = (response: Response, bytes: number) =>
  new Response(
    // Bun takes generators as bodies, which its types do not say
    (async function* () {
      yield (await response.bytes()).slice(0, bytes);
      throw new Error("cut");
    })() as unknown as ReadableStream,
    { status: response.status, headers: response.headers },
  );

test("a download that breaks goes on where it broke", async () => {
  const bytes = bytesOf(300_000);
  const { far, file } = await twoMachines(bytes);
  const ranges: (string | null)[] = [];
  server.failWith((request, respond) => {
    ranges.push(request.headers.get("range"));
    return ranges.length === 1 ? cutAfter(respond(), 100_000) : undefined;
  });

  const read = await far.withLocalFile(file, (path) => readFile(path));
  server.failWith(undefined);

  expect(read.equals(bytes)).toBe(true);
  expect(ranges).toEqual([null, expect.stringMatching(/^bytes=\d+-/)]);
});

test("requests that fail for a moment are repeated", async () => {
  let failures = 0;
  server.failWith(() => (failures++ % 2 === 0 ? new Response("", { status: 503 }) : undefined));
  const { far, file } = await twoMachines(bytesOf(1000));

  expect((await far.withLocalFile(file, (path) => readFile(path))).length).toBe(1000);
  server.failWith(undefined);
});

test("damaged bytes are not taken and leave no file", async () => {
  const { far, farFolder, file, object } = await twoMachines(bytesOf(1000));
  const [[key, stored]] = [...object] as [[string, NonNullable<ReturnType<typeof object.get>>]];
  object.set(key, { ...stored, bytes: new Uint8Array(1000) });

  expect(await codeOf(far.withLocalFile(file, (path) => readFile(path)))).toBe("unavailable");
  expect(await filesUnder(farFolder)).toEqual([]);
});

test("without the store, uploads and downloads are unavailable, and removals are left to the sweep", async () => {
  const { near, far, file } = await twoMachines(bytesOf(1000));
  const received = await near.receive(Readable.from([bytesOf(10)]), 10);
  await server.stop();
  try {
    const failed = await Promise.all([
      codeOf(near.store(received, "project/new.mp4")),
      codeOf(far.withLocalFile(file, (path) => readFile(path))),
      codeOf(far.read({ ...file, sizeBytes: gibibyte }, 0, 1000)),
      codeOf(near.copy(file.key, "project/copy.mp4")),
      codeOf(near.checkWritable()),
    ]);
    expect(new Set(failed)).toEqual(new Set(["unavailable"]));
    await near.remove([file.key]);
  } finally {
    server.restart();
  }
});

test("large objects are streamed in ranges, also after a break, and stop when the reader does", async () => {
  const bytes = bytesOf(5_000_000);
  const { far, file } = await twoMachines(bytes);
  const large = { ...file, sizeBytes: gibibyte };
  let calls = 0;
  server.failWith((_, respond) => (calls++ === 0 ? cutAfter(respond(), 1_000_000) : undefined));

  const stream = await new Response(await far.read(large, 10, 4_000_000)).bytes();
  server.failWith(undefined);
  expect(Buffer.from(stream).equals(bytes.subarray(10, 4_000_000))).toBe(true);
  expect((await new Response(await far.read(large, 5, 9)).bytes()).length).toBe(4);

  const reader = (await far.read(large, 0, 5_000_000)).getReader();
  await reader.read();
  await reader.cancel();
});
