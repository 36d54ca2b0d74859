import { expect, test } from "bun:test";
import { chmod, lstat, mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { makePrivate } from "../../../src/storage/files/private-data.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

const modeOf = async (path: string) => (await lstat(path)).mode & 0o777;

test("only the service's own entries are changed, and no link is followed", async () => {
  const folder = await temporaryFolder();
  const dataDir = join(folder, "shared");
  await mkdir(join(dataDir, "files/project"), { recursive: true });
  await Bun.write(join(dataDir, "files/project/a.png"), "a");
  await Bun.write(join(dataDir, "notes.txt"), "of somebody else");
  await Bun.write(join(folder, "elsewhere.txt"), "x");
  await symlink(join(folder, "elsewhere.txt"), join(dataDir, "files/link"));
  const mode = { "": 0o755, files: 0o755, "files/project": 0o777, "files/project/a.png": 0o666, "notes.txt": 0o644 };
  for (const [path, before] of Object.entries(mode)) await chmod(join(dataDir, path), before);
  await chmod(join(folder, "elsewhere.txt"), 0o644);

  makePrivate(dataDir);

  const after = await Promise.all(Object.keys(mode).map((path) => modeOf(join(dataDir, path))));
  expect(after).toEqual([0o755, 0o700, 0o700, 0o600, 0o644]);
  expect(await modeOf(join(folder, "elsewhere.txt"))).toBe(0o644);
  await rm(folder, { recursive: true });
});
