import { users } from "../../../src/storage/tables/accounts.ts";
import { archiveOf, smallBatches } from "../../support/archives.ts";
import { type TestService, testService } from "../../support/service.ts";
import { fullAccount } from "./full-account.ts";

async function archive() {
  const source = await testService({ STORAGE: "local" });
  const ann = await source.register("Ann");
  const account = await fullAccount(source, ann);
  const { bytes, count, problems } = await archiveOf(source);
  const inBatches = (await archiveOf(source, { kind: "all" }, smallBatches)).bytes;
  const user = { id: ann.user.id, email: ann.user.email };
  return { source, ann, user, account, archive: bytes, inBatches, count, problems };
}

let archived: ReturnType<typeof archive> | undefined;

/** One account and its archive for all files of a process: nobody changes them. The service is never closed. */
export const archivedAccount = () => {
  archived ??= archive();
  return archived;
};

/** Removes all accounts with their files. */
export async function clear({ db, files }: TestService): Promise<void> {
  await db.delete(users);
  await files.remove(await files.keysWrittenBefore(Number.POSITIVE_INFINITY));
}

export const messageOf = (result: Promise<unknown>): Promise<string> =>
  result.then(
    () => "no error",
    (error: Error) => error.message,
  );
