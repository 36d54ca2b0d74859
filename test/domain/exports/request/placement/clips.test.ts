import { expect, test } from "bun:test";
import { type ClipStage, clipMotion } from "../../../../../src/domain/exports/request/placement/clips.ts";
import { ClipRequest } from "../../../../../src/domain/exports/request/schema.ts";

const clip = { sceneIndex: 0, position: 2, end: 6 };

const invalidPaths = (rest: object) => {
  const parsed = ClipRequest.safeParse({ ...clip, ...rest });
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join("."));
};

const keyframe = { at: 0, value: 0 };

test.each<[path: string, rest: object]>([
  ["scale", { scale: 101 }],
  ["rotation", { rotation: "1" }],
  ["opacity", { opacity: 1.1 }],
  ["filter.blur", { filter: { blur: 201 } }],
  ["filter.tint.color", { filter: { tint: { color: "no" } } }],
  ["move", { move: "shake" }],
  ["move.amount", { move: { name: "zoom-in", amount: 2 } }],
  ["move", { move: "zoom-in", keyframes: { opacity: [keyframe] } }],
  ["keyframes.fontSize", { keyframes: { fontSize: [keyframe] } }],
  ["keyframes.volume.0.value", { keyframes: { volume: [{ at: 0, value: 5 }] } }],
  ["keyframes.scale.0.easing", { keyframes: { scale: [{ at: 0, value: 1, easing: "bouncy" }] } }],
  ["filter.tint", { keyframes: { tint: [{ at: 0, value: 1 }] } }],
])("an error names the invalid field %s of a clip (%j)", (path, rest) => {
  expect(invalidPaths(rest)).toEqual([path]);
});

const placed = (rest: object, more: Partial<ClipStage> = {}) =>
  clipMotion(ClipRequest.parse({ ...clip, ...rest }), {
    canvas: { width: 1080, height: 1920 },
    seconds: 4,
    visibleSeconds: 4.5,
    path: "clips.0",
    report: (error) => {
      throw error;
    },
    ...more,
  });

const line = (from: number, to: number) => [
  { at: 0, value: from, easing: "linear" },
  { at: 4.5, value: to, easing: "linear" },
];

test("a clip without motion has no effects", () => {
  expect(placed({ volume: 2, fit: "cover" })).toEqual({});
  expect(placed({ keyframes: {}, filter: null, move: null })).toEqual({});
});

test("a move is even until the clip is not visible any more, and shows nothing beside the picture", () => {
  expect(placed({ move: "zoom-in" }).effects).toEqual({ keyframes: { scaleX: line(1, 1.15), scaleY: line(1, 1.15) } });
  expect(placed({ move: { name: "zoom-out", amount: 0.5 }, scale: { x: 2, y: 1 } }).effects?.keyframes).toEqual({
    scaleX: line(1.5, 1),
    scaleY: line(1.5, 1),
  });
  expect(placed({ move: { name: "pan-right", amount: 0.2 } }).effects?.keyframes).toEqual({
    scaleX: line(1.2, 1.2),
    scaleY: line(1.2, 1.2),
    // the camera goes right, so the picture goes left
    centerX: line(108, -108),
  });
  expect(placed({ move: { name: "pan-up", amount: 0.2 } }).effects?.keyframes?.centerY).toEqual(line(-192, 192));
});

test("keyframes are in seconds or shares of the clip, and those of the volume are the sound's", () => {
  const { effects, gains } = placed({
    opacity: 0.5,
    keyframes: { rotation: [{ at: "50%", value: 90, easing: "out-back" }], volume: [{ at: 1, value: 0 }] },
  });
  expect(effects).toEqual({
    opacity: 0.5,
    keyframes: { rotation: [{ at: 2, value: 90, easing: "out-back" }] },
  });
  expect(gains).toEqual([{ at: 1, value: 0, easing: "linear" }]);
});

test("a keyframe before its predecessor is an error with its path", () => {
  const errors: string[] = [];
  const keyframes = {
    scale: [
      { at: 3, value: 1 },
      { at: "10%", value: 2 },
    ],
  };
  placed({ keyframes }, { report: (error) => void errors.push(JSON.stringify(error.facts)) });
  expect(errors.join()).toContain("clips.0.keyframes.scale.1.at");
});
