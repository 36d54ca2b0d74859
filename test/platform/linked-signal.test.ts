import { expect, test } from "bun:test";
import { linkSignal } from "../../src/platform/async.ts";

test("a linked signal aborts with its source and for its reason", () => {
  const source = new AbortController();
  const { signal } = linkSignal(source.signal);
  expect(signal.aborted).toBe(false);
  source.abort("stop");
  expect([signal.reason, linkSignal(source.signal).signal.reason]).toEqual(["stop", "stop"]);
});

test("a released signal is not kept: its source knows it no longer", () => {
  const source = new AbortController();
  const { signal, release } = linkSignal(source.signal);
  release();
  source.abort();
  expect(signal.aborted).toBe(false);
});
