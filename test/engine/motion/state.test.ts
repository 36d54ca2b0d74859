import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runsOf } from "../../../src/engine/motion/runs.ts";
import { stateOn } from "../../../src/engine/motion/state.ts";
import type { Motion } from "../../../src/engine/timeline/motion.ts";
import type { DrawnState, GroupLayer, Overlay, TextContent } from "../../../src/engine/timeline/overlay.ts";
import { red, textOverlay, white } from "../../support/media/drawn-overlays.ts";

const rate = { num: 30, den: 1 };
const still = { opacity: 1, rotationDegrees: 0, animateIn: "none", animateOut: "none" } as const;

/** A text of three seconds. */
const moving = (motion: Partial<Motion>, more: Partial<Overlay> = {}): Overlay =>
  textOverlay("x", {}, { range: { start: 30, end: 120 }, motion: { lead: 0, seconds: 3, ...motion }, ...more });

const at = (overlay: Overlay, frame: number): DrawnState => stateOn(overlay, overlay.range.start + frame, rate)!;

const linear = (from: number, to: number, seconds: number) => [
  { at: 0, value: from, easing: "linear" },
  { at: seconds, value: to, easing: "linear" },
];

describe("keyframes", () => {
  test("are sampled at the middle of a frame", () => {
    const overlay = moving({ keyframes: { rotation: linear(0, 90, 3) } });
    expect(at(overlay, 0).rotationDegrees).toBeCloseTo(0.5, 6);
    expect(at(overlay, 45).rotationDegrees).toBeCloseTo(45.5, 6);
  });

  test("count from the layer's own start, which may lie between frames", () => {
    const overlay = moving({ lead: 0.01, keyframes: { rotation: linear(0, 90, 3) } });
    expect(at(overlay, 0).rotationDegrees).toBeCloseTo(30 * (0.5 / 30 + 0.01), 6);
  });

  test("hold outside of the first and the last, and jump at equal times", () => {
    const jump = [
      { at: 1, value: 0.2, easing: "linear" },
      { at: 1, value: 0.6, easing: "linear" },
    ];
    const overlay = moving({ keyframes: { opacity: jump } });
    expect([0, 29, 30, 89].map((frame) => at(overlay, frame).opacity)).toEqual([0.2, 0.2, 0.6, 0.6]);
  });

  test("of colors travel in OKLab", () => {
    const blue = { red: 0, green: 0, blue: 255, alpha: 1 };
    const colors = [
      { at: 0, value: red, easing: "linear" },
      { at: 1 / 30, value: blue, easing: "linear" },
    ];
    const { content } = at(moving({ keyframes: { fontColor: colors } }), 0);
    expect((content as TextContent).style.fontColor).toEqual({ red: 140, green: 83, blue: 162, alpha: 1 });
  });

  test("of scale multiply those of one side", () => {
    const keyframes = { scale: linear(2, 2, 1), scaleX: linear(3, 3, 1) };
    expect(at(moving({ keyframes }), 0).effects).toEqual({ scaleX: 6, scaleY: 2 });
  });

  test("of one side multiply the layer's scale, which those of scale replace", () => {
    const scaled = { effects: { scaleX: 4, scaleY: 5 } };
    const across = { scaleX: linear(3, 3, 1) };
    expect(at({ ...moving({ keyframes: across }), ...scaled }, 0).effects).toEqual({ scaleX: 12, scaleY: 5 });
    const both = { ...across, scale: linear(2, 2, 1) };
    expect(at({ ...moving({ keyframes: both }), ...scaled }, 0).effects).toEqual({ scaleX: 6, scaleY: 2 });
  });

  test("that reach the neutral values leave a layer without effects", () => {
    const keyframes = { scale: linear(0.5, 1, 1), blur: linear(8, 0, 1), tint: linear(1, 0, 1) };
    const overlay = moving({ keyframes }, { effects: { filter: { tint: { color: red, amount: 1 } } } });
    expect(at(overlay, 10).effects).toBeDefined();
    expect(at(overlay, 40)).toEqual(stateOn(moving({}), 70, rate)!);
  });
});

