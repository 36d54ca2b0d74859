import { expect, test } from "bun:test";
import { LayerList } from "../../../../../src/domain/exports/request/layers/schema.ts";
import { placeOverlays } from "../../../../../src/domain/exports/request/place-overlays.ts";
import { completeRequest } from "../../../../storage/samples.ts";
import { videoSource } from "../../../../support/media/draw-media.ts";

const bounds = { canvas: { width: 64, height: 36 }, rate: { num: 30, den: 1 }, frames: 300 };
const source = videoSource("film", { hasSound: true, durationSeconds: 4 });

function soundsOf(...layers: object[]) {
  const list = LayerList.parse(layers);
  const pathsIn = (each: readonly object[], path: string): readonly string[] =>
    each.flatMap((layer, index) =>
      "layers" in layer ? pathsIn(layer.layers as object[], `${path}.${index}.layers`) : [`${path}.${index}.assetId`],
    );
  const files = new Map(pathsIn(list, "layers").map((path) => [path, source]));
  const request = completeRequest({ clips: [], layers: list });
  return placeOverlays(request, { images: [], fonts: [], files, language: undefined }, bounds).videos.sounds;
}

const video = (rest: object = {}) => ({ type: "video", assetId: "a", ...rest });

test("a reversed video that its group cuts off sounds from what it shows", () => {
  const group = {
    type: "group",
    position: 1,
    end: 2,
    speed: 2,
    layers: [video({ end: 3, cutFrom: 0.5, reverse: true })],
  };
  expect(soundsOf(group)).toMatchObject([
    { sound: { range: { start: 48_000, end: 96_000 }, speed: 2, isReversed: true, sourceStartSeconds: 0.5 } },
  ]);
});

test("only what has an end in its source repeats", () => {
  const repeats = soundsOf(
    video({ end: 4, repeat: true }),
    video({ end: 5, repeat: true }),
    video({ end: 4, cutFrom: 1, repeat: true }),
  );
  expect(repeats.map(({ sound }) => sound?.isRepeated)).toEqual([false, true, true]);
});

test("a film has at most 100 sounds of videos, whatever groups repeat in each other", () => {
  const nested = (layers: object[], end: number) => ({ type: "group", repeat: true, layers, end });
  const inner = nested([video({ end: 0.01 }), { type: "shape", shape: "rect", end: 0.02 }], 0.2);
  const sounds = soundsOf(nested([nested([inner], 1)], 10));
  expect(sounds.filter(({ leftOut }) => !leftOut)).toHaveLength(100);
  expect(sounds.at(-1)).toMatchObject({ leftOut: "count" });
  const silent = nested(
    [nested([nested([video({ position: 0.5, end: 0.6 }), { type: "shape", shape: "rect", end: 0.01 }], 0.1)], 1)],
    10,
  );
  expect(soundsOf(silent)).toEqual([]);
});
