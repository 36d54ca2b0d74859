import type { Checks } from "../errors.ts";

/** Never throws, and resolves within seconds, or within `milliseconds`: slower parts count as failing. */
export type Readiness = (milliseconds?: number) => Promise<Checks>;

type CheckResult = Checks[string];

type Check = {
  /** Throws or rejects if the part does not work. */
  run(): unknown;
  /** A slower check has failed. */
  readonly timeoutMs?: number;
  /** A success is reused for this long, so that a flood of requests causes few checks. */
  readonly keepMs?: number;
};

const defaults = { timeoutMs: 4_500, keepMs: 500 };

export function readiness(checks: Readonly<Record<string, Check | Check["run"]>>): Readiness {
  const shared = Object.entries(checks).map(([name, check]) => {
    const options = typeof check === "function" ? { run: check } : check;
    return [name, sharedCheck({ ...defaults, ...options })] as const;
  });
  return async (milliseconds) => {
    const results = shared.map(async ([name, check]) => [name, await inTime(check(), milliseconds)] as const);
    return Object.fromEntries(await Promise.all(results));
  };
}

const inTime = (result: Promise<CheckResult>, milliseconds: number | undefined): Promise<CheckResult> =>
  milliseconds === undefined ? result : Promise.race([result, Bun.sleep(milliseconds).then(() => "failing" as const)]);

/** Runs one check at a time for all callers: a hanging one, as on a frozen disk, is never started twice. */
function sharedCheck({ run, timeoutMs, keepMs }: Required<Check>): () => Promise<CheckResult> {
  let latest: Promise<CheckResult> | undefined;
  const forget = () => {
    latest = undefined;
  };
  const start = () => {
    const passed = Promise.try(run).then(
      () => true,
      () => false,
    );
    void passed.then((isOk) => (isOk ? setTimeout(forget, keepMs).unref() : forget()));
    return Promise.race([passed, Bun.sleep(timeoutMs)]).then((isOk) => (isOk ? "ok" : "failing"));
  };
  return () => {
    latest ??= start();
    return latest;
  };
}
