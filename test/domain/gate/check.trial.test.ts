import { expect, test } from "bun:test";
import { hasPhrase } from "../../../src/domain/gate/phrases.ts";

test("sixteen times the text takes far less than the square of the work, however often a phrase begins in it", () => {
  const least = (length: number) => {
    const text = "a".repeat(length);
    const runs = Array.from({ length: 5 }, () => {
      const { user } = process.threadCpuUsage();
      expect(hasPhrase(text, "a")).toBe(false);
      return process.threadCpuUsage().user - user;
    });
    return Math.min(...runs);
  };
  // Linear is 16, quadratic is 256.
  expect(least(800_000)).toBeLessThan(64 * Math.max(least(50_000), 500));
});
