import { afterAll, expect, test } from "bun:test";
import { isNotNull } from "drizzle-orm";
import { finishRemovals } from "../../../src/domain/removals/removal.ts";
import { TruncatedArchive } from "../../../src/storage/archive/read.ts";
import { spendTotals, upstreamCalls } from "../../../src/storage/tables/ledger.ts";
import { projects } from "../../../src/storage/tables/projects.ts";
import { archiveOf, filesOf, importInto, rowsOf } from "../../support/archives.ts";
import { testService } from "../../support/service.ts";
import { archivedAccount, clear, messageOf } from "./archived-account.ts";

const { source, ann, user, account, inBatches: archive } = await archivedAccount();
const target = await testService();
afterAll(() => target.close());

/** Positions that are random, but the same in each run. */
const positions = (count: number, below: number) =>
  Array.from({ length: count }, (_, index) => Number(Bun.hash.xxHash32(`${index}`)) % below);

test("an import that is cut off anywhere leaves no row without its file, and continues", async () => {
  await clear(target);
  const cuts = [0, 100, ...positions(8, archive.length), archive.length - 1024].sort((a, b) => a - b);
  for (const cut of cuts) {
    expect(await importInto(target, archive.slice(0, cut)).catch((error) => error)).toBeInstanceOf(TruncatedArchive);
    expect(Object.values(await filesOf(target))).not.toContain(undefined);
  }
  await importInto(target, archive);
  expect(await rowsOf(target)).toEqual(await rowsOf(source));
  expect(await filesOf(target)).toEqual(await filesOf(source));

  const again = await importInto(target, archive);
  expect([again.added, again.filesAdded]).toEqual([0, 0]);
});

test("no flipped byte, wherever it is, changes what is imported", async () => {
  await clear(target);
  await importInto(target, archive);
  // the calls of a project outlive it, without its name
  await target.db.delete(upstreamCalls).where(isNotNull(upstreamCalls.projectId));
  await target.db.delete(projects);
  let refused = 0;
  const there = await rowsOf(source);
  for (const position of positions(30, archive.length)) {
    const damaged = archive.slice();
    damaged[position]! ^= 1 << (position % 8);
    refused += (await messageOf(importInto(target, damaged))) === "no error" ? 0 : 1;
    for (const [table, rows] of Object.entries(await rowsOf(target)))
      expect(there[table]).toEqual(expect.arrayContaining([...rows]));
  }
  // the rest was in the padding between entries, or in fields of headers that nothing reads
  expect(refused).toBeGreaterThan(10);
});

const byKey = (one: object, other: object) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

test("a removed project is imported into its account again, with what it has spent", async () => {
  await clear(target);
  await importInto(target, archive);
  const { projectId } = account;
  const scope = { kind: "project", project: { id: projectId, name: "Launch" }, user } as const;
  const { bytes } = await archiveOf(source, scope);
  const sums = async () => (await target.db.select().from(spendTotals)).toSorted(byKey);
  const rowsBefore = await rowsOf(target);
  const sumsBefore = await sums();
  await target.services.projects.remove(ann.user.id, projectId, () => {});
  await finishRemovals(target.services);
  expect(await target.db.$count(upstreamCalls, isNotNull(upstreamCalls.projectId))).toBe(0);
  expect(await sums()).not.toEqual(sumsBefore);

  await importInto(target, bytes);
  const again = await rowsOf(target);
  expect(again).toEqual({ ...rowsBefore, projects: again.projects! });
  expect(await sums()).toEqual(sumsBefore);
  expect((await importInto(target, bytes)).added).toBe(0);
  expect(await sums()).toEqual(sumsBefore);
});
