import { expect, test } from "bun:test";
import { SubjectBoxes, toSubjectBoxes } from "../../../../src/domain/ai/analysis/subject-boxes.ts";
import { videoSource } from "../../../support/media/draw-media.ts";

const { facts } = videoSource("a.mp4", { width: 160, height: 90, durationSeconds: 4 });
const box = (at_seconds: number, ...box_2d: number[]) => ({ at_seconds, box_2d });

test("boxes are fractions of the frame's sides, in the order of time, one at a time", () => {
  const boxes = [box(2, 100, 200, 300, 400), box(0.5004, 0, 0, 1000, 250.4), box(2, 0, 0, 10, 10)];
  expect(toSubjectBoxes(boxes, facts)).toEqual([
    { atSeconds: 0.5, left: 0, top: 0, right: 0.25, bottom: 1 },
    { atSeconds: 2, left: 0.2, top: 0.1, right: 0.4, bottom: 0.3 },
  ]);
});

test("what reaches over the frame is cut off; what is outside of the frame or the video, empty, or no box is left out", () => {
  expect(toSubjectBoxes([box(1, -50, 900, 1200, 1400)], facts)).toEqual([
    { atSeconds: 1, left: 0.9, top: 0, right: 1, bottom: 1 },
  ]);
  const bad = [box(1, 0, 1100, 100, 1200), box(9, 0, 0, 1, 1), box(-1, 0, 0, 9, 9), box(1, 500, 0, 400, 100)];
  expect(toSubjectBoxes([...bad, box(1), box(1, 0, 0, 10), box(1, 0, 0, 10, 10, 10)], facts)).toEqual([]);
});

test("an image has one moment, and no file has more boxes than are stored", () => {
  const image = { ...facts, kind: "image" as const };
  expect(toSubjectBoxes([box(3, 0, 0, 10, 10)], image)).toMatchObject([{ atSeconds: 0 }]);
  const many = Array.from({ length: 500 }, (_, at) => box(at / 200, 0, 0, 10, 10));
  expect(SubjectBoxes.parse(toSubjectBoxes(many, facts))).toHaveLength(100);
});
