import { expect, test } from "bun:test";
import { loadUsualFonts, type MeasuredText } from "../../../../src/domain/exports/validation/text-measurer.ts";
import { textMeasurer } from "../../../../src/media/text/measurer.ts";
import { diskFiles } from "../../../../src/storage/files/disk-files.ts";
import { inFolder } from "../../../helpers/drawn.ts";

test("what loads fonts ahead draws with every one that usual texts need", () =>
  inFolder(async (folder) => {
    const { measure } = textMeasurer({ files: await diskFiles(folder) });
    const measured: [number, MeasuredText][] = [];
    await loadUsualFonts({
      async measure(picture, rotationDegrees) {
        const result = await measure(picture, rotationDegrees);
        measured.push([picture.style.fontWeight, result]);
        return result;
      },
    });
    expect(measured.map(([weight, { missing }]) => [weight, missing])).toEqual([
      [400, []],
      [700, []],
    ]);
  }));
