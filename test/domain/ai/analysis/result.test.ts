import { expect, test } from "bun:test";
import fc from "fast-check";
import { normalizeAnalysis } from "../../../../src/domain/ai/analysis/result.ts";
import type { FilmDescription } from "../../../../src/domain/ai/output-schemas.ts";
import { measuresOf } from "../../../helpers/measured-films.ts";

const told = (...descriptions: readonly string[]): FilmDescription => ({
  overall_tone: "calm",
  has_text_overlay: false,
  scenes: descriptions.map((description) => ({
    ...{ description, transition: "cut", text_overlay: null, camera_movement: "static" },
  })),
});

test("scenes, lengths, colors and tempo are those of the file, words the model's", () => {
  expect(normalizeAnalysis(told(" A door\nopens ", "Rain"), measuresOf([1.004, 2.5]))).toEqual({
    scene_count: 2,
    overall_tone: "calm",
    color_palette: ["#14213d"],
    tempo: "medium",
    has_text_overlay: false,
    scenes: [
      {
        ...{ index: 1, duration_seconds: 1, description: "A door opens" },
        ...{ transition: "cut", text_overlay: null, camera_movement: "static" },
      },
      {
        ...{ index: 2, duration_seconds: 2.5, description: "Rain" },
        ...{ transition: "cut", text_overlay: null, camera_movement: "static" },
      },
    ],
  });
});

test("where a model told of another number of scenes, each gets what lies nearest", () => {
  const words = (count: number, ...descriptions: string[]) =>
    normalizeAnalysis(told(...descriptions), measuresOf(Array(count).fill(1))).scenes.map(
      ({ description }) => description,
    );

  expect(words(5, "a", "b", "c", "d")).toEqual(["a", "b", "c", "c", "d"]);
  expect(words(2, "a", "b", "c", "d")).toEqual(["b", "d"]);
});

test("what a model left out is said from the measurements", () => {
  const { scenes, overall_tone } = normalizeAnalysis({ ...told(), overall_tone: " " }, measuresOf([2]));

  expect(scenes[0]?.description).toBe("Evenly lit picture, mostly navy and orange; there is gentle movement for 2 s.");
  expect(overall_tone).toBe("Steady and evenly lit, with little movement, mostly navy");
});

test("a text in a scene is a text in the film", () => {
  const description = told("Sale");
  const scenes = description.scenes.map((scene) => ({ ...scene, text_overlay: " 50 % off\u0000" }));
  const { has_text_overlay, scenes: shown } = normalizeAnalysis({ ...description, scenes }, measuresOf([2]));

  expect([has_text_overlay, shown[0]?.text_overlay]).toEqual([true, "50 % off"]);
});

const anyText = fc.string({ unit: "binary", maxLength: 40 });
const anyNote = fc.option(anyText, { nil: null });
const anyDescription = fc.record({
  overall_tone: anyText,
  has_text_overlay: fc.boolean(),
  scenes: fc.array(
    fc.record({ description: anyText, transition: anyNote, text_overlay: anyNote, camera_movement: anyNote }),
    { maxLength: 20 },
  ),
});
const anyLengths = fc.array(fc.double({ min: 0.04, max: 100, noNaN: true }), { minLength: 1, maxLength: 30 });

test("whatever a model says, the answer is true to the file", () => {
  fc.assert(
    fc.property(anyDescription, anyLengths, (description, lengths) => {
      const measures = measuresOf(lengths);
      const { scenes, scene_count } = normalizeAnalysis(description, measures);
      expect([scenes.length, scene_count]).toEqual([lengths.length, lengths.length]);
      expect(scenes.map(({ index }) => index)).toEqual(lengths.map((_, index) => index + 1));
      expect(scenes.every(({ description: words }) => words.length > 0)).toBe(true);
      const sum = scenes.reduce((total, { duration_seconds }) => total + duration_seconds, 0);
      expect(Math.abs(sum - measures.durationSeconds)).toBeLessThan(0.0051);
      for (const [index, { duration_seconds }] of scenes.entries()) {
        expect(Math.abs(duration_seconds - lengths[index]!)).toBeLessThan(0.0151);
      }
    }),
  );
});
