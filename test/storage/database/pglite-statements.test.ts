import { beforeAll, expect, test } from "bun:test";
import { withStatements } from "../../../src/storage/database/pglite-statements.ts";
import { embeddedClient } from "../../support/database.ts";

let calls = 0;
/** Counts the calls into the database. */
const client = new Proxy(await embeddedClient(), {
  get(pooled, property) {
    if (property === "execProtocolStream") calls += 1;
    return Reflect.get(pooled, property);
  },
});
const database = withStatements(client);
const columns = "id int primary key, note text, big bigint, data json, tags text[], at timestamptz, flag boolean";

beforeAll(async () => {
  await client.exec(`CREATE TABLE things (${columns})`);
});

/** The results of the first query, which is not prepared, and of two that are. */
const thrice = async (...query: Parameters<typeof client.query>) => [
  await database.query(...query),
  await database.query(...query),
  await database.query(...query),
];

const codeOf = (query: Promise<unknown>) =>
  query.then(
    () => "resolved",
    (error) => error.code,
  );

test.each(["array", "object"] as const)(
  "a prepared query has the rows of an unprepared one, as %ss",
  async (rowMode) => {
    const values = [{ a: [1] }, ["x", "y,z"], new Date(0), true, "text", 2n ** 60n, null];
    const casts = ["json", "text[]", "timestamptz", "boolean", "text", "bigint", "int"];
    const text = `SELECT ${casts.map((type, index) => `$${index + 1}::${type} AS c${index}`)}`;
    const parsers = { 1184: (at: string) => `at ${at}` };

    const [plain, ...prepared] = await thrice(text, values, { rowMode, parsers });

    expect(plain?.rows).toHaveLength(1);
    expect(prepared).toEqual([plain!, plain!]);
  },
);

test("a prepared change returns its rows and their number", async () => {
  const insert = "INSERT INTO things (id, note) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET note = excluded.note";
  const [plain, ...prepared] = await thrice(`${insert} RETURNING note`, [1, "a"]);

  expect(plain).toMatchObject({ rows: [{ note: "a" }], affectedRows: 1 });
  expect(prepared).toEqual([plain!, plain!]);
});

test("a prepared query that fails throws the error of the database, and the next one works", async () => {
  const insert = (id: number) => database.query("INSERT INTO things (id) VALUES ($1)", [id]);
  await insert(10);
  await insert(11);

  expect(await codeOf(insert(11))).toBe("23505");
  expect(await codeOf(insert(12))).toBe("resolved");
  const broken = () => codeOf(database.query("SELECT * FROM nowhere"));
  expect([await broken(), await broken(), await broken()]).toEqual(["42P01", "42P01", "42P01"]);
});

test("a transaction that fails takes back what prepared queries did in it", async () => {
  const insert = "INSERT INTO things (id, note) VALUES ($1, 'rolled back') RETURNING id";
  const work = database.transaction(async (transaction) => {
    for (const id of [20, 21, 22]) expect((await transaction.query(insert, [id])).rows).toEqual([{ id }]);
    throw new Error("undo");
  });

  await expect(work).rejects.toThrow("undo");
  expect((await database.query("SELECT * FROM things WHERE note = 'rolled back'")).rows).toEqual([]);
});

test("a query waits for the end of a transaction", async () => {
  const count = async () => (await database.query("SELECT count(*)::int AS count FROM things")).rows[0];
  await count();
  const before = (await count()) as { count: number };
  const started = Promise.withResolvers<void>();
  const work = database.transaction(async (transaction) => {
    await transaction.query("INSERT INTO things (id) VALUES (30)");
    started.resolve();
    await transaction.query("INSERT INTO things (id) VALUES (31)");
  });
  await started.promise;

  expect(await count()).toEqual({ count: before.count + 2 });
  await work;
});

test("a prepared query sees changes of its table", async () => {
  const text = "SELECT note FROM altered";
  await client.exec("CREATE TABLE altered (note text); INSERT INTO altered VALUES ('1')");
  await thrice(text);
  await client.exec("ALTER TABLE altered RENAME TO away");
  expect(await codeOf(database.query(text))).toBe("42P01");
  await client.exec("ALTER TABLE away RENAME TO altered; ALTER TABLE altered ADD COLUMN more text");

  expect((await database.query(text)).rows).toEqual([{ note: "1" }]);
});

test("a new text takes two calls into the database, and a prepared one takes one", async () => {
  const callsOf = async (text: string) => {
    calls = 0;
    await database.query(text, [1]);
    return calls;
  };
  const texts = ["SELECT $1::int", "SELECT $1::int", "SELECT $1::int", `SELECT $1::int ${" ".repeat(5_000)}`];
  const counts: number[] = [];
  for (const text of texts) counts.push(await callsOf(text));

  expect(counts).toEqual([2, 2, 1, 2]);
});

test("a hundred texts stay prepared, and others work too", async () => {
  const preparedNow = async () => {
    const { rows } = await client.query<{ count: number }>("SELECT count(*)::int FROM pg_prepared_statements");
    return rows[0]!.count;
  };
  for (let value = 0; value < 150; value++) {
    for (const { rows } of await thrice(`SELECT ${value} AS value`)) expect(rows).toEqual([{ value }]);
  }
  expect(await preparedNow()).toBe(100);

  const long = `SELECT 1 AS one ${" ".repeat(5_000)}`;
  for (const { rows } of await thrice(long)) expect(rows).toEqual([{ one: 1 }]);
  expect(await preparedNow()).toBe(100);
});

test("notifications arrive during prepared queries", async () => {
  const { promise: heard, resolve } = Promise.withResolvers<string>();
  await client.listen("news", resolve);
  const notify = () => database.query("SELECT pg_notify('news', $1)", ["hello"]);
  await notify();
  await notify();

  expect(await heard).toBe("hello");
});

// the last one: it closes the database of all
test("after the database is closed, queries fail", async () => {
  for (let calls = 0; calls < 2; calls++) await database.query("SELECT 1");
  // for the next user of the database
  await client.exec("DROP TABLE things; DROP TABLE altered");
  await client.close();

  await expect(database.query("SELECT 1")).rejects.toThrow("closed");
});
