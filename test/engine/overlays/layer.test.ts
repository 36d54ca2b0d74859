import { describe, expect, test } from "bun:test";
import { createCanvas } from "@napi-rs/canvas";
import { loopTable, moveTable } from "../../../src/engine/motion/move-table.ts";
import type { Motion } from "../../../src/engine/timeline/motion.ts";
import type { Overlay, ShapeContent } from "../../../src/engine/timeline/overlay.ts";
import {
  drawAll,
  imageOverlay,
  type Pixels,
  red,
  textOverlay,
  white,
  withTemporaryFolder,
} from "../../support/media/drawn-overlays.ts";

/** A second at 30 frames: half of it is the entrance, and the rest stands still. */
const range = { start: 0, end: 30 };
const motion = (more: Partial<Motion>): Partial<Overlay> => ({ range, motion: { lead: 0, seconds: 1, ...more } });
const square = (more: Partial<ShapeContent> = {}, rest: Partial<Overlay> = {}): Overlay => ({
  range,
  opacity: 1,
  rotationDegrees: 0,
  animateIn: "none",
  animateOut: "none",
  content: { kind: "shape", shape: "rect", box: { x: 110, y: 70, width: 100, height: 100 }, fill: red, ...more },
  ...rest,
});

/** The drawn frames of one overlay, by their number on the timeline. */
async function framesOf(overlay: Overlay): Promise<ReadonlyMap<number, Pixels>> {
  const drawn = await drawAll(overlay);
  return new Map(
    drawn.flatMap(({ range: { start }, starts, frames }) => starts.map((at, index) => [start + at, frames[index]!])),
  );
}

const bytesOf = ({ data }: Pixels) => new Uint8Array(data);

const entrances = Object.entries(moveTable).filter(([, { type }]) => type !== "shape");

describe.each(entrances.map(([name]) => name))("the entrance %s", (name) => {
  test("ends with the bitmap of a still text", async () => {
    const frames = await framesOf(textOverlay("Am 12", {}, motion({ enter: { name, seconds: 0.5 } })));
    const [still] = (await drawAll(textOverlay("Am 12", {}, { range })))[0]!.frames;
    expect(Buffer.compare(bytesOf(frames.get(15)!), bytesOf(still!))).toBe(0);
    const early = frames.get(2);
    expect(early !== undefined && Buffer.compare(bytesOf(early), bytesOf(still!)) === 0).toBe(false);
  });
});

describe.each(Object.keys(loopTable))("the loop %s", (name) => {
  test("begins and ends near rest", async () => {
    const frames = await framesOf(square({}, motion({ loop: { name, seconds: 1 } })));
    const [first, last] = [frames.get(0)!, frames.get(29)!];
    expect(Math.abs(first.center.x - 160) + Math.abs(last.center.x - 160)).toBeLessThan(6);
    expect(Math.abs(first.center.y - 120) + Math.abs(last.center.y - 120)).toBeLessThan(6);
  });
});

test("a ramp lets the swings of a round grow and fade", async () => {
  const swings = async (ramp: number) => {
    const loop = { name: "shake", seconds: 1, distance: 40, frequency: 5, ramp } as const;
    const frames = await framesOf(square({}, motion({ loop })));
    // 1 and 15 lie near the peaks of the first and of a middle swing
    return [1, 15].map((frame) => Math.round(frames.get(frame)!.center.x - 160));
  };
  const [[early, middle], [weak, same]] = [await swings(0), await swings(0.5)] as [number[], number[]];
  expect(Math.abs(early!)).toBeGreaterThan(35);
  expect(Math.abs(middle!)).toBeLessThan(25);
  expect(Math.abs(weak!)).toBeLessThan(6);
  expect(same).toBe(Math.round(middle! * (1 - 1 / 30)));
});

