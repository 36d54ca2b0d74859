import { expect, test } from "bun:test";
import { quietTimes } from "../../../src/media/prepared/quiet-times.ts";

test("background work that fails is not repeated", async () => {
  const quiet = quietTimes(1);
  let runs = 0;
  const work = quiet.run(async () => {
    runs++;
    throw new Error("bad");
  });
  await expect(work).rejects.toThrow("bad");
  expect(runs).toBe(1);
});

test("the failure of other work is its caller's, and background work follows it", async () => {
  const quiet = quietTimes(1);
  const failing = quiet.during(() => Promise.reject(new Error("bad")));
  const following = quiet.run(async () => "done");
  await expect(failing).rejects.toThrow("bad");
  expect(await following).toBe("done");
});

test("waiting background work keeps no process from ending", async () => {
  const program = `
    import { quietTimes } from "${import.meta.dir}/../../../src/media/prepared/quiet-times.ts";
    const quiet = quietTimes(60_000);
    await quiet.during(async () => {});
    void quiet.run(async () => {});
  `;
  const child = Bun.spawn([process.execPath, "-e", program]);
  expect(await child.exited).toBe(0);
});
