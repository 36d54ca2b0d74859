import { type ParseArgsConfig, parseArgs } from "node:util";
import { type Environment, readEnvironment } from "../env.ts";
import { jwtSecretOf, openStorage } from "../process/resources.ts";
import { type DatabaseHandle, openDatabase } from "../storage/database/database.ts";
import type { StorageFiles } from "../storage/files/local-files.ts";

/** Prints a line for the operator. Standard output is for data. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Runs a command and exits: with its code, or with 1 after one line about its failure. */
export async function runCommand(command: () => Promise<number>): Promise<never> {
  // also for files of the database, whose modes we cannot choose
  process.umask(0o077);
  try {
    process.exit(await command());
  } catch (error) {
    const [sentence = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    say(sentence);
    process.exit(1);
  }
}

/** Parses the options of a command line. Throws a one-line message with the usage. */
export function readOptions<Config extends ParseArgsConfig>(usage: string, config: Config) {
  try {
    return parseArgs({ strict: true, ...config });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(/\.?(?:\s|$)To specify|\n/)[0] : "";
    throw new Error(`${reason}. Usage: ${usage}`, { cause: error });
  }
}

export type ServiceData = Pick<DatabaseHandle, "db" | "description"> & {
  readonly env: Environment;
  readonly files: StorageFiles;
  /** The location of stored files, for people. */
  readonly storage: string;
  readonly jwtSecret: string;
};

/** Opens the resources of the settings. Rejects while a service uses the embedded database. */
export async function withServiceData<Result>(
  ifPending: "migrate" | "reject",
  use: (data: ServiceData) => Promise<Result>,
): Promise<Result> {
  const env = readEnvironment();
  const database = await openDatabase({ databaseUrl: env.DATABASE_URL, dataDir: env.DATA_DIR, ifPending });
  try {
    const { files, storage } = await openStorage(env);
    const { db, description } = database;
    return await use({ env, db, description, files, storage, jwtSecret: await jwtSecretOf(env) });
  } finally {
    await database.close();
  }
}

export const sizeText = (bytes: number): string =>
  bytes < 1e6
    ? `${Math.ceil(bytes / 1e3)} kB`
    : bytes < 1e9
      ? `${(bytes / 1e6).toFixed(1)} MB`
      : `${(bytes / 1e9).toFixed(2)} GB`;
