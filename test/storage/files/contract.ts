import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { StorageFiles } from "../../../src/storage/files/local-files.ts";
import { codeOf } from "../samples.ts";

const noLimit = Number.MAX_SAFE_INTEGER;
const missing = { key: "project/nothing" };

export const bytesOf = (size: number) => Buffer.from(Array.from({ length: size }, (_, index) => (index * 7) % 251));

/** What every file store does, whatever it keeps files in. `open` is called once for each test. */
export function fileStoreContract(name: string, folder: string, open: () => Promise<StorageFiles>): void {
  const contractTest = (fact: string, run: (files: StorageFiles) => Promise<void>) =>
    test(`${name}: ${fact}`, async () => run(await open()));

  contractTest("received bytes are counted and hashed, and read back unchanged", async (files) => {
    const bytes = bytesOf(300_000);
    const chunks = [bytes.subarray(0, 1), bytes.subarray(1, 200_000), bytes.subarray(200_000)];

    const received = await files.receive(Readable.from(chunks), bytes.length);
    await files.store(received, "project/asset.bin");

    expect(received.sizeBytes).toBe(bytes.length);
    expect(received.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
    expect(existsSync(received.path)).toBe(false);
    const read = await new Response(
      await files.read({ ...received, key: "project/asset.bin" }, 0, bytes.length),
    ).bytes();
    expect(Buffer.from(read).equals(bytes)).toBe(true);
  });

  contractTest("a job's file whose hash is not known can be stored", async (files) => {
    const path = join(await files.jobFolder(), "video.mp4");
    await Bun.write(path, "a video");

    await files.store({ path }, "project/video.mp4");

    expect(await textOf(files, "project/video.mp4", 0, 7)).toBe("a video");
    expect(existsSync(path)).toBe(false);
  });

  contractTest("a stored copy stays after its job folder is removed", async (files) => {
    const job = await files.jobFolder();
    await Bun.write(join(job, "video.mp4"), "a video");
    await files.storeCopy({ path: join(job, "video.mp4") }, "user/video.mp4");
    expect(await Bun.file(join(job, "video.mp4")).text()).toBe("a video");

    await rm(job, { recursive: true });
    expect(await textOf(files, "user/video.mp4", 0, 7)).toBe("a video");
  });

  contractTest("the hash of a stored file is known, and that of a missing one is not", async (files) => {
    await store(files, "project/a.txt", "text");
    const sha256 = createHash("sha256").update("text").digest("hex");
    expect(await files.sha256Of("project/a.txt")).toBe(sha256);
    expect(await files.sha256Of(missing.key)).toBeUndefined();
  });

  contractTest("a stored file can be stored under a second key, and either is removed alone", async (files) => {
    await store(files, "project/original.txt", "text");

    await files.copy("project/original.txt", "project/second.txt");
    await files.remove(["project/original.txt"]);

    expect(await textOf(files, "project/second.txt", 0, 4)).toBe("text");
  });

  contractTest("removing a folder removes all files in it and no others", async (files) => {
    for (const key of ["one/a", "one/b/c", "other/a"]) await store(files, key, "x");

    await files.removeFolder("one");
    await files.removeFolder("one");

    for (const key of ["one/a", "one/b/c"]) expect(await codeOf(textOf(files, key, 0, 1))).toBe("ENOENT");
    expect(await textOf(files, "other/a", 0, 1)).toBe("x");
    expect(await codeOf((async () => files.removeFolder(".//"))())).toContain("not the key");
  });

  contractTest("an empty file can be stored", async (files) => {
    await store(files, "empty", "");

    expect(await textOf(files, "empty", 0, 0)).toBe("");
    expect(await files.withLocalFile({ key: "empty" }, (path) => readFile(path, "utf8"))).toBe("");
  });

  contractTest("any range of bytes can be read", async (files) => {
    await store(files, "digits", "0123456789");

    expect(await textOf(files, "digits", 0, 1)).toBe("0");
    expect(await textOf(files, "digits", 3, 7)).toBe("3456");
    expect(await textOf(files, "digits", 9, 10)).toBe("9");
    expect(await textOf(files, "digits", 4, 4)).toBe("");
    expect(await textOf(files, "digits", 5, 1_000)).toBe("56789");
  });

  contractTest("a file one byte over the limit is rejected and leaves no file", async (files) => {
    const bytes = () => Readable.from([bytesOf(60), bytesOf(41)]);

    expect((await files.receive(bytes(), 101)).sizeBytes).toBe(101);
    const before = await filesUnder(folder);
    expect(await codeOf(files.receive(bytes(), 100))).toBe("payload_too_large");
    expect(await filesUnder(folder)).toEqual(before);
  });

  contractTest("an aborted upload leaves no file", async (files) => {
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

  contractTest("discarding a file removes it, and may be repeated", async (files) => {
    const received = await receive(files, "x");

    await files.discard(received);
    await files.discard(received);

    expect(existsSync(received.path)).toBe(false);
  });

  contractTest("a missing file cannot be read, opened, linked or copied", async (files) => {
    const path = join(await files.jobFolder(), "link");

    expect(await codeOf(textOf(files, missing.key, 0, 5))).toBe("ENOENT");
    expect(await codeOf(files.withLocalFile(missing, (local) => readFile(local)))).toBe("ENOENT");
    expect(await codeOf(files.linkTo(missing, path))).toBe("ENOENT");
    expect(await codeOf(files.copy(missing.key, "project/copy"))).toBe("ENOENT");
  });

  contractTest("removing a file may be repeated", async (files) => {
    await store(files, "project/one", "1");
    await store(files, "project/two", "2");

    await files.remove(["project/one", "project/none", "project/one"]);

    expect(await codeOf(textOf(files, "project/one", 0, 1))).toBe("ENOENT");
    expect(await textOf(files, "project/two", 0, 1)).toBe("2");
  });

  contractTest("every method rejects what cannot be a key", async (files) => {
    const received = await receive(files, "x");
    await store(files, "good", "x");
    const path = join(await files.jobFolder(), "link");
    const message = "This is not the key of a file.";

    for (const key of [
      "",
      "..",
      "../x",
      "a/../b",
      "/etc/passwd",
      "a//b",
      "a/",
      ".hidden",
      "a\0b",
      "a\nb",
      "x".repeat(201),
    ]) {
      expect(await codeOf(files.store(received, key))).toBe(message);
      expect(await codeOf(files.storeCopy(received, key))).toBe(message);
      expect(await codeOf(files.copy(key, "b"))).toBe(message);
      expect(await codeOf(files.copy("good", key))).toBe(message);
      expect(await codeOf(files.read({ key }, 0, 1))).toBe(message);
      expect(await codeOf(files.withLocalFile({ key }, async () => {}))).toBe(message);
      expect(await codeOf(files.linkTo({ key }, path))).toBe(message);
      expect(await codeOf(files.remove([key]))).toBe(message);
    }
  });

  contractTest("a local path opens the stored file, which only its owner may read", async (files) => {
    await store(files, "project/font.ttf", "glyphs");

    const [text, { mode }] = await files.withLocalFile({ key: "project/font.ttf" }, (path) =>
      Promise.all([readFile(path, "utf8"), stat(path)]),
    );

    expect(text).toBe("glyphs");
    expect(mode & 0o777).toBe(0o600);
  });

  contractTest("a file that was linked into a job stays there after it is removed", async (files) => {
    await store(files, "project/source.mp4", "frames");
    const path = join(await files.jobFolder(), "source-0");

    await files.linkTo({ key: "project/source.mp4" }, path);
    await files.remove(["project/source.mp4"]);

    expect(await Bun.file(path).text()).toBe("frames");
  });

  contractTest("the keys of all stored files are listed, also those of copies", async (files) => {
    await store(files, "listed/a.png", "a");
    await files.copy("listed/a.png", "listed/b.png");

    const keys = await files.keysWrittenBefore(Date.now() + 60_000);

    expect(keys.filter((key) => key.startsWith("listed/")).toSorted()).toEqual(["listed/a.png", "listed/b.png"]);
    expect(await files.keysWrittenBefore(Date.now() - 60_000)).not.toContain("listed/a.png");
  });

  contractTest("the first database that claims the files keeps them", async (files) => {
    expect(await files.claimForDatabase("one")).toBe(true);
    expect(await files.claimForDatabase("two")).toBe(false);
    expect(await files.claimForDatabase("one")).toBe(true);
  });
}

/** The files under a folder, without the lock files of running processes. */
export async function filesUnder(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".lock"))
    .map((entry) => entry.name)
    .toSorted();
}

const receive = (files: StorageFiles, text: string) => files.receive(Readable.from([Buffer.from(text)]), noLimit);
const store = async (files: StorageFiles, key: string, text: string) => files.store(await receive(files, text), key);
const textOf = async (files: StorageFiles, key: string, start: number, end: number) =>
  new Response(await files.read({ key }, start, end)).text();
