import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { pageReader } from "../../../src/readers/web/page-reader.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

const reader = pageReader({ cpuSeconds: 1, timeoutMilliseconds: 600_000 });

test("gives up on a page over the CPU limit, and on abort", async () => {
  const path = `${folder}/page`;
  await Bun.write(path, "<i>".repeat(400_000) + "</b>".repeat(400_000));
  expect(await reader.read(path, { owner: "ann", signal: new AbortController().signal })).toBeUndefined();

  await Bun.write(path, "Tea");
  await expect(reader.read(path, { owner: "ann", signal: AbortSignal.abort(new Error("left")) })).rejects.toThrow(
    "left",
  );
});
