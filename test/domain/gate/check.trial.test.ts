import { expect, test } from "bun:test";
import { hasPhrase } from "../../../src/domain/gate/phrases.ts";

test("four times the text takes at most eight times the work, however often a phrase begins in it", () => {
  const least = (length: number) => {
    const text = "a".repeat(length);
    const runs = Array.from({ length: 5 }, () => {
      const { user } = process.threadCpuUsage();
      expect(hasPhrase(text, "a")).toBe(false);
      return process.threadCpuUsage().user - user;
    });
    return Math.min(...runs);
  };
  expect(least(800_000)).toBeLessThan(8 * Math.max(least(200_000), 1000));
});
