import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine } from "../../src/engine/standalone.ts";
import { drawColor } from "../support/media/draw-media.ts";

const root = join(import.meta.dir, "../..");

test("the program of docs/engine.md renders two clips without a service", async () => {
  const folder = await mkdtemp(join(tmpdir(), "reelwright-test-"));
  const [, program = ""] = /```ts\n([\s\S]*?)```/.exec(await Bun.file(join(root, "docs/engine.md")).text()) ?? [];
  const path = join(folder, "program.ts");
  await writeFile(path, program.replaceAll('"./src/', `"${root}/src/`));
  const clips = [
    await drawColor(join(folder, "first.mp4"), "blue", 60),
    await drawColor(join(folder, "second.mp4"), "red", 60),
  ];
  const output = join(folder, "film.mp4");
  const child = Bun.spawn([process.execPath, path, ...clips, output], { stderr: "pipe" });
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ""]);
  const engine = await openEngine({ ffmpegPath: "bundled" });
  const { facts } = await engine.open(output);
  expect(facts).toMatchObject({ kind: "video", width: 360, height: 640, durationSeconds: 2 });
  await rm(folder, { recursive: true });
});
