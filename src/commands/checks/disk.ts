import { existsSync } from "node:fs";
import { access, constants, stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Readable } from "node:stream";
import type { Environment } from "../../env.ts";
import {
  maxOpenFiles,
  minOpenFiles,
  openFilesSentence,
  raiseOpenFiles,
  recommendedOpenFiles,
} from "../../platform/files.ts";
import { diskFiles } from "../../storage/files/disk-files.ts";
import { localFiles, type StorageFiles } from "../../storage/files/local-files.ts";
import { sizeText } from "../command.ts";
import { type Check, type Finding, failure, ok, warning } from "./check.ts";

/** The data folder: files of `STORAGE=local`, else unfinished files, copies and caches. */
export const diskCheck: Check = {
  name: "disk",
  settings: ["DATA_DIR"],
  async run(environment) {
    const folder = resolve(environment.DATA_DIR);
    const existing = nearestExisting(folder);
    const denied = await accessFailure(existing, folder);
    if (denied) return [denied];
    const space = [...(await spaceFindings(existing, environment)), ...openFilesFindings()];
    if (existing !== folder) return [ok(`${folder} does not exist yet: the first start creates it.`), ...space];
    return [(await foreignOwner(folder)) ?? (await probeFolder(environment)), ...space];
  },
};

function openFilesFindings(): readonly Finding[] {
  const limit = maxOpenFiles();
  if (limit >= recommendedOpenFiles) return [];
  const report = limit < minOpenFiles ? failure : warning;
  return [report(openFilesSentence(limit), raiseOpenFiles)];
}

const nearestExisting = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));

async function accessFailure(existing: string, folder: string): Promise<Finding | undefined> {
  const fix = "Check its owner and its mount, or choose another DATA_DIR.";
  if (!(await stat(existing)).isDirectory()) return failure(`${existing} is not a folder.`, fix);
  return await access(existing, constants.W_OK | constants.X_OK).then(
    () => undefined,
    ({ code }) =>
      failure(
        `${existing === folder ? folder : `${existing}, in which ${folder} would be,`} cannot be written (${code}).`,
        fix,
      ),
  );
}

/** Files made by another user would be unusable for the service: in a folder of another user nothing is tested. */
export async function foreignOwner(folder: string): Promise<Finding | undefined> {
  const { uid } = await stat(folder);
  const ownUid = process.getuid?.();
  if (uid === ownUid) return undefined;
  const message = `${folder} belongs to the user ${uid}, and this process runs as ${ownUid}: not tested.`;
  return warning(message, "Run this command and the service as the owner of the folder.");
}

async function probeFolder(environment: Environment): Promise<Finding> {
  const { DATA_DIR, STORAGE } = environment;
  if (STORAGE === "local") {
    await probeFiles(await diskFiles(DATA_DIR));
    return ok(`Files in ${resolve(DATA_DIR)} are written, read and deleted.`);
  }
  await (await localFiles(DATA_DIR)).checkWritable();
  return ok(`Unfinished files and copies in ${resolve(DATA_DIR)} can be written.`);
}

/** Stores a file, reads it back and removes it. Throws a one-line message. */
async function probeFiles(files: StorageFiles): Promise<void> {
  const key = `check-${crypto.randomUUID()}/probe.txt`;
  const text = "written by the doctor";
  await files.store(await files.receive(Readable.from([Buffer.from(text)]), text.length), key);
  try {
    const found = await new Response(await files.read({ key, sizeBytes: text.length }, 0, text.length)).text();
    if (found !== text) throw new Error("A stored file is not read back as it was written.");
  } finally {
    await files.remove([key]);
  }
  if ((await files.sha256Of(key)) !== undefined) throw new Error("A deleted file still exists.");
}

const lowFreeBytes = 2 * 2 ** 30;

async function spaceFindings(folder: string, environment: Environment): Promise<readonly Finding[]> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  const free = bavail * bsize;
  const fix = "Free some space, or lower EXPORT_CACHE_BYTES.";
  const message = `${sizeText(free)} are free on the disk of ${folder}.`;
  const wanted = Math.max(lowFreeBytes, 2 * environment.MAX_UPLOAD_BYTES);
  const space =
    free < environment.MAX_UPLOAD_BYTES
      ? failure(`${message.slice(0, -1)}: less than an upload of MAX_UPLOAD_BYTES.`, fix)
      : free < wanted
        ? warning(message, fix)
        : ok(message);
  // some file systems have no limit and report 0 files
  const isLow = files > 0 && ffree < files / 100;
  return isLow
    ? [space, warning(`The disk of ${folder} can hold only ${ffree} more files.`, "Remove files.")]
    : [space];
}
