import { afterAll, expect, test } from "bun:test";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { realBucket } from "../../support/s3-server.ts";
import { bytesOf, fileStoreContract, filesUnder } from "../files/contract.ts";
import { codeOf } from "../samples.ts";
import { gibibyte, machines } from "./machines.ts";

const { server, folder, open, twoMachines, close } = await machines();
afterAll(close);

fileStoreContract("in a bucket", folder, async () => open(server.newBucket()));

const real = await realBucket();
if (real) fileStoreContract("in a bucket of a real server", folder, async () => open((await realBucket()) ?? real));

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
