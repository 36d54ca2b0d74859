import { expect, test } from "bun:test";
import { z } from "zod";
import { optional } from "../../../src/domain/shared/schemas.ts";
import { Name, PageQuery, textUpTo } from "../../../src/http/schemas/common.ts";
import { mapOf, openObject } from "../../../src/http/schemas/objects.ts";

const Point = openObject({ x: z.number(), label: optional(z.string()) });

test("an open object keeps every unknown key and drops known keys that are null", () => {
  const given = '{"x":1,"label":null,"extra":null,"__proto__":{"a":1},"constructor":2,"10":3}';
  expect(JSON.stringify(Point.parse(JSON.parse(given)))).toBe(
    '{"10":3,"extra":null,"__proto__":{"a":1},"constructor":2,"x":1}',
  );
});

test("a map keeps every key and validates every value", () => {
  const Points = mapOf(Point, 3);
  const given = '{"__proto__":{"x":1},"constructor":{"x":2},"10":{"x":3}}';
  expect(Object.keys(Points.parse(JSON.parse(given))).toSorted()).toEqual(["10", "__proto__", "constructor"]);
  const rejected = z.object({ points: Points }).safeParse({ points: JSON.parse('{"__proto__":{"x":"no"}}') });
  expect(rejected.error?.issues[0]?.path).toEqual(["points", "__proto__", "x"]);
  expect(Points.safeParse({ a: { x: 1 }, b: { x: 1 }, c: { x: 1 }, d: { x: 1 } }).success).toBe(false);
});

test.each([[null], [[]], ["text"], [5]])("%j is neither an open object nor a map", (value) => {
  expect(openObject({}).safeParse(value).success).toBe(false);
  expect(mapOf(z.string(), 9).safeParse(value).success).toBe(false);
});

test("open objects and maps are described in the API document", () => {
  expect(z.toJSONSchema(z.object({ map: mapOf(Point, 3) }), { io: "input" })).toMatchObject({
    properties: { map: { type: "object", additionalProperties: { required: ["x"], properties: { x: {} } } } },
  });
});

test("lengths are counted in code points", () => {
  expect(textUpTo(2).safeParse("😀😀").success).toBe(true);
  expect(textUpTo(2).safeParse("😀😀😀").success).toBe(false);
});

test("a name is trimmed and not empty", () => {
  expect(Name.parse("  Launch film\n")).toBe("Launch film");
  expect(Name.safeParse(" \u00a0 ").success).toBe(false);
});

test("a list without a limit has 1000 rows", () => {
  expect(PageQuery.parse({ other: "ignored" })).toEqual({ limit: 1000 });
});

test.each(["0", "1001", "-1", "1.5", "ten", "", "1e2", " 5"])("limit=%s is rejected", (limit) => {
  expect(PageQuery.safeParse({ limit }).success).toBe(false);
});
