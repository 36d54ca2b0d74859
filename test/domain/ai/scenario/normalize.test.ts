import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Brief } from "../../../../src/domain/ai/models.ts";
import type { ScenarioOutput } from "../../../../src/domain/ai/output-schemas.ts";
import { normalizeScenario } from "../../../../src/domain/ai/scenario/normalize.ts";
import { transitionKinds } from "../../../../src/engine/timeline/track.ts";
import { isDomainError } from "../../../../src/errors.ts";
import { textUpTo } from "../../../support/any-text.ts";

type Scene = ScenarioOutput["scenes"][number];

const brief = (fields: Partial<Brief> = {}): Brief => ({
  mode: "style_transfer",
  productName: "Lumora",
  productDescription: "",
  targetAudience: "",
  language: "",
  ...fields,
});

const scene = (fields: Partial<Scene> = {}): Scene => ({
  scene_index: 0,
  duration_seconds: 4,
  image_prompt: "A lamp",
  negative_prompt: "",
  video_prompt: "It glows",
  text_overlay: null,
  voice_text: null,
  transition: "cut",
  ...fields,
});

/** Scenes in order, with one letter as the image prompt of each. */
const scenario = (letters: string, fields: Partial<Scene> = {}): ScenarioOutput => ({
  scenes: [...letters].map((image_prompt, scene_index) => scene({ scene_index, image_prompt, ...fields })),
});

test("a scene without a text has no text_overlay", () => {
  const { scenes } = scenario("ab");
  const normalized = normalizeScenario({ scenes: [scenes[0]!, { ...scenes[1]!, text_overlay: "Now" }] }, brief());
  expect(normalized.map((each) => ("text_overlay" in each ? each.text_overlay : "none"))).toEqual(["none", "Now"]);
});

test("a merged scene says what its scenes said, and a split one shares its sentences", () => {
  const voices = (count: number, texts: readonly string[]) =>
    normalizeScenario(
      { scenes: texts.map((voice_text, scene_index) => scene({ scene_index, voice_text })) },
      brief({ sceneCount: count }),
    ).map(({ voice_text }) => voice_text);

  expect(voices(1, ["Good morning.", "Have some tea."])).toEqual(["Good morning. Have some tea."]);
  expect(voices(2, ["Good morning. Have some tea."])).toEqual(["Good morning.", "Have some tea."]);
  expect(voices(2, ["Good morning."])).toEqual(["Good morning.", undefined]);
});

test("durations are scaled to the requested total", () => {
  const scenes = normalizeScenario(scenario("ab"), brief({ videoDurationSeconds: 20 }));

  expect(scenes.map(({ duration_seconds }) => duration_seconds)).toEqual([10, 10]);
});

test("without a requested total the durations stay", () => {
  expect(normalizeScenario(scenario("ab", { duration_seconds: 2.5 }), brief())).toMatchObject([
    { scene_index: 0, duration_seconds: 2.5 },
    { scene_index: 1, duration_seconds: 2.5 },
  ]);
});

test("too many scenes are merged with their neighbors; the first and the last image stay", () => {
  const scenes = normalizeScenario(scenario("abcdef"), brief({ sceneCount: 3 }));

  expect(scenes.map(({ image_prompt, duration_seconds }) => [image_prompt, duration_seconds])).toEqual([
    ["a", 8],
    ["c", 8],
    ["f", 8],
  ]);
});

test("too few scenes: the longest is split into different images, and only its last piece has the transition", () => {
  const { scenes } = scenario("ab", { transition: "fade", text_overlay: "Now" });
  const longer = { scenes: [scenes[0]!, { ...scenes[1]!, duration_seconds: 8 }] };
  const normalized = normalizeScenario(longer, brief({ sceneCount: 3 }));

  expect(normalized.map(({ duration_seconds }) => duration_seconds)).toEqual([4, 4, 4]);
  expect(normalized.map(({ transition }) => transition)).toEqual(["fade", "cut", "fade"]);
  expect(normalized.map(({ text_overlay }) => text_overlay)).toEqual(["Now", "Now", "Now"]);
  expect(new Set(normalized.map(({ image_prompt }) => image_prompt)).size).toBe(3);
});

test("scenes are sorted by scene_index if these are unique", () => {
  const swapped = {
    scenes: [scene({ scene_index: 2, image_prompt: "b" }), scene({ scene_index: 1, image_prompt: "a" })],
  };
  const sameIndex = { scenes: [scene({ image_prompt: "b" }), scene({ image_prompt: "a" })] };
  const imagePrompts = (given: ScenarioOutput) =>
    normalizeScenario(given, brief()).map(({ image_prompt }) => image_prompt);

  expect([imagePrompts(swapped), imagePrompts(sameIndex)]).toEqual([
    ["a", "b"],
    ["b", "a"],
  ]);
});

test("a scene without an image prompt takes one from its other texts; a scene without texts is dropped", () => {
  const noTexts = { image_prompt: "", video_prompt: " ", text_overlay: null };
  const normalized = normalizeScenario(
    {
      scenes: [
        scene({ scene_index: 0, image_prompt: "", video_prompt: "A door opens" }),
        scene({ scene_index: 1, ...noTexts }),
        scene({ scene_index: 2, ...noTexts, text_overlay: "Sale" }),
      ],
    },
    brief(),
  );

  expect(normalized.map(({ image_prompt }) => image_prompt)).toEqual([
    "A door opens",
    "A clear picture of Lumora that goes with the words “Sale”.",
  ]);
});

test("a scenario without content throws provider_bad_response", () => {
  const thrown = (() => {
    try {
      return normalizeScenario({ scenes: [scene({ image_prompt: "", video_prompt: "" })] }, brief({ sceneCount: 5 }));
    } catch (error) {
      return error;
    }
  })();

  expect(isDomainError(thrown) && thrown.code).toBe("provider_bad_response");
});

const anyText = textUpTo(30);
const anyScene = fc.record({
  scene_index: fc.oneof(fc.nat(9), fc.integer()),
  duration_seconds: fc.oneof(fc.double(), fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300)),
  image_prompt: fc.oneof(anyText, fc.constant("a street")),
  negative_prompt: anyText,
  video_prompt: anyText,
  text_overlay: fc.option(anyText, { nil: null }),
  voice_text: fc.option(anyText, { nil: null }),
  // safe because a stored output may be older than the schema
  transition: fc.oneof(fc.constantFrom(...transitionKinds), anyText) as fc.Arbitrary<Scene["transition"]>,
});

test("any output gives a scenario that complies with the brief", () => {
  fc.assert(
    fc.property(
      fc.array(anyScene, { maxLength: 30 }),
      fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
      fc.option(fc.double({ min: 0.01, max: 3600, noNaN: true }), { nil: undefined }),
      (scenes, sceneCount, videoDurationSeconds) => {
        const withContent = [...scenes, scene({ scene_index: 77 })];
        const normalized = normalizeScenario({ scenes: withContent }, brief({ sceneCount, videoDurationSeconds }));
        if (sceneCount) expect(normalized.length).toBe(sceneCount);
        expect(normalized.map(({ scene_index }) => scene_index)).toEqual(normalized.map((_, index) => index));
        const sum = normalized.reduce((total, { duration_seconds }) => total + duration_seconds, 0);
        if (videoDurationSeconds) expect(Math.abs(sum - videoDurationSeconds)).toBeLessThan(1e-6);
        expect(sum).toBeLessThan(3600.001);
        for (const each of normalized) {
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
