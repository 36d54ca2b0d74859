import { serviceNames } from "../cluster/services.ts";
import { between, oneOf } from "../load/random.ts";
import type { Running } from "./run.ts";

/** Kills one of the four processes at a random moment, and starts it again, many times. */
export async function kills({ cluster: { services }, random, options, log }: Running): Promise<readonly string[]> {
  for (let count = 1; count <= options.kills; count++) {
    await Bun.sleep(between(random, 500, 3_000));
    const name = oneOf(random, serviceNames);
    await services.kill(name);
    const awayMs = between(random, 0, 1_000);
    await Bun.sleep(awayMs);
    await services.start(name);
    if (count % 10 === 0 || count === options.kills) log(`${count} kills, the last of ${name}`);
  }
  return [];
}
