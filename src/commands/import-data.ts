import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { eq } from "drizzle-orm";
import { type HeldLease, takeLease } from "../platform/leases.ts";
import { sweepLeaseName } from "../process/maintenance.ts";
import { secretBox } from "../security/secret-box.ts";
import { secretFingerprint } from "../security/secret-hashes.ts";
import { type ImportedCount, type ImportPlan, idChanger, importArchive } from "../storage/archive/import.ts";
import type { Manifest } from "../storage/archive/manifest.ts";
import { TruncatedArchive } from "../storage/archive/read.ts";
import { leaseStore } from "../storage/leases/store.ts";
import { users } from "../storage/tables/accounts.ts";
import { readOptions, runCommand, type ServiceData, say, withServiceData } from "./command.ts";

const usage = "import-data [<file>] [--as <id or email>] [--jwt-secret-file <file>] [--keep-existing]";

type Options = {
  readonly as?: string | undefined;
  readonly "jwt-secret-file"?: string | undefined;
  readonly "keep-existing"?: boolean | undefined;
};

const inputFrom = (path: string | undefined): ReadableStream<Uint8Array> => {
  const options = { highWaterMark: 2 ** 18 };
  const file = path ? createReadStream(path, options) : createReadStream("", { fd: 0, ...options });
  // safe because both types describe the same stream: Bun's type in node:stream only has more methods
  return Readable.toWeb(file) as unknown as ReadableStream<Uint8Array>;
};

async function importFrom(input: ReadableStream<Uint8Array>, data: ServiceData, options: Options): Promise<number> {
  const lease = await takeSweepLease(data);
  let latest: ImportedCount | undefined;
  try {
    let manifest: Manifest | undefined;
    const plan = async (found: Manifest) => {
      manifest = found;
      return await planFor(found, data, options);
    };
    const count = await importArchive(data, input, plan, (count) => {
      latest = { ...count };
    });
    say(`Imported ${summary(count)} into ${data.description}, ${data.storage}.`);
    reportChanges(count, manifest!, data, options); // safe because an archive without a manifest is rejected
    return 0;
  } catch (error) {
    if (latest) say(`Imported so far: ${summary(latest)}. Import the archive again to continue.`);
    if (error instanceof TruncatedArchive) throw new Error(`${error.message} What came before is imported.`);
    throw error;
  } finally {
    await lease.release();
  }
}

/** Prevents a running service from removing files as orphans before their rows exist. */
async function takeSweepLease({ db }: ServiceData): Promise<HeldLease> {
  const leases = leaseStore(db);
  const deadline = performance.now() + 30_000;
  for (;;) {
    const lease = await takeLease({ leases }, [sweepLeaseName]);
    if (lease) return lease;
    if (performance.now() > deadline)
      throw new Error("Another import is running, or the service removes files: try again.");
    await Bun.sleep(500);
  }
}

async function planFor(manifest: Manifest, data: ServiceData, options: Options): Promise<ImportPlan> {
  const reseal = await resealFor(manifest, data, options["jwt-secret-file"]);
  const changeIds = await changeIdsFor(manifest, data, options.as);
  return {
    keepsExisting: options["keep-existing"] ?? false,
    ...(reseal && { reseal }),
    ...(changeIds && { changeIds }),
  };
}

/** Undefined if the archive's secrets can stay unchanged, or no key was given to open them. */
async function resealFor({ secretFingerprint: expected }: Manifest, { jwtSecret }: ServiceData, path?: string) {
  if (path === undefined || expected === secretFingerprint(jwtSecret)) return undefined;
  const theirs = (await readFile(path, "utf8")).trim();
  if (secretFingerprint(theirs) !== expected) {
    throw new Error(`${path} does not hold the JWT_SECRET of the service that the archive is from.`);
  }
  const [old, own] = [secretBox(theirs), secretBox(jwtSecret)];
  // a secret that cannot be opened was unusable before, too
  return (sealed: string) => {
    const secret = old.open(sealed);
    return secret === undefined ? sealed : own.seal(secret);
  };
}

async function changeIdsFor({ scope }: Manifest, { db }: ServiceData, account?: string) {
  if (account !== undefined && scope.kind !== "project") {
    throw new Error("--as is for an archive of one project: this one holds accounts.");
  }
  if (scope.kind !== "project") return undefined;
  const find = async (column: typeof users.id | typeof users.email, value: string) =>
    (await db.select({ id: users.id }).from(users).where(eq(column, value)))[0]?.id;
  if (account === undefined) {
    if (await find(users.id, scope.user.id)) return undefined;
    throw new Error(
      `The project belongs to ${scope.user.email} (${scope.user.id}), who has no account here: name an account with --as.`,
    );
  }
  const userId = (await find(users.id, account)) ?? (await find(users.email, account.trim().toLowerCase()));
  if (!userId) throw new Error(`There is no user ${account}.`);
  return idChanger(scope.user.id, userId);
}

const summary = ({ added, equal, kept, filesAdded, filesFound }: ImportedCount): string =>
  `${added} rows and ${filesAdded} files (${equal + kept} rows and ${filesFound} files were there)`;

function reportChanges(count: ImportedCount, manifest: Manifest, { jwtSecret }: ServiceData, options: Options): void {
  if (count.kept > 0) say(`${count.kept} rows differ from those of the archive, and stay as they are.`);
  const isSameSecret = manifest.secretFingerprint === secretFingerprint(jwtSecret);
  if (isSameSecret) return;
  say("JWT_SECRET differs from that of the archive: links to generated media that were signed there do not work here.");
  if (count.sealedSecrets === 0 || options["jwt-secret-file"] !== undefined) return;
  say(
    `${count.sealedSecrets} webhook secrets are sealed with that JWT_SECRET: sending these webhooks again will fail as unsigned. Import again with --jwt-secret-file to seal them with the new one.`,
  );
}

/** Imports an archive of export-data; see docs/backups.md. */
await runCommand(async () => {
  const { values, positionals } = readOptions(usage, {
    allowPositionals: true,
    options: {
      as: { type: "string" },
      "jwt-secret-file": { type: "string" },
      "keep-existing": { type: "boolean" },
    },
  });
  const [path, ...others] = positionals;
  if (others.length > 0) throw new Error(`Usage: ${usage}`);
  if (!path && process.stdin.isTTY) throw new Error("Name an archive, or send one to the standard input.");
  return await withServiceData("migrate", (data) => importFrom(inputFrom(path), data, values));
});
