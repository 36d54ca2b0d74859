import { expect, setSystemTime, test } from "bun:test";
import { parseRetryAfter } from "../../src/platform/async.ts";

test.each([
  ["120", 120],
  [" 7 ", 7],
  ["0", 0],
  ["-5", 0],
  ["Fri, 20 Nov 2026 12:01:30 GMT", 90],
  ["Fri, 20 Nov 2026 11:00:00 GMT", 0],
  ["soon", undefined],
  ["Infinity", undefined],
  ["", undefined],
  [undefined, undefined],
])("Retry-After %p means %p seconds", (header, seconds) => {
  setSystemTime(new Date("2026-11-20T12:00:00Z"));
  try {
    expect(parseRetryAfter(header)).toBe(seconds);
  } finally {
    setSystemTime();
  }
});
