import { type Finding, failure, ok, warning } from "./check.ts";

const warnMs = 5_000;
const failMs = 5 * 60_000;

/** `differenceMs` is the other clock minus ours. */
export function clockFinding(other: string, differenceMs: number): Finding {
  const seconds = Math.round(Math.abs(differenceMs) / 100) / 10;
  const message = `The clocks of this machine and of ${other} differ by ${seconds} s.`;
  if (Math.abs(differenceMs) < warnMs) return ok(message);
  const fix = "Synchronize both with NTP: times of expiry, leases and signatures depend on them.";
  return (Math.abs(differenceMs) < failMs ? warning : failure)(message, fix);
}
