import { expect, test } from "bun:test";
import type { HashKind } from "../../src/domain/accounts/secrets.ts";
import { hashQueue } from "../../src/security/argon-passwords.ts";

/** A queue for one hash at a time, and the names of the jobs in the order of their hashes. */
function recordedQueue() {
  const inQueue = hashQueue(1);
  const hashed: string[] = [];
  const add = (name: string, kind: HashKind, address: string, onTurn = async () => {}) =>
    inQueue({ kind, address, onTurn }, async () => {
      hashed.push(name);
    });
  return { add, hashed };
}

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index}`);

test("a login is hashed after one of many registrations that wait", async () => {
  const { add, hashed } = recordedQueue();

  const flood = numbered("registration", 50).map((name) => add(name, "registration", "flood"));
  await Promise.all([add("login", "login", "flood"), add("known", "known login", "flood"), ...flood]);

  expect(hashed.indexOf("login")).toBeLessThan(4);
  expect(hashed.indexOf("known")).toBeLessThan(4);
  expect(hashed).toHaveLength(52);
});

test.each(["known login", "login", "registration"] as const)("addresses take turns: %s", async (kind) => {
  const { add, hashed } = recordedQueue();

  const flood = numbered("flood", 50).map((name) => add(name, kind, "flood"));
  await Promise.all([...flood, add("other", kind, "other")]);

  expect(hashed.indexOf("other")).toBeLessThan(4);
});

test("a flood of known logins does not keep new ones and registrations waiting", async () => {
  const { add, hashed } = recordedQueue();

  const flood = numbered("known", 50).map((name) => add(name, "known login", "flood"));
  await Promise.all([...flood, add("login", "login", "other"), add("registration", "registration", "other")]);

  expect(hashed.indexOf("login")).toBeLessThan(5);
  expect(hashed.indexOf("registration")).toBeLessThan(5);
});

test("an address whose queue is full is busy, others are not", async () => {
  const { add, hashed } = recordedQueue();
  const flood = numbered("flood", 200).map((name) => add(name, "login", "flood"));
  const other = add("other", "login", "other");

  const outcomes = await Promise.allSettled(flood);

  const refused = outcomes.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(99);
  expect(refused[0]).toMatchObject({ reason: { code: "busy", facts: { retryAfterSeconds: 1 } } });
  await other;
  expect(hashed).toContain("other");
});

test("a job that is refused on its turn is not hashed and frees its turn", async () => {
  const { add, hashed } = recordedQueue();
  const refusal = new Error("refused");

  const refused = add("refused", "login", "one", () => Promise.reject(refusal));
  const next = add("next", "login", "one");

  await expect(refused).rejects.toBe(refusal);
  await next;
  expect(hashed).toEqual(["next"]);
});