describe("moves of a square", () => {
  const enter = (move: NonNullable<Motion["enter"]>) => framesOf(square({}, motion({ enter: move })));

  test("slide moves in its direction", async () => {
    const frames = await enter({ name: "slide", seconds: 0.5, direction: "right", distance: 100, easing: "linear" });
    // frame 7 is at 7.5 of 15
    expect(frames.get(7)!.center.x).toBeCloseTo(160 - 50, 0);
    expect(frames.get(7)!.center.y).toBeCloseTo(120, 0);
  });

  test("an exit continues in its direction", async () => {
    const exit = { name: "slide", seconds: 0.5, direction: "right", distance: 100, easing: "linear" } as const;
    const frames = await framesOf(square({}, motion({ exit })));
    expect(frames.get(22)!.center.x).toBeCloseTo(160 + 50, 0);
  });

  test("fly begins outside of the frame", async () => {
    const frames = await enter({ name: "fly", seconds: 0.5, direction: "up", easing: "linear" });
    expect(frames.get(0)!.ink).toBeLessThan(100 * 10);
    expect(frames.get(7)!.center.x).toBeCloseTo(160, 0);
  });

  test("scale grows about the middle", async () => {
    const frames = await enter({ name: "scale", seconds: 0.5, easing: "linear", fade: false });
    expect(frames.get(7)!.size.width).toBeCloseTo(50, -1);
    expect(frames.get(7)!.center).toEqual({ x: 160, y: 120 });
  });

  test("an exit scales to its own size", async () => {
    const exit = { name: "scale", seconds: 0.5, easing: "linear", fade: false, from: 0, to: 2 } as const;
    const frames = await framesOf(square({}, motion({ exit })));
    // half a frame and one more before the end: 1 + 7.5 / 15
    expect(frames.get(22)!.size.width).toBeCloseTo(150, -1);
  });

  test("a card that flips upwards comes from below and leaves over the top", async () => {
    const flip = { name: "flip", seconds: 0.5, easing: "linear", fade: false } as const;
    const middle = async (direction: "up" | "down" | "left" | "right", role: "enter" | "exit") => {
      const frames = await framesOf(square({}, motion({ [role]: { ...flip, direction } })));
      return frames.get(role === "enter" ? 7 : 22)!;
    };
    const up = await middle("up", "enter");
    // seen from twice its height, half way through the quarter of a turn
    expect(up.size.height).toBeCloseTo(100 * Math.SQRT1_2 * 1.03, -1);
    expect(up.size.width).toBe(100);
    expect(up.center.y).toBeCloseTo(120 - 6.45, 0);
    expect((await middle("down", "enter")).center.y).toBeCloseTo(120 + 6.45, 0);
    expect((await middle("up", "exit")).center.y).toBeCloseTo(120 + 6.45, 0);
    expect((await middle("right", "enter")).center.x).toBeCloseTo(160 + 6.45, 0);
  });

  test("wipe shows a part of the box", async () => {
    const frames = await enter({ name: "wipe", seconds: 0.5, easing: "linear", direction: "down" });
    expect(frames.get(7)!.ink).toBeCloseTo(5000, -2);
    expect(frames.get(7)!.at(160, 80)).toEqual([255, 0, 0, 255]);
    expect(frames.get(7)!.at(160, 160)).toEqual([0, 0, 0, 0]);
  });

  test("draw follows the outline", async () => {
    const stroke = { color: white, width: 4, cap: "butt", join: "miter" } as const;
    const { fill: _, ...outline } = square().content as ShapeContent;
    const drawn = { ...square({}, motion({ enter: { name: "draw", seconds: 0.5, easing: "linear" } })) };
    const frames = await framesOf({ ...drawn, content: { ...outline, stroke } });
    expect(frames.get(7)!.ink / frames.get(15)!.ink).toBeCloseTo(0.5, 1);
  });
});

describe("effects", () => {
  test("a turn about a corner keeps the corner", async () => {
    const anchored = square({}, { rotationDegrees: 90, effects: { anchor: { x: 0, y: 0 } } });
    const [pixels] = (await drawAll(anchored))[0]!.frames;
    expect(pixels!.center).toEqual({ x: 60, y: 120 });
  });

  test("a mirror is a negative scale", () =>
    withTemporaryFolder(async (folder) => {
      const path = `${folder}/halves.png`;
      const halves = createCanvas(2, 1).getContext("2d");
      halves.fillStyle = "red";
      halves.fillRect(0, 0, 1, 1);
      await Bun.write(path, halves.canvas.encodeSync("png"));
      const box = { x: 110, y: 70, width: 100, height: 100 };
      const [pixels] = (await drawAll(imageOverlay(path, box, { range, effects: { scaleX: -1 } })))[0]!.frames;
      expect(pixels!.at(120, 120)).toEqual([0, 0, 0, 0]);
      expect(pixels!.at(200, 120)).toEqual([255, 0, 0, 255]);
    }));

  test("a mask, a radius and a shadow act on the whole layer", async () => {
    const ellipse = {
      kind: "ellipse",
      x: 0,
      y: 0,
      width: 100,
      height: 100,
      radius: 0,
      invert: false,
      feather: 0,
    } as const;
    const [masked] = (await drawAll(square({}, { effects: { mask: ellipse } })))[0]!.frames;
    expect(masked!.ink).toBeCloseTo(Math.PI * 2500, -2);
    const shadow = { color: white, blur: 0, offsetX: 50, offsetY: 0 };
    const [shaded] = (await drawAll(square({}, { opacity: 0.5, effects: { shadow } })))[0]!.frames;
    expect(shaded!.at(180, 120)).toEqual([255, 0, 0, 128]);
    expect(shaded!.at(240, 120)).toEqual([255, 255, 255, 128]);
  });

  test("a layer masks another where it lies itself", async () => {
    const hole = { ...square({ box: { x: 110, y: 70, width: 50, height: 100 } }), start: 0, end: 1 };
    const mask = { kind: "layer", layer: hole, by: "alpha", invert: true, feather: 0 } as const;
    const [pixels] = (await drawAll(square({}, { effects: { mask } })))[0]!.frames;
    expect(pixels!.at(120, 120)).toEqual([0, 0, 0, 0]);
    expect(pixels!.at(200, 120)).toEqual([255, 0, 0, 255]);
  });

  test("a group is faded and clipped as one", async () => {
    const layers = [0, 50].map((x) => ({
      ...square({ box: { x, y: 0, width: 100, height: 100 } }),
      start: 0,
      end: 1,
    }));
    const box = { x: 100, y: 100, width: 120, height: 60 };
    const content = { kind: "group", box, clips: true, speed: 1, repeats: false, seconds: 1, layers } as const;
    const [pixels] = (await drawAll({ ...square(), content, opacity: 0.5 }))[0]!.frames;
    expect(pixels!.at(170, 110)).toEqual([255, 0, 0, 128]);
    expect(pixels!.size).toEqual({ width: 120, height: 60 });
  });

  test("a view maps a layer with its motion", async () => {
    const keyframes = { x: [{ at: 0, value: 0, easing: "linear" }] };
    const viewed = square({}, { ...motion({ keyframes }), view: { scale: 0.5, x: 10, y: 20 } });
    const [pixels] = (await drawAll(viewed))[0]!.frames;
    expect(pixels!.center).toEqual({ x: 10 + 25, y: 20 + 60 });
  });
});
