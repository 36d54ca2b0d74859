import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import type { Writable } from "node:stream";
import { secretFingerprint } from "../security/secret-hashes.ts";
import { formatName, formatVersion, type Manifest, type Scope } from "../storage/archive/manifest.ts";
import { findScope } from "../storage/archive/snapshot.ts";
import { type ExportedCount, writeArchive } from "../storage/archive/write.ts";
import { migrationState } from "../storage/database/migrate.ts";
import { readOptions, runCommand, type ServiceData, say, sizeText, withServiceData } from "./command.ts";

const usage = "export-data [--project <id> | --user <id or email>] [-o <file>]";

/** Returns the exit code: 1 if the archive is complete except for rows whose files are lost. */
async function exportTo(path: string | undefined, data: ServiceData, scope: Scope): Promise<number> {
  let problems = 0;
  const report = (problem: string) => {
    problems += 1;
    say(`Left out: ${problem}.`);
  };
  const partial = `${path}.partial`;
  const manifest = await manifestOf(data, scope);
  const count = await writeArchive(data, manifest, outputTo(path && partial), report);
  // renamed at the end, so that an interrupted export never looks complete
  if (path) await rename(partial, path);
  say(summary(count, data));
  if (problems > 0) say(`${problems} files are missing or damaged: all but those is in the archive.`);
  return problems > 0 ? 1 : 0;
}

const outputTo = (path: string | undefined): Writable =>
  path ? createWriteStream(path, { mode: 0o600 }) : process.stdout;

const manifestOf = async ({ db, jwtSecret }: ServiceData, scope: Scope): Promise<Manifest> => ({
  format: formatName,
  version: formatVersion,
  createdAt: Date.now(),
  scope,
  schema: (await migrationState(db)).tags.at(-1) ?? "",
  secretFingerprint: secretFingerprint(jwtSecret),
});

const summary = ({ rows, files, fileBytes }: ExportedCount, { description, storage }: ServiceData): string =>
  `Exported ${rows} rows and ${files} files (${sizeText(fileBytes)}) from ${description}, ${storage}.`;

/** Writes an archive of everything, of a user or of a project; see docs/backups.md. */
await runCommand(async () => {
  const { values } = readOptions(usage, {
    options: { project: { type: "string" }, user: { type: "string" }, output: { type: "string", short: "o" } },
  });
  if (values.project !== undefined && values.user !== undefined) throw new Error(`Usage: ${usage}`);
  if (!values.output && process.stdout.isTTY) throw new Error("Name a file with -o, or send the output to one.");
  return await withServiceData("reject", async (data) => {
    const scope = await findScope(data.db, values);
    if (!scope) throw new Error(`There is no ${values.project ? `project ${values.project}` : `user ${values.user}`}.`);
    return await exportTo(values.output, data, scope);
  });
});
