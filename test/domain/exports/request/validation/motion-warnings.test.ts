import { expect, test } from "bun:test";
import { motionRules } from "../../../../../src/domain/exports/request/validation/motion-warnings.ts";
import { applyRules } from "../../../../../src/domain/exports/request/warnings.ts";
import type { Motion } from "../../../../../src/engine/timeline/motion.ts";
import type { Overlay } from "../../../../../src/engine/timeline/overlay.ts";
import { canvas, textOverlay, white } from "../../../../support/media/drawn-overlays.ts";

const timeline = { canvas, rate: { num: 30, den: 1 } };

function warningsOf(overlay: Overlay) {
  const layout = { overlays: [{ path: "layers.0", position: 0, end: 3, overlay }], timeline };
  return applyRules(motionRules, layout as never).map(({ path, code }) => [path, code]);
}

/** A text of three seconds. */
const text = (words: string, motion: Partial<Motion>): Overlay =>
  textOverlay(words, {}, { range: { start: 0, end: 90 }, motion: { lead: 0, seconds: 3, ...motion } });

const fade = (seconds: number) => ({ name: "fade", seconds });

test("a text with time to enter, to be read and to leave causes no warning", () => {
  expect(warningsOf(text("Five words in three seconds", { enter: fade(0.6), exit: fade(0.6) }))).toEqual([]);
  expect(warningsOf(textOverlay("A long text that nobody can read in such a short time", {}))).toEqual([]);
});

test("an entrance under three frames looks like a cut", () => {
  expect(warningsOf(text("One", { enter: fade(0.09), exit: fade(0.1) }))).toEqual([
    ["layers.0.enter", "motion_too_short"],
  ]);
});

test("moves that do not fit are shortened, and leave no time to read", () => {
  expect(warningsOf(text("One", { enter: fade(2), exit: fade(2) }))).toEqual([
    ["layers.0.enter", "motion_cut"],
    ["layers.0.text", "text_read_time"],
  ]);
});

test("reading takes a third of a second for a word, and a twelfth for a letter without spaces", () => {
  const seven = "one two three four five six seven";
  expect(warningsOf(text(seven, { enter: fade(0.6) }))).toEqual([]);
  expect(warningsOf(text(`${seven} eight`, { enter: fade(0.6) }))).toEqual([["layers.0.text", "text_read_time"]]);
  expect(warningsOf(text("字".repeat(28), { enter: fade(0.6) }))).toEqual([]);
  expect(warningsOf(text("字".repeat(30), { enter: fade(0.6) }))).toEqual([["layers.0.text", "text_read_time"]]);
});

/** A white rectangle that blinks. */
const blinking = (seconds: number, height: number): Overlay => ({
  range: { start: 0, end: 90 },
  content: { kind: "shape", shape: "rect", box: { x: 0, y: 0, width: canvas.width, height }, fill: white },
  opacity: 1,
  rotationDegrees: 0,
  animateIn: "none",
  animateOut: "none",
  motion: { lead: 0, seconds: 3, loop: { name: "blink", seconds } },
});

test("more than three flashes a second over a quarter of the frame are named", () => {
  expect(warningsOf(blinking(0.25, canvas.height))).toEqual([["layers.0", "flashing"]]);
  expect(warningsOf(blinking(0.5, canvas.height))).toEqual([]);
  expect(warningsOf(blinking(0.25, canvas.height / 5))).toEqual([]);
});
