import { readFileSync } from "node:fs";

/** With fewer, requests and uploads fail soon after the start. */
export const minOpenFiles = 256;
/** Enough for many concurrent users. */
export const recommendedOpenFiles = 1024;

/** The number of files and connections that this process may open; unlimited if the system does not say. */
export function maxOpenFiles(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch (error) {
    return isOutOfFiles(error) ? 0 : Number.POSITIVE_INFINITY;
  }
}

/** Throws a one-line message if the limit is too low for the service. */
export function requireOpenFiles(): void {
  const limit = maxOpenFiles();
  if (limit < minOpenFiles) throw new Error(`${openFilesSentence(limit)} ${raiseOpenFiles}`);
}

export const openFilesSentence = (limit: number) => `This process may open only ${limit} files and connections.`;
export const raiseOpenFiles = `Allow ${recommendedOpenFiles} or more (ulimit -n, or LimitNOFILE of systemd).`;

const codes: readonly unknown[] = ["EMFILE", "ENFILE"];
const maxCauses = 5;

/** True if an error or one of its causes means that no more files can be opened. */
export function isOutOfFiles(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < maxCauses && cause instanceof Error; depth++) {
    if ("code" in cause && codes.includes(cause.code)) return true;
    cause = cause.cause;
  }
  return false;
}
