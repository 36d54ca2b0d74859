import { expect, test } from "bun:test";
import { admission } from "../../../src/domain/accounts/login-throttle.ts";

test("an owner has two checks at a time, others have their own", async () => {
  const admit = admission();
  const { promise, resolve } = Promise.withResolvers<void>();
  const checked: string[] = [];
  const check = (owner: string) => () => {
    checked.push(owner);
    return promise;
  };

  const all = ["ann", "ann", "ann", "bob"].map((owner) => admit(owner, check(owner), async () => owner));
  expect(checked).toEqual(["ann", "ann", "bob"]);

  resolve();
  expect(await Promise.all(all)).toEqual(["ann", "ann", "ann", "bob"]);
  expect(checked).toHaveLength(4);
});

test("a place is free again after the attempt, also after one that failed", async () => {
  const admit = admission();
  const fail = () =>
    admit(
      "ann",
      () => Promise.reject(new Error("refused")),
      async () => {},
    );

  for (let attempt = 0; attempt < 101; attempt++) await expect(fail()).rejects.toThrow("refused");
});
