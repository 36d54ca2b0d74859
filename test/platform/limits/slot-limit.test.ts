import { expect, test } from "bun:test";
import { slotLimit } from "../../../src/platform/limits/slot-limit.ts";

const limit = () => slotLimit({ perOwner: 2, total: 3, retryAfterSeconds: 10 });

test("an owner with all places gets rate_limited, until one is freed", () => {
  const take = limit();
  const [free] = [take("ann"), take("ann")];
  expect(() => take("ann")).toThrow(
    expect.objectContaining({ code: "rate_limited", facts: { retryAfterSeconds: 10 } }),
  );
  take("bob");
  free();
  take("ann");
});

test("a full process answers busy, until a place is freed", () => {
  const take = limit();
  const [free] = [take("ann"), take("ann"), take("bob")];
  expect(() => take("cleo")).toThrow(expect.objectContaining({ code: "busy", facts: { retryAfterSeconds: 10 } }));
  free();
  take("cleo");
});

test("the oldest holder that gives way ends for a new one, first of the same owner", () => {
  const take = limit();
  const ended: string[] = [];
  const open = (owner: string, name: string) => take(owner, () => ended.push(name));
  open("ann", "ann 1");
  const free = open("ann", "ann 2");
  open("ann", "ann 3");
  open("bob", "bob 1");
  open("cleo", "cleo 1");
  expect(ended).toEqual(["ann 1", "ann 2"]);
  free();
  expect(() => take("dora")).not.toThrow();
  expect(ended).toEqual(["ann 1", "ann 2", "ann 3"]);
});

test("a place is freed once, however often its owner frees it", () => {
  const take = limit();
  const [free] = [take("ann"), take("ann")];
  free();
  free();
  take("ann");
  expect(() => take("ann")).toThrow(expect.objectContaining({ code: "rate_limited" }));
});
