import { expect, test } from "bun:test";
import { recentValues } from "../../src/security/jwt-access-tokens.ts";

test("the values that were used last are kept", () => {
  const values = recentValues<string, number>(2);
  values.set("a", 1);
  values.set("b", 2);
  values.get("a");
  values.set("c", 3);

  expect(["a", "b", "c"].map((key) => values.get(key))).toEqual([1, undefined, 3]);
});
