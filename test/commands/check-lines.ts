import { join } from "node:path";
import { type Check, runChecks } from "../../src/commands/checks/check.ts";
import { examineEnvironment } from "../../src/env.ts";

/** The lines of one check: `status message fix`. Without DATA_DIR in the folder "data" of this one. */
export const checkLines =
  (folder: string) =>
  async (check: Check, variables: Record<string, string> = {}): Promise<readonly string[]> => {
    const { environment } = examineEnvironment({ DATA_DIR: join(folder, "data"), ...variables });
    const report = await runChecks([check], environment, { invalid: [], deadlineMs: 600_000 });
    return report.map(({ status, message, fix = "" }) => `${status} ${message} ${fix}`.trim());
  };
