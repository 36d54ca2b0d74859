import { expect, test } from "bun:test";
import { requireRevision, requireSameIds, withChanges } from "../../../src/domain/shared/versioned.ts";
import { DomainError } from "../../../src/errors.ts";

test("removes ids that equal those of the path", () => {
  expect(requireSameIds({ id: "a", name: "new" }, { id: "a", userId: "u" })).toEqual({ name: "new" });
});

test.each([{ id: "b" }, { id: "a", userId: null }, { userId: 7 }])("rejects ids that differ: %j", (body) => {
  expect(() => requireSameIds(body, { id: "a", userId: "u" })).toThrow(DomainError);
});

test("a change sets only its own fields; null clears a field or restores its default", () => {
  const found: { a: string; b: string; c?: string; d?: string } = { a: "1", b: "2", c: "3" };
  expect(withChanges(found, { b: null, c: null, d: "4" }, { b: "default" })).toEqual({ a: "1", b: "default", d: "4" });
  expect(withChanges(found, { a: undefined })).toEqual(found);
});

test("a change passes if it expects the stored revision, any revision, or none", () => {
  for (const expected of [undefined, "any", [1, 2]] as const) requireRevision({ revision: 2 }, expected);
  for (const expected of [[], [1, 3]] as const) expect(() => requireRevision({ revision: 2 }, expected)).toThrow();
});
