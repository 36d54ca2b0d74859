import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { maxCellCharacters, maxColumns, maxRows } from "../../../src/domain/batches/rows.ts";
import { readTable } from "../../../src/readers/tables/read-table.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

test("a table whose cells need more than 64 MB is none", async () => {
  const folder = await temporaryFolder();
  const path = `${folder}/table`;
  await Bun.write(path, `a\n${`${"\u0001".repeat(10_000)}\n`.repeat(1200)}`);
  const reading = readTable({ path, output: `${path}-rows`, maxRows, maxColumns, maxCellCharacters });
  await expect(reading).rejects.toMatchObject({
    code: "validation_error",
    message: expect.stringContaining("must be smaller"),
  });
  await rm(folder, { recursive: true });
});
