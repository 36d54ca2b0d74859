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
