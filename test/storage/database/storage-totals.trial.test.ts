import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { freshDatabase } from "../../support/database.ts";
import { keptTotals, storageHistory } from "./storage-history.ts";

const { db, close } = await freshDatabase();
afterAll(close);
const { names, run } = await storageHistory(db);
const [at, size] = [fc.nat(30), fc.nat(30)];

const choices = fc.array(fc.record({ operation: fc.constantFrom(...names), at, size }), {
  minLength: 80,
  maxLength: 80,
});

test("whatever happens to the rows of two users, the kept totals are the sums", async () => {
  await fc.assert(fc.asyncProperty(choices, run), { numRuns: 6, endOnFailure: true });
  expect(await keptTotals(db)).toEqual([0, 0]);
});
