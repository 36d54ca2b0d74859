/** Runs a step, then prints its name, its duration and a description of the result. */
export async function step<T>(name: string, run: () => Promise<T>, describe: (result: T) => string = () => "") {
  const startedAt = performance.now();
  const progress = process.stdout.isTTY ? showProgress(name) : undefined;
  try {
    const result = await run();
    console.log(
      `${process.stdout.isTTY ? "\r" : ""}✓ ${name.padEnd(38)}${secondsSince(startedAt).padStart(6)} s  ${describe(result)}`,
    );
    return result;
  } finally {
    clearInterval(progress);
  }
}

/** Adds a dot per second to a line on the terminal. */
function showProgress(name: string) {
  process.stdout.write(`… ${name} `);
  return setInterval(() => process.stdout.write("."), 1000);
}

/** `startedAt` is a time of performance.now(). */
export function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}
