import { expect, test } from "bun:test";
import { app, logOf, warningsOf } from "./blocked-thread.ts";

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

test("a quick request is no warning", async () => {
  expect(await warningsOf(() => app.request("/quick"))).toEqual([]);
});
