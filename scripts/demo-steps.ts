/** Runs one step, says what it did and how long it took. */
export async function step<T>(name: string, run: () => Promise<T>, tell: (result: T) => string = () => "") {
  const begun = performance.now();
  const alive = process.stdout.isTTY ? showAlive(name) : undefined;
  try {
    const result = await run();
    console.log(
      `${process.stdout.isTTY ? "\r" : ""}✓ ${name.padEnd(38)}${secondsSince(begun).padStart(6)} s  ${tell(result)}`,
    );
    return result;
  } finally {
    clearInterval(alive);
  }
}

/** A growing line, for people who wait at a terminal. */
function showAlive(name: string) {
  process.stdout.write(`… ${name} `);
  return setInterval(() => process.stdout.write("."), 1000);
}

export function secondsSince(begun: number): string {
  return ((performance.now() - begun) / 1000).toFixed(1);
}
