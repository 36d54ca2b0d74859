import { afterAll, expect, test } from "bun:test";
import { readFile, rm } from "node:fs/promises";
import { taskPool } from "../../../src/engine/sandbox/task-pool.ts";
import { sandboxProcessesOf } from "../../support/child-processes.ts";
import { pngOf } from "../../support/media/bombs/png.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

const residentMegabytes = async (pid: number) => {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
};

test("a process does not keep the pixels of images that it refused", async () => {
  const before = await sandboxProcessesOf(process.pid);
  const canvas = taskPool({ concurrency: 1 });
  // 187 MB of pixels
  const whole = pngOf({ width: 7_000, height: 7_000, bitDepth: 16, colorType: 6, pixels: Buffer.alloc(100) });
  await Bun.write(`${folder}/cut.png`, whole.subarray(0, -12));
  const inspecting = () =>
    canvas.run("inspectImage", { path: `${folder}/cut.png`, container: "png" }, { owner: "ann" });

  for (let round = 0; round < 6; round++) {
    await expect(inspecting()).rejects.toMatchObject({ code: "unsupported_media_type" });
    const started = (await sandboxProcessesOf(process.pid)).filter((id) => !before.includes(id));
    const used = await Promise.all(started.map(residentMegabytes));
    expect(Math.max(0, ...used)).toBeLessThan(520);
  }
});
