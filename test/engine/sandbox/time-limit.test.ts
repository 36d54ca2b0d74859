import { afterEach, expect, test } from "bun:test";
import { endOf, endStarted, spin, start } from "./watched-processes.ts";

afterEach(endStarted);

test("a process that works is out of time by what it has used", async () => {
  expect(await endOf(start("bash", "-c", spin), 100, 600_000)).toBe(false);
});

test("a process that sleeps is out of time by the clock", async () => {
  expect(await endOf(start("sleep", "1000"), 10, 1_000)).toBe(false);
});
