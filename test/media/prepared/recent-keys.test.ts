import { expect, test } from "bun:test";
import { recentKeys } from "../../../src/media/prepared/recent-keys.ts";

test("a key counts for its time, and the oldest make room", () => {
  let time = 0;
  const keys = recentKeys({ max: 2, milliseconds: 100, now: () => time });
  keys.add("a");
  time = 99;
  keys.add("b");
  expect(["a", "b", "c"].map(keys.has)).toEqual([true, true, false]);
  time = 100;
  expect(["a", "b"].map(keys.has)).toEqual([false, true]);
  keys.add("c");
  keys.add("d");
  expect(["b", "c", "d"].map(keys.has)).toEqual([false, true, true]);
});
