import { expect, test } from "bun:test";
import { restOf, textsAtRest } from "../../../src/engine/motion/at-rest.ts";
import type { GroupLayer, Overlay } from "../../../src/engine/timeline/overlay.ts";
import { textOverlay } from "../../support/media/drawn-overlays.ts";

const rate = { num: 30, den: 1 };
const range = { start: 0, end: 90 };

const positions = (overlay: Overlay) =>
  textsAtRest(overlay, rate).map(({ content: { anchor, scale }, rotationDegrees }) => [
    Math.round(anchor.x),
    Math.round(anchor.y),
    scale,
    rotationDegrees,
  ]);

test("a text rests where it is between its entrance and its exit", () => {
  const keyframes = { centerX: [0, 3].map((at) => ({ at, value: at * 100, easing: "linear" })) };
  const enter = { name: "fade", seconds: 1 };
  const overlay = textOverlay("x", {}, { range, motion: { lead: 0, seconds: 3, keyframes, enter } });
  expect(positions(overlay)).toEqual([[200, 120, 1, 0]]);
  expect(restOf(overlay, rate)).toEqual({ start: 30, end: 90 });
});

test("texts in a group lie where the group puts them", () => {
  const { range: _, ...text } = textOverlay("x");
  const child: GroupLayer = { ...text, start: 0, end: 3 };
  const box = { x: 0, y: 0, width: 320, height: 240 };
  const content = { kind: "group", box, clips: false, speed: 1, repeats: false, seconds: 3, layers: [child] } as const;
  // the text lies in the middle, and the group is turned and enlarged about its own middle
  const group: Overlay = { ...textOverlay(""), range, content, rotationDegrees: 90, effects: { scaleX: 2, scaleY: 2 } };
  expect(positions(group)).toEqual([[160, 120, 2, 90]]);
  expect(positions({ ...group, view: { scale: 0.5, x: 10, y: 0 } })).toEqual([[90, 60, 1, 90]]);
  const aside = { ...child, content: { ...child.content, anchor: { at: "center", x: 260, y: 120 } } } as GroupLayer;
  expect(positions({ ...group, content: { ...content, layers: [aside] } })).toEqual([[160, 320, 2, 90]]);
});