describe("entrances, exits and loops", () => {
  test("an entrance and an exit have their progress at the middle of each frame", () => {
    const overlay = moving({ enter: { name: "fade", seconds: 1 }, exit: { name: "fade", seconds: 0.5 } });
    expect(at(overlay, 0).moves).toEqual([expect.objectContaining({ kind: "enter", progress: 0.016667 })]);
    expect(at(overlay, 29).moves).toEqual([expect.objectContaining({ progress: 0.983333 })]);
    expect(at(overlay, 30).moves).toBeUndefined();
    expect(at(overlay, 74).moves).toBeUndefined();
    expect(at(overlay, 75).moves).toEqual([expect.objectContaining({ kind: "exit", progress: 0.033333 })]);
  });

  test("both shrink if they do not fit", () => {
    const overlay = moving({ enter: { name: "fade", seconds: 4 }, exit: { name: "fade", seconds: 2 } });
    expect(at(overlay, 59).moves).toEqual([expect.objectContaining({ kind: "enter", seconds: 2 })]);
    expect(at(overlay, 60).moves).toEqual([expect.objectContaining({ kind: "exit", seconds: 1 })]);
  });

  test("a loop takes whole turns between them", () => {
    const overlay = moving({ enter: { name: "fade", seconds: 1 }, loop: { name: "spin", seconds: 0.9 } });
    const phases = [30, 59, 60, 89].map((frame) => at(overlay, frame).moves?.map(({ progress }) => progress));
    expect(phases).toEqual([[0.016667], [0.983333], [0.016667], [0.983333]]);
  });
});

test("a run of frames that stand still has one look", () => {
  const seconds = fc.double({ min: 0, max: 3, noNaN: true });
  const easing = fc.constantFrom("linear", "step", "out-back", "steps(3)");
  const keyframes = fc
    .array(fc.record({ at: seconds, value: fc.integer({ min: 0, max: 3 }), easing }), { minLength: 1, maxLength: 5 })
    .map((list) => list.toSorted((one, other) => one.at - other.at));
  const move = fc.option(fc.record({ name: fc.constantFrom("fade", "slide"), seconds }), { nil: undefined });
  const motions = fc.record({
    lead: fc.double({ min: -0.016, max: 0.016, noNaN: true }),
    seconds: fc.constant(3),
    keyframes: fc.record({ scale: keyframes, rotation: keyframes }),
    enter: move,
    exit: move,
  });
  fc.assert(
    fc.property(motions, (motion) => {
      const overlay = moving(motion);
      const runs = runsOf(overlay, rate);
      expect(runs[0]?.start).toBe(overlay.range.start);
      expect(runs.at(-1)?.end).toBe(overlay.range.end);
      for (const [index, run] of runs.entries()) {
        expect(run.end).toBeGreaterThan(run.start);
        if (index > 0) expect(run.start).toBe(runs[index - 1]!.end);
        if (run.isMoving) continue;
        const looks = new Set<string>();
        for (let frame = run.start; frame < run.end; frame++) looks.add(JSON.stringify(stateOn(overlay, frame, rate)));
        expect(looks.size).toBe(1);
      }
    }),
  );
});

describe("a group", () => {
  const child = (start: number, end: number, more: Partial<GroupLayer> = {}): GroupLayer => {
    const { range: _, ...layer } = textOverlay(`${start}`, { fontColor: white });
    return { ...still, ...layer, start, end, ...more };
  };
  const group = (layers: readonly GroupLayer[], more: { speed?: number; repeats?: boolean; seconds?: number } = {}) =>
    moving(
      {},
      {
        content: {
          kind: "group",
          box: { x: 0, y: 0, width: 320, height: 240 },
          clips: false,
          speed: 1,
          repeats: false,
          seconds: 3,
          layers,
          ...more,
        },
      },
    );
  const texts = (overlay: Overlay, frame: number) => {
    const { content } = at(overlay, frame);
    if (content.kind !== "group") throw new Error("It is no group.");
    return content.layers.map((layer) => (layer.content as TextContent).text);
  };

  test("shows its layers on its own clock", () => {
    const overlay = group([child(0, 1), child(0.5, 2)]);
    expect([0, 14, 15, 29, 30, 59, 60].map((frame) => texts(overlay, frame))).toEqual([
      ["0"],
      ["0"],
      ["0", "0.5"],
      ["0", "0.5"],
      ["0.5"],
      ["0.5"],
      [],
    ]);
  });

  test("runs faster and starts again", () => {
    const overlay = group([child(0, 1), child(1, 2)], { speed: 2, repeats: true, seconds: 2 });
    expect([0, 14, 15, 29, 30, 45].map((frame) => texts(overlay, frame)[0])).toEqual(["0", "0", "1", "1", "0", "1"]);
  });

  test("stands still while none of its layers changes", () => {
    const enter = { lead: 0, seconds: 2, enter: { name: "fade", seconds: 0.5 } };
    const overlay = group([child(0, 3), child(1, 3, { motion: enter })]);
    expect(runsOf(overlay, rate).map(({ start, end, isMoving }) => [start - 30, end - 30, isMoving])).toEqual([
      [0, 30, false],
      [30, 45, true],
      [45, 90, false],
    ]);
  });
});
