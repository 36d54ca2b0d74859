import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { routesDuring } from "../../src/http/middleware/routes-in-flight.ts";
import { monitorEventLoop, type Stall } from "../../src/platform/cpu.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { app, compute, ours, warningsOf } from "./blocked-thread.ts";

test("a block is found although it began long after a tick", async () => {
  const [line] = await warningsOf(async () => {
    await Bun.sleep(100);
    await app.request("/films/one");
  });
  expect(line).toMatchObject({ msg: "thread blocked", routes: ["GET /films/:id"] });
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
