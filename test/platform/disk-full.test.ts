import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mapDiskFull } from "../../src/platform/files.ts";
import { codeOf } from "../storage/samples.ts";

const folder = await mkdtemp(join(tmpdir(), "reelwright-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(["ENOSPC", "EDQUOT"])("%s becomes storage_full", async (code) => {
  expect(await codeOf(mapDiskFull(Promise.reject(Object.assign(new Error("write"), { code }))))).toBe("storage_full");
});

test("other errors stay as they are", async () => {
  expect(await codeOf(mapDiskFull(Promise.reject(Object.assign(new Error("write"), { code: "EIO" }))))).toBe("EIO");
});

/** Runs a script on a disk of 1 MB, in its own mount namespace, which needs no root privileges. */
const onSmallDisk = (script: string) =>
  Bun.$`unshare -rm sh -c ${'mount -t tmpfs -o size=1m none "$0" && exec "$1" -e "$2"'} ${folder} ${process.execPath} ${script}`
    .nothrow()
    .quiet();

const canMount = (await onSmallDisk("")).exitCode === 0;

test.skipIf(!canMount)(
  "a file larger than the disk is rejected and leaves nothing behind; a smaller one fits afterwards",
  async () => {
    const source = (path: string) => JSON.stringify(join(import.meta.dir, "../../src", path));
    const { stdout } = await onSmallDisk(`
    const { diskFiles } = await import(${source("storage/files/disk-files.ts")});
    const { Readable } = await import("node:stream");
    const { readdirSync } = require("node:fs");
    const files = await diskFiles(${JSON.stringify(folder)});
    const receive = (chunks) =>
      files.receive(Readable.from(Array(chunks).fill(new Uint8Array(65536))), 1e9).then(({ sizeBytes }) => sizeBytes, ({ code }) => code);
    const names = () => readdirSync(${JSON.stringify(folder)}, { recursive: true });
    const before = names().length;
    console.log(JSON.stringify([await receive(32), names().length - before, await receive(4)]));`);

    expect(JSON.parse(stdout.toString())).toEqual(["storage_full", 0, 4 * 65536]);
  },
);
