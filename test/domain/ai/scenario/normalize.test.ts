import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Brief } from "../../../../src/domain/ai/models.ts";
import type { ScenarioDraft } from "../../../../src/domain/ai/output-schemas.ts";
import { normalizeScenario } from "../../../../src/domain/ai/scenario/normalize.ts";
import { isDomainError } from "../../../../src/errors.ts";
import { transitionKinds } from "../../../../src/timeline/track.ts";

type Scene = ScenarioDraft["scenes"][number];

const brief = (rest: Partial<Brief> = {}): Brief => ({
  ...{ mode: "style_transfer", productName: "Lumora", productDescription: "", targetAudience: "", language: "" },
  ...rest,
});

const scene = (rest: Partial<Scene> = {}): Scene => ({
  ...{ scene_index: 0, duration_seconds: 4, image_prompt: "A lamp", negative_prompt: "", video_prompt: "It glows" },
  ...{ text_overlay: null, transition: "cut", ...rest },
});

/** Scenes with these pictures, numbered. */
const draft = (pictures: string, rest: Partial<Scene> = {}): ScenarioDraft => ({
  scenes: [...pictures].map((image_prompt, scene_index) => scene({ scene_index, image_prompt, ...rest })),
});

test("lengths are moved to the asked one in their proportion", () => {
  const scenes = normalizeScenario(draft("ab"), brief({ videoDurationSeconds: 20 }));

  expect(scenes.map(({ duration_seconds }) => duration_seconds)).toEqual([10, 10]);
});

test("without a wish a scenario stays as long as its writer made it", () => {
  expect(normalizeScenario(draft("ab", { duration_seconds: 2.5 }), brief())).toMatchObject([
    { scene_index: 0, duration_seconds: 2.5 },
    { scene_index: 1, duration_seconds: 2.5 },
  ]);
});

test("of too many scenes neighbors are joined; the first and the last picture stay", () => {
  const scenes = normalizeScenario(draft("abcdef"), brief({ sceneCount: 3 }));

  expect(scenes.map(({ image_prompt, duration_seconds }) => [image_prompt, duration_seconds])).toEqual([
    ["a", 8],
    ["c", 8],
    ["f", 8],
  ]);
});

test("of too few the longest are split; each part is a picture of its own, and only the last goes over", () => {
  const { scenes } = draft("ab", { transition: "fade", text_overlay: "Now" });
  const longer = { scenes: [scenes[0]!, { ...scenes[1]!, duration_seconds: 8 }] };
  const made = normalizeScenario(longer, brief({ sceneCount: 3 }));

  expect(made.map(({ duration_seconds }) => duration_seconds)).toEqual([4, 4, 4]);
  expect(made.map(({ transition }) => transition)).toEqual(["fade", "cut", "fade"]);
  expect(made.map(({ text_overlay }) => text_overlay)).toEqual(["Now", "Now", "Now"]);
  expect(new Set(made.map(({ image_prompt }) => image_prompt)).size).toBe(3);
});

test("scenes come in the order of their numbers, when these number them", () => {
  const swapped = {
    scenes: [scene({ scene_index: 2, image_prompt: "b" }), scene({ scene_index: 1, image_prompt: "a" })],
  };
  const alike = { scenes: [scene({ image_prompt: "b" }), scene({ image_prompt: "a" })] };
  const pictures = (given: ScenarioDraft) => normalizeScenario(given, brief()).map(({ image_prompt }) => image_prompt);

  expect([pictures(swapped), pictures(alike)]).toEqual([
    ["a", "b"],
    ["b", "a"],
  ]);
});

test("a scene without a picture gets one from what it says; one that says nothing is left out", () => {
  const silent = { image_prompt: "", video_prompt: " ", text_overlay: null };
  const made = normalizeScenario(
    {
      scenes: [
        scene({ scene_index: 0, image_prompt: "", video_prompt: "A door opens" }),
        scene({ scene_index: 1, ...silent }),
        scene({ scene_index: 2, ...silent, text_overlay: "Sale" }),
      ],
    },
    brief(),
  );

  expect(made.map(({ image_prompt }) => image_prompt)).toEqual([
    "A door opens",
    "A clear picture of Lumora that goes with the words “Sale”.",
  ]);
});

test("a scenario without scenes is no answer", () => {
  const thrown = (() => {
    try {
      return normalizeScenario({ scenes: [scene({ image_prompt: "", video_prompt: "" })] }, brief({ sceneCount: 5 }));
    } catch (error) {
      return error;
    }
  })();

  expect(isDomainError(thrown) && thrown.code).toBe("provider_bad_response");
});

const anyText = fc.string({ unit: "binary", maxLength: 30 });
const anyScene = fc.record({
  scene_index: fc.oneof(fc.nat(9), fc.integer()),
  duration_seconds: fc.oneof(fc.double(), fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300)),
  image_prompt: fc.oneof(anyText, fc.constant("a street")),
  negative_prompt: anyText,
  video_prompt: anyText,
  text_overlay: fc.option(anyText, { nil: null }),
  // safe because a model may break its schema and a kept answer may be old
  transition: fc.oneof(fc.constantFrom(...transitionKinds), anyText) as fc.Arbitrary<Scene["transition"]>,
});

test("whatever a model writes, the scenario is as asked and every scene says something", () => {
  fc.assert(
    fc.property(
      fc.array(anyScene, { maxLength: 30 }),
      fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
      fc.option(fc.double({ min: 0.01, max: 3600, noNaN: true }), { nil: undefined }),
      (scenes, sceneCount, videoDurationSeconds) => {
        const sure = [...scenes, scene({ scene_index: 77 })];
        const made = normalizeScenario({ scenes: sure }, brief({ sceneCount, videoDurationSeconds }));
        if (sceneCount) expect(made.length).toBe(sceneCount);
        expect(made.map(({ scene_index }) => scene_index)).toEqual(made.map((_, index) => index));
        const sum = made.reduce((total, { duration_seconds }) => total + duration_seconds, 0);
        if (videoDurationSeconds) expect(Math.abs(sum - videoDurationSeconds)).toBeLessThan(1e-6);
        expect(sum).toBeLessThan(3600.001);
        for (const each of made) {
          expect(each.duration_seconds).toBeGreaterThan(0);
          expect(each.image_prompt).not.toBe("");
          expect(each.video_prompt).not.toBe("");
          expect(each.text_overlay).not.toBe("");
          expect(transitionKinds as readonly string[]).toContain(each.transition);
        }
      },
    ),
  );
});
