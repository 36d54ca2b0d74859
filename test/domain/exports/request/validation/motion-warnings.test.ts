import { expect, test } from "bun:test";
import { motionRules } from "../../../../../src/domain/exports/request/validation/motion-warnings.ts";
import { applyRules } from "../../../../../src/domain/exports/request/warnings.ts";
import type { Motion } from "../../../../../src/engine/timeline/motion.ts";
import type { Overlay } from "../../../../../src/engine/timeline/overlay.ts";
import { canvas, textOverlay, white } from "../../../../support/media/drawn-overlays.ts";

const timeline = { canvas, rate: { num: 30, den: 1 } };

function warningsOf(overlay: Overlay, path = "layers.0") {
  const layout = { overlays: [{ path, position: 0, end: 3, overlay }], timeline };
  return applyRules(motionRules, layout as never).map(({ path, code }) => [path, code]);
}

/** A text of three seconds. */
const text = (words: string, motion: Partial<Motion>): Overlay =>
  textOverlay(words, {}, { range: { start: 0, end: 90 }, motion: { lead: 0, seconds: 3, ...motion } });

const fade = (seconds: number) => ({ name: "fade", seconds });

test("a text with time to enter, to be read and to leave causes no warning", () => {
  expect(warningsOf(text("Five words in three seconds", { enter: fade(0.6), exit: fade(0.6) }))).toEqual([]);
});

test("a layer at rest needs time to be read, a text without motion is timed by its editor", () => {
  const still = textOverlay("A long text that nobody can read in such a short time", {});
  expect(warningsOf(still)).toEqual([["layers.0.text", "text_read_time"]]);
  expect(warningsOf(still, "texts.0")).toEqual([]);
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

test("a color or an opacity that jumps flashes as well", () => {
  const steps = Array.from({ length: 24 }, (_, index) => ({ at: index / 8, value: index % 2, easing: "step" }));
  const jumping = blinking(1, canvas.height);
  const keyed = { lead: 0, seconds: 3, keyframes: { opacity: steps } };
  expect(warningsOf({ ...jumping, motion: keyed })).toEqual([["layers.0", "flashing"]]);
});

/** A layer of a group, as if it stood below another one in the request. */
function groupOf(layer: Overlay, speed = 1): Overlay {
  const { range, ...rest } = layer;
  const box = { x: 0, y: 0, ...canvas };
  const inner = { ...rest, start: 0, end: 3, index: 1 };
  const group = { kind: "group", box, clips: false, speed, repeats: false, seconds: 3, layers: [inner] } as const;
  return { ...rest, motion: undefined, range, content: group };
}

test("layers in groups are warned about by their own paths, on the clock of the film", () => {
  const quick = text("One", { enter: fade(0.09), exit: fade(0.15) });
  expect(warningsOf(groupOf(quick))).toEqual([["layers.0.layers.1.enter", "motion_too_short"]]);
  expect(warningsOf(groupOf(quick, 2))).toEqual([
    ["layers.0.layers.1.enter", "motion_too_short"],
    ["layers.0.layers.1.exit", "motion_too_short"],
  ]);
  expect(warningsOf(groupOf(text("One", { enter: fade(2), exit: fade(2) })))).toContainEqual([
    "layers.0.layers.1.enter",
    "motion_cut",
  ]);
  const seven = text("one two three four five six seven", { enter: fade(0.6) });
  expect(warningsOf(groupOf(seven))).toEqual([]);
  expect(warningsOf(groupOf(seven, 2))).toEqual([["layers.0.layers.1.text", "text_read_time"]]);
  expect(warningsOf(groupOf(blinking(0.5, canvas.height)))).toEqual([]);
  expect(warningsOf(groupOf(blinking(0.5, canvas.height), 2))).toEqual([["layers.0.layers.1", "flashing"]]);
});
