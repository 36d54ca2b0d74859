import { Hono } from "hono";
import { pino } from "pino";
import type { AppEnv } from "../../src/http/app-env.ts";
import { trackRoute } from "../../src/http/middleware/routes-in-flight.ts";
import { watchAnsweringThread } from "../../src/process/watchdog.ts";

/** Computes until the thread has used this much CPU time. */
export function compute(milliseconds: number): void {
  const start = process.threadCpuUsage();
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system - start.user - start.system) / 1000;
  };
  while (used() < milliseconds);
}

export const app = new Hono<AppEnv>()
  .use(trackRoute)
  .get("/films/:id", (c) => {
    compute(300);
    return c.text("seen");
  })
  .get("/quick", (c) => c.text("seen"));

/** Requests of other files of this process may be in flight, too. */
export const ours = (routes: unknown) => (routes as string[]).filter((route) => /films|quick/.test(route));

/** What the log says of the thread after `work`. */
export async function logOf(work: () => unknown): Promise<readonly Record<string, unknown>[]> {
  const lines: string[] = [];
  const watch = watchAnsweringThread(pino({ level: "debug" }, { write: (line) => lines.push(line) }));
  await work();
  watch.check();
  watch.stop();
  return lines.map((line) => JSON.parse(line)).map((line) => ({ ...line, routes: ours(line.routes) }));
}

/** Without the times at which a busy machine did not run the thread. */
export const warningsOf = async (work: () => unknown) => (await logOf(work)).filter(({ level }) => level === 40);
