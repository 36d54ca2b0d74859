import type { Environment } from "../../env.ts";

type Status = "ok" | "warning" | "failure";

/** One line of a report. */
export type Finding = {
  readonly status: Status;
  /** A sentence; holds no secret. */
  readonly message: string;
  /** A sentence that says what to do. */
  readonly fix?: string;
};

/** Checks one part of the service's needs. A check that throws has failed. */
export type Check = {
  readonly name: string;
  /** The settings that it depends on: it does not run while one of them is invalid. */
  readonly settings: readonly (keyof Environment)[];
  run(environment: Environment): Promise<readonly Finding[]>;
};

export type Report = readonly (Finding & { readonly check: string })[];

export const ok = (message: string): Finding => ({ status: "ok", message });
export const warning = (message: string, fix: string): Finding => ({ status: "warning", message, fix });
export const failure = (message: string, fix?: string): Finding => ({
  status: "failure",
  message,
  ...(fix && { fix }),
});

type ReportOptions = { readonly invalid: readonly string[]; readonly deadlineMs: number };

/** Runs checks in parallel. Each ends within the deadline. */
export async function runChecks(
  checks: readonly Check[],
  environment: Environment,
  { invalid, deadlineMs }: ReportOptions,
): Promise<Report> {
  const results = checks.map(async (check) => {
    const bad = check.settings.filter((name) => invalid.includes(name));
    const findings =
      bad.length > 0
        ? [warning("Not checked.", `Correct ${bad.join(", ")} first.`)]
        : await Promise.race([runOne(check, environment), expiry(deadlineMs)]);
    return findings.map((finding) => ({ check: check.name, ...finding }));
  });
  return (await Promise.all(results)).flat();
}

async function runOne(check: Check, environment: Environment): Promise<readonly Finding[]> {
  try {
    return await check.run(environment);
  } catch (error) {
    const [sentence = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    return [failure(sentence)];
  }
}

async function expiry(deadlineMs: number): Promise<readonly Finding[]> {
  await Bun.sleep(deadlineMs);
  return [
    failure(`No answer within ${deadlineMs / 1000} seconds.`, "Find out what hangs: the network, the disk, a server."),
  ];
}

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
