import { examineEnvironment } from "../env.ts";
import { type Report, runChecks } from "./checks/check.ts";
import { databaseCheck } from "./checks/database.ts";
import { diskCheck } from "./checks/disk.ts";
import { ffmpegCheck, fontsCheck, sandboxCheck } from "./checks/ffmpeg.ts";
import { filesCheck } from "./checks/files.ts";
import { objectStorageCheck } from "./checks/object-storage.ts";
import { modelsCheck, pricesCheck, settingsCheck } from "./checks/settings.ts";
import { readOptions, runCommand } from "./command.ts";

/** All checks run in parallel: the command ends shortly after this. */
const deadlineMs = 30_000;
/** The deadline of `--files`, which requests the size of each stored file. */
const filesDeadlineMs = 24 * 60 * 60 * 1000;

const textOf = (report: Report): string =>
  report
    .map(({ status, check, message, fix }) => [status.padEnd(9), check.padEnd(9), message, fix && `${fix}`])
    .map((parts) => `${parts.filter(Boolean).join(" ")}\n`)
    .join("");

/** Checks everything that the service needs, and prints how to fix it. Exits with 1 if something failed. */
await runCommand(async () => {
  const { values } = readOptions("doctor [--files] [--json]", {
    options: { files: { type: "boolean", default: false }, json: { type: "boolean", default: false } },
  });
  const { environment, errors, names } = examineEnvironment();
  const checks = [
    settingsCheck(errors, names),
    databaseCheck,
    diskCheck,
    objectStorageCheck,
    ffmpegCheck,
    sandboxCheck,
    fontsCheck,
    modelsCheck,
    pricesCheck,
  ];
  const invalid = errors.map(({ name }) => name);
  const report = values.files
    ? await runChecks([filesCheck], environment, { invalid, deadlineMs: filesDeadlineMs })
    : await runChecks(checks, environment, { invalid, deadlineMs });
  const isOk = report.every(({ status }) => status !== "failure");
  await Bun.write(
    Bun.stdout,
    values.json ? `${JSON.stringify({ ok: isOk, checks: report }, null, 2)}\n` : textOf(report),
  );
  return isOk ? 0 : 1;
});
