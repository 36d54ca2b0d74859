import { expect, test } from "bun:test";
import fc from "fast-check";
import { normalizeAnalysis } from "../../../../src/domain/ai/analysis/analyze.ts";
import type { VideoDescription } from "../../../../src/domain/ai/output-schemas.ts";
import type { VideoMetrics } from "../../../../src/engine/ports.ts";
import { textUpTo } from "../../../support/any-text.ts";
import { metricsOf } from "../../../support/media/video-metrics.ts";

const describing = (...descriptions: readonly string[]): VideoDescription => ({
  overall_tone: "calm",
  has_text_overlay: false,
  scenes: descriptions.map((description) => ({
    description,
    transition: "cut",
    text_overlay: null,
    camera_movement: "static",
  })),
});

test("scenes, durations, colors and tempo come from the metrics, words from the model", () => {
  expect(normalizeAnalysis(describing(" A door\nopens ", "Rain"), metricsOf([1.004, 2.5]))).toEqual({
    scene_count: 2,
    overall_tone: "calm",
    color_palette: ["#14213d"],
    tempo: "medium",
    has_text_overlay: false,
    scenes: [
      {
        index: 1,
        duration_seconds: 1,
        description: "A door opens",
        transition: "cut",
        text_overlay: null,
        camera_movement: "static",
      },
      {
        index: 2,
        duration_seconds: 2.5,
        description: "Rain",
        transition: "cut",
        text_overlay: null,
        camera_movement: "static",
      },
    ],
  });
});

const transitionsOf = (metrics: VideoMetrics, ...described: readonly (string | null)[]) => {
  const description = describing(...described.map(() => "x"));
  const scenes = description.scenes.map((scene, index) => ({ ...scene, transition: described[index]! }));
  return normalizeAnalysis({ ...description, scenes }, metrics).scenes.map(({ transition }) => transition);
};

test("a measured cut is the transition of the scene before it, whatever the model says", () => {
  expect(transitionsOf(metricsOf([1, 1, 1]), "dissolve", null, "fade to black")).toEqual([
    ...["cut", "cut", "fade to black"],
  ]);
});

test("a measured fade through black is the transition of the scene before it", () => {
  expect(transitionsOf(metricsOf([1, 1], { transition: "fade" }), "cut", null)[0]).toBe("fade");
});

test("the last scene has the model's word, else that of a cut before it", () => {
  expect(transitionsOf(metricsOf([1, 1]), null, null)).toEqual(["cut", "cut"]);
  expect(transitionsOf(metricsOf([1]), null)).toEqual([null]);
  expect(transitionsOf(metricsOf([1]), "fade out")).toEqual(["fade out"]);
});

test("a scene takes the description at the nearest position if the number of scenes differs", () => {
  const descriptionsFor = (count: number, ...descriptions: string[]) =>
    normalizeAnalysis(describing(...descriptions), metricsOf(Array(count).fill(1))).scenes.map(
      ({ description }) => description,
    );

  expect(descriptionsFor(5, "a", "b", "c", "d")).toEqual(["a", "b", "c", "c", "d"]);
  expect(descriptionsFor(2, "a", "b", "c", "d")).toEqual(["b", "d"]);
});

test("missing descriptions are made from the metrics", () => {
  const { scenes, overall_tone } = normalizeAnalysis({ ...describing(), overall_tone: " " }, metricsOf([2]));

  expect(scenes[0]?.description).toBe("Evenly lit picture, mostly navy and orange; there is gentle movement for 2 s.");
  expect(overall_tone).toBe("Steady and evenly lit, with little movement, mostly navy");
});

test("a text overlay in a scene sets has_text_overlay", () => {
  const description = describing("Sale");
  const scenes = description.scenes.map((scene) => ({ ...scene, text_overlay: " 50 % off\u0000" }));
  const { has_text_overlay, scenes: normalized } = normalizeAnalysis({ ...description, scenes }, metricsOf([2]));

  expect([has_text_overlay, normalized[0]?.text_overlay]).toEqual([true, "50 % off"]);
});

const anyText = textUpTo(40);
const anyNote = fc.option(anyText, { nil: null });
const anyDescription = fc.record({
  overall_tone: anyText,
  has_text_overlay: fc.boolean(),
  scenes: fc.array(
    fc.record({ description: anyText, transition: anyNote, text_overlay: anyNote, camera_movement: anyNote }),
    { maxLength: 20 },
  ),
});
const anyDurations = fc.array(fc.double({ min: 0.04, max: 100, noNaN: true }), { minLength: 1, maxLength: 30 });

test("any description gives a result that agrees with the metrics", () => {
  fc.assert(
    fc.property(anyDescription, anyDurations, (description, durations) => {
      const metrics = metricsOf(durations);
      const { scenes, scene_count } = normalizeAnalysis(description, metrics);
      expect([scenes.length, scene_count]).toEqual([durations.length, durations.length]);
      expect(scenes.map(({ index }) => index)).toEqual(durations.map((_, index) => index + 1));
      expect(scenes.every(({ description: text }) => text.length > 0)).toBe(true);
      const sum = scenes.reduce((total, { duration_seconds }) => total + duration_seconds, 0);
      expect(Math.abs(sum - metrics.durationSeconds)).toBeLessThan(0.0051);
      for (const [index, { duration_seconds }] of scenes.entries()) {
        expect(Math.abs(duration_seconds - durations[index]!)).toBeLessThan(0.0151);
      }
    }),
  );
});
