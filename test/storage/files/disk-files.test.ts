import { afterAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { mkdtemp, readdir, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join, relative } from "node:path";
import { Readable } from "node:stream";
import { sourceOf } from "../../../src/domain/files/file-store.ts";
import { referenceTo } from "../../../src/engine/ports.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { bytesOf, fileStoreContract } from "./contract.ts";

const noLimit = Number.MAX_SAFE_INTEGER;
const source = (file: string) => JSON.stringify(join(import.meta.dir, "../../../src/storage/files", file));

const folder = await mkdtemp(join(tmpdir(), "reelwright-"));
const files = await diskFiles(folder);
afterAll(() => rm(folder, { recursive: true, force: true }));

const receive = (bytes: string | Buffer) => files.receive(Readable.from([Buffer.from(bytes)]), noLimit);
const store = async (key: string, bytes: string | Buffer) => files.store(await receive(bytes), key);

fileStoreContract("on disk", folder, async () => files);

test("a folder goes with its last file, also while files are added to it", async () => {
  const keys = Array.from({ length: 40 }, (_, index) => `shared/${index}`);

  await Promise.all(keys.map((key) => store(key, "x").then(() => files.remove([key]))));

  expect(existsSync(join(folder, "files", "shared"))).toBe(false);
});

test("a file that was cut is not read as if it were whole", async () => {
  await store("cut", "whole");
  await truncate(join(folder, "files/cut"), 2);

  const facts = {
    kind: "image",
    container: "png",
    mimeType: "image/png",
    extension: "png",
    width: 1,
    height: 1,
  } as const;
  // as a film refers to its sources
  const cut = referenceTo(sourceOf({ key: "cut", sizeBytes: 5, sha256: "0", filename: "", facts }));
  const isDamaged = "is damaged: 2 bytes instead of 5";
  await expect(files.read(cut, 0, 5)).rejects.toThrow(isDamaged);
  await expect(files.linkTo(cut, join(folder, "linked"))).rejects.toThrow(isDamaged);
  await expect(files.withLocalFile(cut, async () => "used")).rejects.toThrow(isDamaged);
});

const otherDisk = "/dev/shm";

test.if(existsSync(otherDisk) && statSync(otherDisk).dev !== statSync(folder).dev)(
  "where a hard link is not possible, a copy is stored",
  async () => {
    const path = join(otherDisk, `reelwright-${crypto.randomUUID()}`);
    await Bun.write(path, "elsewhere");
    try {
      await files.storeCopy({ path }, "copied/one");
      expect(await new Response(await files.read({ key: "copied/one", sizeBytes: 9 }, 0, 9)).text()).toBe("elsewhere");
      expect(readdirSync(join(folder, "files/copied"))).toEqual(["one"]);
    } finally {
      await rm(path);
    }
  },
);

test("cancelled readers leave no file descriptor open", async () => {
  await store("large", bytesOf(3_000_000));
  const path = join(folder, "files/large");

  for (let reader = 0; reader < 20; reader += 1) {
    const stream = (await files.read({ key: "large" }, 0, 3_000_000)).getReader();
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

test("paths are absolute even if the folder is given as a relative path", async () => {
  const named = await diskFiles(relative(process.cwd(), await mkdtemp(join(folder, "named-"))));

  expect(isAbsolute(await named.withLocalFile({ key: "x" }, async (path) => path))).toBe(true);
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
