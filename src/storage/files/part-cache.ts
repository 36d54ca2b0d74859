import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, mkdir, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { RenderCache } from "../../domain/exports/renderer.ts";
import { patientGate } from "../../platform/concurrency-limit.ts";

type Entry = { readonly path: string; readonly sizeBytes: number; readonly usedAt: number };

/** Room is made down to this share of the limit, so that not every new part has to look for some. */
const keptShare = 0.9;

/** A part is this many bytes at least for the accounts: a file system gives whole blocks. */
const blockBytes = 4096;

/**
 * Parts as files of one folder, `<key>-<sha256 of the bytes>`: the name tells whether the bytes are still what they were.
 * Several processes may share it; the times of the files tell which was used last.
 */
export function diskRenderCache(dataDir: string, maxBytes: number): RenderCache {
  const folder = resolve(dataDir, "cache");
  const room = accounts(folder, maxBytes);

  return {
    async sizeOf(key) {
      const found = await find(folder, key);
      return found ? (await stat(found).catch(() => undefined))?.size : undefined;
    },

    async read(key) {
      const found = await find(folder, key);
      if (!found) return undefined;
      const bytes = await readFile(found).catch(() => undefined);
      if (bytes && found.endsWith(sha256Of(bytes))) return bytes;
      await removed(found);
      return undefined;
    },

    async take(key, path) {
      const found = await find(folder, key);
      if (!found) return false;
      if ((await linked(found, path)) && found.endsWith(await digestOf(path).catch(() => "unreadable"))) {
        const now = new Date();
        await utimes(found, now, now).catch(() => {});
        return true;
      }
      for (const damaged of [found, path]) await removed(damaged);
      return false;
    },

    async put(key, path) {
      const { size } = await stat(path);
      // a part that cannot be kept is only rendered again
      if (size <= maxBytes) await room.take(size, () => keep(folderOf(folder, key), key, path));
    },
  };
}

async function keep(home: string, key: string, path: string): Promise<boolean> {
  const name = join(home, `${key}-new-${crypto.randomUUID()}`);
  const digest = await digestOf(path);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await link(path, name);
    await rename(name, join(home, `${key}-${digest}`));
    return true;
  } catch {
    await removed(name);
    return false;
  }
}

/** Whatever it is: a part that is damaged may have become anything. */
const removed = (path: string) => rm(path, { recursive: true, force: true }).catch(() => {});

const folderOf = (folder: string, key: string) => join(folder, key.slice(0, 2));

async function find(folder: string, key: string): Promise<string | undefined> {
  const home = folderOf(folder, key);
  const names = await readdir(home).catch(() => []);
  const name = names.find((candidate) => candidate.startsWith(`${key}-`) && !candidate.startsWith(`${key}-new-`));
  return name && join(home, name);
}

/** One file under two names: nobody writes into it any more. False when the first is gone or no link can be made. */
const linked = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    () => false,
  );

const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  return hash.digest("hex");
}

/** Lets parts in one after the other. What was not used for the longest time makes way before one comes. */
function accounts(folder: string, maxBytes: number) {
  const oneByOne = patientGate(1);
  let sizeBytes = Number.POSITIVE_INFINITY;

  const clear = async (wantedBytes: number) => {
    const entries = await entriesIn(folder);
    sizeBytes = entries.reduce((sum, entry) => sum + entry.sizeBytes, 0);
    if (sizeBytes + wantedBytes <= maxBytes) return;
    for (const { path, sizeBytes: freed } of entries.toSorted((one, other) => one.usedAt - other.usedAt)) {
      if (sizeBytes + wantedBytes <= maxBytes * keptShare) return;
      await removed(path);
      sizeBytes -= freed;
    }
  };

  return {
    take: (bytes: number, keep: () => Promise<boolean>): Promise<void> =>
      oneByOne(async () => {
        const wantedBytes = Math.max(bytes, blockBytes);
        if (sizeBytes + wantedBytes > maxBytes) await clear(wantedBytes);
        if (await keep()) sizeBytes += wantedBytes;
      }),
  };
}

async function entriesIn(folder: string): Promise<readonly Entry[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const entries = files.filter((file) => file.isFile()).map((file) => entryOf(join(file.parentPath, file.name)));
  return (await Promise.all(entries)).filter((entry) => entry !== undefined);
}

/** Undefined when another process removed it meanwhile. */
const entryOf = (path: string): Promise<Entry | undefined> =>
  stat(path).then(
    ({ size, mtimeMs }) => ({ path, sizeBytes: Math.max(size, blockBytes), usedAt: mtimeMs }),
    () => undefined,
  );
