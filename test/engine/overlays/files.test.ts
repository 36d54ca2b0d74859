import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { byteBudget } from "../../../src/engine/overlays/files.ts";
import { segmentOverlays } from "../../../src/engine/overlays/overlays.ts";
import type { Overlay } from "../../../src/engine/timeline/overlay.ts";
import {
  canvas,
  drawHere,
  imageOverlay,
  piecesFor,
  renderFootage,
  renderGround,
  textOverlay,
  withTemporaryFolder,
} from "../../support/media/drawn-overlays.ts";
import { png } from "../../support/uploads.ts";

const first = { start: 0, end: 30 };
const second = { start: 30, end: 60 };
const options = { signal: new AbortController().signal, renderGround, renderFootage };

const overlaysIn = (folder: string, overlays: readonly Overlay[], budget = byteBudget()) => {
  const options = { canvas, rate: { num: 30, den: 1 }, textEngine: "", folder, budget, draw: drawHere };
  return segmentOverlays(piecesFor(overlays), [first, second], options);
};

test("an overlay is drawn for the first segment that shows it, and deleted after the last one", () =>
  withTemporaryFolder(async (folder) => {
    const overlays = [
      textOverlay("first", {}, { range: { start: 0, end: 10 } }),
      textOverlay("both", {}, { range: { start: 20, end: 40 } }),
      textOverlay("second", {}, { range: { start: 50, end: 60 } }),
    ];
    const { draw, release } = overlaysIn(folder, overlays);
    const fileCount = async () => (await readdir(folder)).length;

    expect((await draw(first, options)).map(({ range }) => range)).toEqual([overlays[0]!.range, overlays[1]!.range]);
    expect(await fileCount()).toBe(2);
    await release(first);
    expect(await fileCount()).toBe(1);
    expect((await draw(second, options)).map(({ range }) => range)).toEqual([overlays[1]!.range, overlays[2]!.range]);
    expect(await fileCount()).toBe(2);
    await release(second);
    expect(await fileCount()).toBe(0);
  }));

test("a segment that was not drawn leaves nothing to delete", () =>
  withTemporaryFolder(async (folder) => {
    const budget = byteBudget();
    const { draw, release } = overlaysIn(folder, [textOverlay("x")], budget);
    await release(first);
    expect(await draw(second, options)).toHaveLength(1);
    expect(budget.usedBytes).toBeGreaterThan(0);
    await release(second);
    expect([await readdir(folder), budget.usedBytes]).toEqual([[], 0]);
  }));

test("texts whose bitmaps take too much space are an error of the texts", () =>
  withTemporaryFolder(async (folder) => {
    const drawing = overlaysIn(folder, [textOverlay("x")], byteBudget(10)).draw(first, options);
    await expect(drawing).rejects.toMatchObject({
      code: "validation_error",
      facts: { issues: [{ path: "texts" }] },
    });
  }));

test("images that would take more space than others have left are an error of the images", () =>
  withTemporaryFolder(async (folder) => {
    const path = `${folder}/image.png`;
    await Bun.write(path, png());
    const budget = byteBudget(1000);
    budget.usedBytes = 1001;
    const drawing = overlaysIn(folder, [imageOverlay(path, { x: 0, y: 0, width: 9, height: 9 })], budget);
    await expect(drawing.draw(first, options)).rejects.toMatchObject({ facts: { issues: [{ path: "images" }] } });
    expect(await readdir(folder)).toEqual(["image.png"]);
  }));
