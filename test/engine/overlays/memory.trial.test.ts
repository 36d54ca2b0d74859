import { expect, test } from "bun:test";
import { join } from "node:path";
import { withTemporaryFolder } from "../../support/media/drawn-overlays.ts";

const megabytes = 2 ** 20;

test("a process draws 4096×4096 pixels with all effects in less than a gigabyte, however many frames there are", () =>
  withTemporaryFolder(async (folder) => {
    const program = join(import.meta.dir, "../../support/media/draw-large-group.ts");
    const drawing = Bun.spawn([process.execPath, program, join(folder, "frames.rgba")], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    expect(await drawing.exited).toBe(0);
    expect(drawing.resourceUsage()!.maxRSS / megabytes).toBeLessThan(1024);
  }));
