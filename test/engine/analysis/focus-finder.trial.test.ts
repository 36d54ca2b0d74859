import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { FocusCollector } from "../../../src/engine/analysis/measure/focus/collector.ts";
import type { FocusTrack, SubjectBox } from "../../../src/engine/timeline/focus.ts";
import { draw, videoSource } from "../../support/media/draw-media.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { filmOf, quickShots, shareInside, subjectShots, subjectSize, xOf } from "../../support/media/subjects.ts";
import { measuredHere } from "./measured-here.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a film of marked subjects", () => {
  const path = `${folder}/film.mp4`;
  const seconds = 2;
  const { facts } = videoSource(path, { ...subjectSize, durationSeconds: seconds * subjectShots.length });
  const measure = (boxes: readonly SubjectBox[]) =>
    measuredHere(path, facts, (size) => new FocusCollector(size, boxes));
  let track: FocusTrack;
  beforeAll(async () => {
    await draw(path, filmOf(subjectShots, seconds), "-c:v", "libx264", "-preset", "ultrafast");
    track = await measure([]);
  });

  const slowShots = [...subjectShots.entries()].filter(([, shot]) => !quickShots.includes(shot));
  test.each(slowShots.map(([at, shot]) => [shot.name, shot, at] as const))(
    "%s: a crop to 9:16 shows it",
    (_, shot, at) => {
      const place = { start: at * seconds, seconds };
      expect(track[at]!.startSeconds).toBeCloseTo(place.start, 2);
      expect(shareInside(shot, place, () => 0.5)).toBeLessThanOrEqual(0.8);
      expect(shareInside(shot, place, xOf(track))).toBeGreaterThanOrEqual(0.95);
    },
  );

  test("with two boxes a shot, which tremble, a crop shows the subjects as well", async () => {
    const boxes = subjectShots.flatMap(({ leftAt }, at) =>
      [0.5, 1.5].map((boxAt) => {
        const left = leftAt(boxAt) / subjectSize.width + (boxAt < 1 ? 0.02 : -0.02);
        return { atSeconds: at * seconds + boxAt, left, right: left + 0.125, top: 0.27, bottom: 0.75 };
      }),
    );
    const boxed = await measure(boxes);
    expect(new Set(boxed.map(({ reason }) => reason))).toEqual(new Set(["subject"]));
    for (const [at, shot] of subjectShots.entries()) {
      expect(shareInside(shot, { start: at * seconds, seconds }, xOf(boxed))).toBeGreaterThanOrEqual(0.95);
    }
  });
});
