import { expect, test } from "bun:test";
import { join } from "node:path";
import { withTemporaryFolder } from "../../support/media/drawn-overlays.ts";

const isLinux = process.platform === "linux";

test.skipIf(!isLinux)("a process draws 4096×4096 pixels with all effects in less than a gigabyte", () =>
  withTemporaryFolder(async (folder) => {
    const program = join(import.meta.dir, "../../support/media/draw-large-group.ts");
    const drawing = Bun.spawn([process.execPath, program, join(folder, "frames.rgba")], { stderr: "inherit" });
    const kibibytes = Number(await new Response(drawing.stdout).text());
    expect(await drawing.exited).toBe(0);
    expect(kibibytes).toBeGreaterThan(0);
    expect(kibibytes).toBeLessThan(2 ** 20);
  }),
);
