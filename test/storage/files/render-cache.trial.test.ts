import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { cachedBytesIn } from "./cached-files.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

const kilobyte = 1024;
const limit = 64 * kilobyte;

/** A process that adds entries until it is killed. */
const startFilling = () =>
  Bun.spawn([process.execPath, join(import.meta.dir, "fill-cache.ts"), folder, `${limit}`], { stdout: "pipe" });

/** Watches the limit until the process has printed a hundred bytes. */
async function watchLimit({ stdout }: ReturnType<typeof startFilling>) {
  const reader = stdout.getReader();
  for (let printed = 0; printed < 100; ) {
    printed += (await reader.read()).value!.length;
    expect(await cachedBytesIn(folder)).toBeLessThanOrEqual(limit);
  }
}

test("the limit holds while processes add entries and are killed", async () => {
  for (let round = 0; round < 3; round++) {
    const filling = [startFilling(), startFilling()];
    await Promise.all(filling.map(watchLimit)).finally(() => filling.map((child) => child.kill("SIGKILL")));
    await Promise.all(filling.map(({ exited }) => exited));
    expect(filling.map(({ signalCode }) => signalCode)).toEqual(["SIGKILL", "SIGKILL"]);
  }
  const cache = diskRenderCache(folder, limit);
  const texts = ["a", "b"].map((letter) => letter.repeat(24 * kilobyte));
  for (const text of texts) {
    const path = join(folder, `part ${text[0]}`);
    await Bun.write(path, text);
    await cache.put([{ key: text.slice(0, 64), path }]);
  }
  for (const text of texts) {
    const path = join(folder, `linked ${text[0]}`);
    expect(await cache.linkTo(text.slice(0, 64), path)).toBeTrue();
    expect(await Bun.file(path).text()).toBe(text);
  }
  expect(await cachedBytesIn(folder)).toBeLessThanOrEqual(limit);
});
