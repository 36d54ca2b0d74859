import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Hono } from "hono";
import { pino } from "pino";
import type { AppEnv } from "../../src/http/app-env.ts";
import { routesDuring, trackRoute } from "../../src/http/middleware/routes-in-flight.ts";
import { monitorEventLoop, type Stall } from "../../src/platform/event-loop-monitor.ts";
import { watchAnsweringThread } from "../../src/process/watchdog.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";

/** Computes until the thread has used this much CPU time. */
function compute(milliseconds: number): void {
  const start = process.threadCpuUsage();
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system - start.user - start.system) / 1000;
  };
  while (used() < milliseconds);
}

const app = new Hono<AppEnv>()
  .use(trackRoute)
  .get("/films/:id", (c) => {
    compute(300);
    return c.text("seen");
  })
  .get("/quick", (c) => c.text("seen"));

/** Requests of other files of this process may be in flight, too. */
const ours = (routes: unknown) => (routes as string[]).filter((route) => /films|quick/.test(route));

/** What the log says of the thread after `work`. */
async function logOf(work: () => unknown): Promise<readonly Record<string, unknown>[]> {
  const lines: string[] = [];
  const watch = watchAnsweringThread(pino({ level: "debug" }, { write: (line) => lines.push(line) }));
  await work();
  watch.check();
  watch.stop();
  return lines.map((line) => JSON.parse(line)).map((line) => ({ ...line, routes: ours(line.routes) }));
}

/** Without the times at which a busy machine did not run the thread. */
const warningsOf = async (work: () => unknown) => (await logOf(work)).filter(({ level }) => level === 40);

test("a blocked thread is told in the log, with the pattern of the route that was in flight", async () => {
  const [line, ...more] = await warningsOf(() => app.request("/films/one"));
  expect(more).toEqual([]);
  expect(line).toMatchObject({ level: 40, msg: "thread blocked", routes: ["GET /films/:id"] });
  expect(Math.min(Number(line!.blockedMs), Number(line!.cpuMs))).toBeGreaterThan(200);
});

test("a thread that the machine did not run is not called blocked", async () => {
  const [line] = await logOf(() => Bun.sleepSync(500));
  expect(line).toMatchObject({ level: 20, msg: "thread not run" });
  expect(Number(line!.cpuMs)).toBeLessThan(Number(line!.blockedMs));
});

test("a block is found although it began long after a tick", async () => {
  const [line] = await warningsOf(async () => {
    await Bun.sleep(100);
    await app.request("/films/one");
  });
  expect(line).toMatchObject({ msg: "thread blocked", routes: ["GET /films/:id"] });
});

test("a quick request is no warning", async () => {
  expect(await warningsOf(() => app.request("/quick"))).toEqual([]);
});

test("a request that comes after the work is not named", async () => {
  const lines = await warningsOf(async () => {
    compute(300);
    await app.request("/quick");
  });
  expect(lines).toMatchObject([{ msg: "thread blocked", routes: [] }]);
});

test("the timer finds a block without being asked", async () => {
  const { promise, resolve } = Promise.withResolvers<Stall>();
  const watch = monitorEventLoop({ thresholdMilliseconds: 200, onStall: resolve });
  await app.request("/films/two");
  const block = await promise;
  watch.stop();
  expect(ours(routesDuring(block, 200))).toEqual(["GET /films/:id"]);
});

test("the suite prints the file and the route of a test that blocks the thread while a request is in flight, and fails none", async () => {
  const folder = await temporaryFolder();
  const file = `${folder}/blocking.test.ts`;
  await Bun.write(
    file,
    `import { test } from "bun:test";
    import { Hono } from ${JSON.stringify(Bun.resolveSync("hono", import.meta.dir))};
    import { trackRoute } from "${import.meta.dir}/../../src/http/middleware/routes-in-flight.ts";
    const used = () => process.threadCpuUsage().user + process.threadCpuUsage().system;
    const compute = () => { for (const end = used() + 700_000; used() < end; ); };
    const app = new Hono().use(trackRoute).get("/films/:id", (c) => { compute(); return c.text(""); });
    test("in a request", async () => void (await app.request("/films/one")));
    test("outside of requests", compute);`,
  );
  const command = [process.execPath, "test", "--timeout", "300000", file];
  const child = Bun.spawn(command, { cwd: join(import.meta.dir, "../.."), stdout: "ignore", stderr: "pipe" });
  const printed = await new Response(child.stderr).text();
  await rm(folder, { recursive: true });
  expect(await child.exited).toBe(0);
  expect(printed.split(`${file} blocked the thread that answers: `).slice(1)).toEqual([
    expect.stringMatching(/^GET \/films\/:id \(/),
  ]);
});
