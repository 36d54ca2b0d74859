import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databaseTemplate, serverDatabaseTemplate, serverUrl } from "./support/database.ts";

// before the tests, so that their processes do not each create them
await databaseTemplate();
if (serverUrl) await serverDatabaseTemplate(serverUrl);

// data folders of processes that have ended
for (const name of await readdir(tmpdir())) {
  const [, pid] = /^reelwright-test-(\d+)-/.exec(name) ?? [];
  if (pid && !existsSync(`/proc/${pid}`)) await rm(join(tmpdir(), name), { recursive: true, force: true });
}
