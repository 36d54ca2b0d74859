import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { changeFeed } from "../../../src/storage/changes/feed.ts";
import { openDatabase } from "../../../src/storage/database/database.ts";
import type { Listen } from "../../../src/storage/database/listener.ts";
import { preparedServerDatabase, serverUrl } from "../../support/database.ts";

/** The changes of an export that a subscriber receives; the first yield, which says nothing, is taken already. */
async function changesOf(listen: Listen, exportId: string, filter: "all" | "status" = "all") {
  const stopped = new AbortController();
  const changes = changeFeed(listen).subscribe(exportId, stopped.signal, filter)[Symbol.asyncIterator]();
  await changes.next();
  return { next: () => changes.next(), stop: () => stopped.abort() };
}

test("after an interruption, every subscriber reads anew", async () => {
  let resume: () => void = () => {};
  const listen: Listen = async (_channel, _onMessage, onResumed = () => {}) => {
    resume = onResumed;
  };
  const changes = await Promise.all([changesOf(listen, "exp_1"), changesOf(listen, "exp_2", "status")]);
  // the feed of the second subscriber is the one that `resume` belongs to
  const next = changes[1]!.next();
  resume();
  expect(await next).toEqual({ done: false, value: undefined });
  for (const { stop } of changes) stop();
});

test.if(!!serverUrl)("notifications arrive again after the server has ended the connections", async () => {
  const { databaseUrl, name, drop } = await preparedServerDatabase(serverUrl!);
  const timings = { connectMs: 5_000, queryMs: 3_000, probeEveryMs: 60_000, probeMs: 500 };
  const [database, other] = await Promise.all([
    openDatabase({ databaseUrl, dataDir: "unused", timings }),
    openDatabase({ databaseUrl, dataDir: "unused" }),
  ]);
  const resumed = Promise.withResolvers<void>();
  const received: string[] = [];
  const heard = Promise.withResolvers<void>();
  const onMessage = (message: string) => {
    received.push(message);
    heard.resolve();
  };
  await database.listen("news", onMessage, resumed.resolve);

  await other.db.execute(sql`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name} and pid <> pg_backend_pid()`);
  await resumed.promise;
  await other.db.execute(sql`select pg_notify('news', 'after')`);
  await heard.promise;

  expect(received).toEqual(["after"]);
  await Promise.all([database.close(), other.close()]);
  await drop();
});
