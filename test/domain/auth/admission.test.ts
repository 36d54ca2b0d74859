import { expect, test } from "bun:test";
import { admission, recentNames } from "../../../src/domain/auth/admission.ts";

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

test("the oldest of the recent names is forgotten", () => {
  const names = recentNames(2);
  for (const name of ["ann", "bob", "ann", "cid"]) names.add(name);

  expect(["ann", "bob", "cid"].filter(names.has)).toEqual(["ann", "cid"]);
});
