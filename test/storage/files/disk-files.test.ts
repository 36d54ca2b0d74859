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
const store = async (key: string, bytes: string | Buffer) => files.store(await receive(bytes), key);

/** The files under a folder, without the lock files of running processes. */
async function filesUnder(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".lock"))
    .map((entry) => entry.name)
    .toSorted();
}

test("received bytes are counted and hashed, and read back unchanged", async () => {
  const bytes = bytesOf(300_000);
  const chunks = [bytes.subarray(0, 1), bytes.subarray(1, 200_000), bytes.subarray(200_000)];

  const received = await files.receive(Readable.from(chunks), bytes.length);
  await files.store(received, "project/asset.bin");

  expect(received.sizeBytes).toBe(bytes.length);
  expect(received.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
  expect(existsSync(received.path)).toBe(false);
  const read = await new Response(files.read("project/asset.bin", 0, bytes.length)).bytes();
  expect(Buffer.from(read).equals(bytes)).toBe(true);
});

test("a hard-linked job file stays in the store after its job folder is removed", async () => {
  const job = await files.jobFolder();
  await Bun.write(join(job, "video.mp4"), "a video");
  await files.hardLink(join(job, "video.mp4"), "user/video.mp4");
  expect(await Bun.file(join(job, "video.mp4")).text()).toBe("a video");

  await rm(job, { recursive: true });
  expect(await textOf("user/video.mp4", 0, 7)).toBe("a video");
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

test("a file one byte over the limit is rejected and leaves no file", async () => {
  const bytes = () => Readable.from([bytesOf(60), bytesOf(41)]);

  expect((await files.receive(bytes(), 101)).sizeBytes).toBe(101);
  const before = await filesUnder(folder);
  expect(await codeOf(files.receive(bytes(), 100))).toBe("payload_too_large");
  expect(await filesUnder(folder)).toEqual(before);
});

test("an aborted upload leaves no file", async () => {
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

test("a folder goes with its last file, also while files are added to it", async () => {
  const keys = Array.from({ length: 40 }, (_, index) => `shared/${index}`);

  await Promise.all(keys.map((key) => store(key, "x").then(() => files.remove([key]))));

  expect(existsSync(join(folder, "files", "shared"))).toBe(false);
});

test("removing a folder removes all files in it and no others", async () => {
  for (const key of ["one/a", "one/b/c", "other/a"]) await store(key, "x");

  await files.removeFolder("one");
  await files.removeFolder("one");

  expect(existsSync(join(folder, "files", "one"))).toBe(false);
  expect(await textOf("other/a", 0, 1)).toBe("x");
  expect(() => files.removeFolder("../files")).toThrow();
});

test("discarding a file removes it, and may be repeated", async () => {
  const received = await receive("x");

  await files.discard(received);
  await files.discard(received);

  expect(existsSync(received.path)).toBe(false);
});

test("cancelled readers leave no file descriptor open", async () => {
  await store("large", bytesOf(3_000_000));
  const path = await files.localPath("large");

  for (let reader = 0; reader < 20; reader += 1) {
    const stream = files.read("large", 0, 3_000_000).getReader();
    await stream.read();
    await stream.cancel();
  }

  // Bun closes the file a few event loop turns after its stream
  for (let turn = 0; turn < 1_000 && descriptorsOf(path) > 0; turn += 1) await nextTurn();
  expect(descriptorsOf(path)).toBe(0);
});

const nextTurn = () => new Promise(setImmediate);

/** Number of descriptors of this process for a file. */
const descriptorsOf = (path: string) => readdirSync("/proc/self/fd").filter((name) => targetOf(name) === path).length;

/** Undefined if the descriptor was closed after it was listed. */
function targetOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}

test("reading a missing file fails and does not hang", async () => {
  expect(await codeOf(textOf("nothing", 0, 5))).toBe("ENOENT");
});

test("removing a file may be repeated", async () => {
  await store("project/one", "1");
  await store("project/two", "2");

  await files.remove(["project/one", "project/none", "project/one"]);

  expect(await codeOf(textOf("project/one", 0, 1))).toBe("ENOENT");
  expect(await textOf("project/two", 0, 1)).toBe("2");
});

test.each(["", "..", "../x", "a/../b", "/etc/passwd", "a//b", "a/", ".hidden", "a\0b", "a\nb", "x".repeat(201)])(
  "every method rejects the key %p",
  async (key) => {
    const received = await receive("x");

    expect(await codeOf(files.store(received, key))).toBe("This is not the key of a file.");
    expect(await codeOf(files.localPath(key))).toBe("This is not the key of a file.");
    expect(await codeOf(files.remove([key]))).toBe("This is not the key of a file.");
    expect(() => files.read(key, 0, 1)).toThrow("This is not the key of a file.");
  },
);

test("a local path opens the stored file, which only its owner may read", async () => {
  await store("project/font.ttf", "glyphs");

  const path = await files.localPath("project/font.ttf");

  expect(await Bun.file(path).text()).toBe("glyphs");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("paths are absolute even if the folder is given as a relative path", async () => {
  const named = await diskFiles(relative(process.cwd(), await mkdtemp(join(folder, "named-"))));

  expect(isAbsolute(await named.localPath("x"))).toBe(true);
  expect(isAbsolute(await named.jobFolder())).toBe(true);
  expect(isAbsolute((await named.receive(Readable.from([Buffer.from("x")]), noLimit)).path)).toBe(true);
});

test("each job has its own folder, which only its owner may enter", async () => {
  const first = await files.jobFolder();
  const second = await files.jobFolder();

  expect(first).not.toBe(second);
  expect(await readdir(first)).toEqual([]);
  expect((await stat(first)).mode & 0o777).toBe(0o700);
});

test("opening the store removes the files of killed processes and of no running one", async () => {
  const root = await mkdtemp(join(folder, "shared-"));
  const { path, job, kill } = await otherProcess(root);

  await diskFiles(root);
  expect([existsSync(path), existsSync(job)]).toEqual([true, true]);

  await kill();
  await diskFiles(root);
  expect([existsSync(path), existsSync(job)]).toEqual([false, false]);
});

test("a running process removes the files of one that was killed, and keeps its own", async () => {
  const root = await mkdtemp(join(folder, "shared-"));
  const own = await diskFiles(root);
  const ownJob = await own.jobFolder();
  const { path, job, kill } = await otherProcess(root);

  await own.removeAbandoned();
  expect([existsSync(path), existsSync(job), existsSync(ownJob)]).toEqual([true, true, true]);

  await kill();
  await own.removeAbandoned();
  expect([existsSync(path), existsSync(job), existsSync(ownJob)]).toEqual([false, false, true]);
});

/** A process with a received file and a job folder of its own. */
async function otherProcess(root: string) {
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
  const [path, job]: [string, string] = JSON.parse(new TextDecoder().decode(value));
  const kill = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  return { path, job, kill };
}
