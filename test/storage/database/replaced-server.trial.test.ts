import { afterAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { DomainError } from "../../../src/errors.ts";
import { userStore } from "../../../src/storage/accounts/users.ts";
import { type Database, openDatabase } from "../../../src/storage/database/database.ts";
import { withDatabaseTimeout } from "../../../src/storage/database/errors.ts";
import { preparedServerDatabase, serverUrl } from "../../support/database.ts";
import { freezableProxy } from "../freezable-proxy.ts";
import { aUser, codeOf } from "../samples.ts";

const timings = { connectMs: 5_000, queryMs: 3_000, probeEveryMs: 20, probeMs: 500 };

const database = serverUrl ? await preparedServerDatabase(serverUrl) : undefined;
const openedByTests: (() => unknown)[] = [];
afterAll(async () => {
  await Promise.all(openedByTests.map((close) => close()));
  await database?.drop();
});

/** A database behind a proxy, and the same database without the proxy. */
async function throughProxy(changes: Partial<typeof timings> = {}) {
  const { databaseUrl } = database!; // safe because no test runs without a server
  const proxy = await freezableProxy(databaseUrl);
  const location = { databaseUrl: proxy.databaseUrl, dataDir: "unused" };
  const handle = await openDatabase({ ...location, timings: { ...timings, ...changes } });
  const direct = await openDatabase({ databaseUrl, dataDir: "unused" });
  openedByTests.push(proxy.close, direct.close, handle.close);
  const { query } = withDatabaseTimeout({
    query: async () => void (await handle.db.execute(sql`select pg_sleep(0.02)`)),
  });
  return { proxy, handle, direct, query };
}

const succeeded = Array.from({ length: 10 }, () => "resolved");
/** Ten calls at once open all connections of the pool. */
const tenAtOnce = (call: () => Promise<unknown>) => Promise.all(succeeded.map(() => codeOf(call())));

test.if(!!serverUrl)("a server replaced behind silent connections costs at most one query", async () => {
  const { proxy, query } = await throughProxy();
  expect(await tenAtOnce(query)).toEqual(succeeded);

  proxy.freezeOpen();
  expect(["unavailable", "resolved"]).toContain(String(await codeOf(query())));
  expect(await tenAtOnce(query)).toEqual(succeeded);
});

test.if(!!serverUrl)("after a silence of the whole server, new connections work at once", async () => {
  const { proxy, query } = await throughProxy();
  await query();

  proxy.freeze();
  expect(new Set(await tenAtOnce(query))).toEqual(new Set<unknown>(["unavailable"]));
  proxy.freezeOpen();
  expect(await tenAtOnce(query)).toEqual(succeeded);
});

test.if(!!serverUrl).each(["resetOpen", "endOpen", "freezeOpen"] as const)(
  "a transaction whose connection is lost (%s) ends alone, and its connection is not used again",
  async (lose) => {
    const { proxy, handle } = await throughProxy();
    const users = userStore(handle.db);
    const [lost, kept] = [aUser(), aUser()];
    const transaction = withDatabaseTimeout({
      run: () =>
        handle.db.transaction(async (inner) => {
          await userStore(inner).add(lost);
          proxy[lose]();
          await userStore(inner).add(aUser());
        }),
    });
    expect(await codeOf(transaction.run())).toBe("unavailable");

    await handle.db.transaction(async (inner) => userStore(inner).add(kept));
    expect(await tenAtOnce(handle.ping)).toEqual(succeeded);
    expect([await users.find(lost.id), (await users.find(kept.id))?.email]).toEqual([undefined, kept.email]);
  },
);

test.if(!!serverUrl).each(["resetOpen", "endOpen", "freezeOpen"] as const)(
  "notifications arrive again after their connection is lost (%s)",
  async (lose) => {
    const { proxy, handle, direct } = await throughProxy();
    const received = new Set<string>();
    await handle.listen("news", (message) => received.add(message));
    const notify = (message: string) => direct.db.execute(sql`select pg_notify('news', ${message})`);
    const untilReceived = async (message: string) => {
      while (!received.has(message)) await notify(message);
    };
    await untilReceived("before");

    proxy[lose]();
    await untilReceived("after");
  },
);

test.if(!!serverUrl)("a connection is used again after its transaction was refused by the domain", async () => {
  const { handle } = await throughProxy({ probeEveryMs: 60_000 });
  const backend = async (db: Database) => {
    const [row] = await db.select({ pid: sql<number>`pg_backend_pid()` }).from(sql`(select 1) as one`);
    return row!.pid;
  };
  let used: number | undefined;
  const refused = handle.db.transaction(async (inner) => {
    used = await backend(inner);
    throw new DomainError("not_found", {});
  });
  expect(await codeOf(refused)).toBe("not_found");
  expect(await backend(handle.db)).toBe(used!);
});
