import { afterAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join, relative } from "node:path";
import { Readable } from "node:stream";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { codeOf } from "../samples.ts";

const noLimit = Number.MAX_SAFE_INTEGER;
const source = (file: string) => JSON.stringify(join(import.meta.dir, "../../../src/storage/files", file));

const folder = await mkdtemp(join(tmpdir(), "reelwright-"));
const files = await diskFiles(folder);
afterAll(() => rm(folder, { recursive: true, force: true }));

const bytesOf = (size: number) => Buffer.from(Array.from({ length: size }, (_, index) => (index * 7) % 251));
const textOf = async (key: string, start: number, end: number) => new Response(files.read(key, start, end)).text();
const receive = (bytes: string | Buffer) => files.receive(Readable.from([Buffer.from(bytes)]), noLimit);
const store = async (key: string, bytes: string | Buffer) => files.keep(await receive(bytes), key);

/** Every file under the folder, but the locks that live processes hold. */
async function filesUnder(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".lock"))
    .map((entry) => entry.name)
    .toSorted();
}

test("bytes are counted and hashed while they arrive, and read again as they came", async () => {
  const bytes = bytesOf(300_000);
  const chunks = [bytes.subarray(0, 1), bytes.subarray(1, 200_000), bytes.subarray(200_000)];

  const received = await files.receive(Readable.from(chunks), bytes.length);
  await files.keep(received, "project/asset.bin");

  expect(received.sizeBytes).toBe(bytes.length);
  expect(received.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
  expect(existsSync(received.path)).toBe(false);
  const read = await new Response(files.read("project/asset.bin", 0, bytes.length)).bytes();
  expect(Buffer.from(read).equals(bytes)).toBe(true);
});

test("a finished file of a job is stored beside itself, and outlives its folder", async () => {
  const job = await files.jobFolder();
  await Bun.write(join(job, "film.mp4"), "a film");
  await files.keepToo(join(job, "film.mp4"), "user/film.mp4");
  expect(await Bun.file(join(job, "film.mp4")).text()).toBe("a film");

  await rm(job, { recursive: true });
  expect(await textOf("user/film.mp4", 0, 6)).toBe("a film");
});

test("an empty file can be stored", async () => {
  await store("empty", "");

  expect(await textOf("empty", 0, 0)).toBe("");
});

test("any range of bytes can be read", async () => {
  await store("digits", "0123456789");

  expect(await textOf("digits", 0, 1)).toBe("0");
  expect(await textOf("digits", 3, 7)).toBe("3456");
  expect(await textOf("digits", 9, 10)).toBe("9");
  expect(await textOf("digits", 4, 4)).toBe("");
});

test("a file one byte past the limit is refused and leaves nothing behind", async () => {
  const bytes = () => Readable.from([bytesOf(60), bytesOf(41)]);

  expect((await files.receive(bytes(), 101)).sizeBytes).toBe(101);
  const before = await filesUnder(folder);
  expect(await codeOf(files.receive(bytes(), 100))).toBe("payload_too_large");
  expect(await filesUnder(folder)).toEqual(before);
});

test("a sender that breaks off leaves nothing behind", async () => {
  const before = await filesUnder(folder);
  const broken = Readable.from(
    (async function* () {
      yield bytesOf(100);
      throw new Error("gone");
    })(),
  );

  expect(await codeOf(files.receive(broken, noLimit))).toBe("gone");
  expect(await filesUnder(folder)).toEqual(before);
});

test("a discarded file is gone, and may be discarded again", async () => {
  const received = await receive("x");

  await files.discard(received);
  await files.discard(received);

  expect(existsSync(received.path)).toBe(false);
});

test("readers that go away keep no descriptor open", async () => {
  await store("large", bytesOf(3_000_000));
  const path = await files.localPath("large");

  for (let reader = 0; reader < 20; reader += 1) {
    const stream = files.read("large", 0, 3_000_000).getReader();
    await stream.read();
    await stream.cancel();
  }

  // Bun closes a file a few turns after its stream
  for (let turn = 0; turn < 1_000 && descriptorsOf(path) > 0; turn += 1) await nextTurn();
  expect(descriptorsOf(path)).toBe(0);
});

const nextTurn = () => new Promise(setImmediate);

/** How many descriptors this process holds on a file. */
const descriptorsOf = (path: string) => readdirSync("/proc/self/fd").filter((name) => targetOf(name) === path).length;

/** A descriptor may be closed between being listed and being read. */
function targetOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}

test("reading what is not there fails and does not hang", async () => {
  expect(await codeOf(textOf("nothing", 0, 5))).toBe("ENOENT");
});

test("a removed file is gone, and removing it again is fine", async () => {
  await store("project/one", "1");
  await store("project/two", "2");

  await files.remove(["project/one", "project/none", "project/one"]);

  expect(await codeOf(textOf("project/one", 0, 1))).toBe("ENOENT");
  expect(await textOf("project/two", 0, 1)).toBe("2");
});

test.each(["", "..", "../x", "a/../b", "/etc/passwd", "a//b", "a/", ".hidden", "a\0b", "a\nb", "x".repeat(201)])(
  "the key %p is refused by everything",
  async (key) => {
    const received = await receive("x");

    expect(await codeOf(files.keep(received, key))).toBe("This is not the key of a file.");
    expect(await codeOf(files.localPath(key))).toBe("This is not the key of a file.");
    expect(await codeOf(files.remove([key]))).toBe("This is not the key of a file.");
    expect(() => files.read(key, 0, 1)).toThrow("This is not the key of a file.");
  },
);

test("a local path shows the stored bytes, for its owner alone", async () => {
  await store("project/font.ttf", "glyphs");

  const path = await files.localPath("project/font.ttf");

  expect(await Bun.file(path).text()).toBe("glyphs");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("paths are absolute, whatever the folder was called by", async () => {
  const named = await diskFiles(relative(process.cwd(), await mkdtemp(join(folder, "named-"))));

  expect(isAbsolute(await named.localPath("x"))).toBe(true);
  expect(isAbsolute(await named.jobFolder())).toBe(true);
  expect(isAbsolute((await named.receive(Readable.from([Buffer.from("x")]), noLimit)).path)).toBe(true);
});

test("each job has a folder of its own that nobody else may enter", async () => {
  const [first, second] = [await files.jobFolder(), await files.jobFolder()];

  expect(first).not.toBe(second);
  expect(await readdir(first)).toEqual([]);
  expect((await stat(first)).mode & 0o777).toBe(0o700);
});

test("a start removes what a killed process left and nothing of one that lives", async () => {
  const root = await mkdtemp(join(folder, "shared-"));
  const code = `
    const { diskFiles } = await import(${source("disk-files.ts")});
    const { Readable } = await import("node:stream");
    const files = await diskFiles(${JSON.stringify(root)});
    const { path } = await files.receive(Readable.from([Buffer.from("half")]), 10);
    const job = await files.jobFolder();
    await Bun.write(job + "/part", "x");
    console.log(JSON.stringify([path, job]));
    setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, "-e", code], { stdout: "pipe", stderr: "inherit" });
  const { value } = await child.stdout.getReader().read();
  const [path, job]: string[] = JSON.parse(new TextDecoder().decode(value));

  await diskFiles(root);
  expect([existsSync(path!), existsSync(job!)]).toEqual([true, true]);

  child.kill("SIGKILL");
  await child.exited;
  await diskFiles(root);
  expect([existsSync(path!), existsSync(job!)]).toEqual([false, false]);
});
