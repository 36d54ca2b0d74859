import { expect, test } from "bun:test";
import { loadCommonFonts } from "../../../../../src/domain/exports/request/validation/target-layouts.ts";
import type { MeasuredText } from "../../../../../src/engine/ports.ts";
import { textMeasurer } from "../../../../../src/engine/text/measurer.ts";
import { diskFiles } from "../../../../../src/storage/files/disk-files.ts";
import { withTemporaryFolder } from "../../../../support/media/drawn-overlays.ts";

test("every character of the common fonts' sample text has a glyph", () =>
  withTemporaryFolder(async (folder) => {
    const { measure } = textMeasurer({ files: await diskFiles(folder) });
    const measured: [number, MeasuredText][] = [];
    await loadCommonFonts({
      async measure(picture, rotationDegrees, options) {
        const result = await measure(picture, rotationDegrees, options);
        measured.push([picture.style.fontWeight, result]);
        return result;
      },
    });
    expect(measured.map(([weight, { missing }]) => [weight, missing])).toEqual([
      [400, []],
      [700, []],
    ]);
  }));
