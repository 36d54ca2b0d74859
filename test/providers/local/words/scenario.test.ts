import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Brief } from "../../../../src/domain/ai/models.ts";
import { ScenarioOutput } from "../../../../src/domain/ai/output-schemas.ts";
import { normalizeScenario } from "../../../../src/domain/ai/scenario/normalize.ts";
import { workModes } from "../../../../src/domain/works/works.ts";
import { countWords } from "../../../../src/platform/texts.ts";
import { findCameraMove } from "../../../../src/providers/local/words/camera-moves.ts";
import { scenarioByRules } from "../../../../src/providers/local/words/scenario.ts";
import { textUpTo } from "../../../support/any-text.ts";

const brief = (rest: Partial<Brief> = {}): Brief => ({
  mode: "style_transfer",
  productName: "Lumora",
  productDescription: "",
  targetAudience: "",
  language: "",
  ...rest,
});

const scenesFor = (rest: Partial<Brief> = {}) => scenarioByRules(brief(rest)).scenes;
const textsFor = (rest: Partial<Brief>) => scenesFor(rest).map(({ text_overlay }) => text_overlay);

test("plans five scenes and 20 seconds from a product name and a palette", () => {
  const scenes = scenesFor({ styleGuide: { color_palette: ["#0B3D2E", "#F2B632"] } });

  expect(scenes.map(({ duration_seconds }) => duration_seconds)).toEqual([3, 4, 5, 3.5, 4.5]);
  expect(scenes.map(({ transition }) => transition)).toEqual(["cut", "fade", "cut", "slideleft", "cut"]);
  expect(scenes.map(({ text_overlay }) => text_overlay)).toEqual([
    "Look closer.",
    null,
    "Meet Lumora.",
    "Made for moments like this.",
    "Try Lumora today.",
  ]);
  for (const { image_prompt } of scenes) expect(image_prompt).toContain("dark green (#0b3d2e) and amber (#f2b632)");
  expect(scenes[2]?.image_prompt).toContain("Lumora stands alone on the table");
});

test("names a camera move of the local generator in every scene", () => {
  for (const { video_prompt } of scenesFor({ sceneCount: 12 })) expect(findCameraMove(video_prompt)).toBeDefined();
});

test("shows claims of the description that are short enough and in the video's language", () => {
  const productDescription =
    "Slowly roasted. Every bean comes from one farm, which we know well and visit often. Bold and honest.";
  const claims = ["Slowly roasted.", "Every bean comes from one farm.", "Bold and honest."];

  expect(textsFor({ productDescription, sceneCount: 7 }).slice(3, 6)).toEqual(claims);
  expect(textsFor({ productDescription, sceneCount: 5, language: "Deutsch" })).toEqual([
    "Schau genauer hin.",
    null,
    "Das ist Lumora.",
    "Für Momente wie diesen.",
    "Jetzt Lumora entdecken.",
  ]);
});

test("shows only the product name in a language without phrases", () => {
  expect(textsFor({ language: "Suomi" })).toEqual([null, null, "Lumora", null, "Lumora"]);
});

test.each([
  "en",
  "German",
  "français",
  "es-MX",
  "Italian",
  "pt-BR",
  "Русский",
  "ar",
  "Hindi",
  "中文",
  "Japanese",
  "ko",
])("writes a hook, the name and a call to action of at most seven words in %s", (language) => {
  const texts = textsFor({ language });
  expect([texts[0], texts[2], texts[4]].every((text) => text)).toBe(true);
  expect(texts[2]).toContain("Lumora");
  expect(texts[4]).toContain("Lumora");
  for (const text of texts) expect(countWords(text ?? "")).toBeLessThanOrEqual(7);
});

test("chooses the images by the product category", () => {
  expect(scenesFor({ productName: "Nord Coffee" })[0]?.image_prompt).toContain("coffee falls");
  expect(scenesFor({ productDescription: "Eine App für Termine" })[2]?.image_prompt).toContain("open on a phone");
  expect(scenesFor({ productName: "Painted Spain" })[0]?.image_prompt).toContain("a hand pulls a cloth away");
});

test("lights a video without a tone by its lead color", () => {
  const lightOf = (color: string) => scenesFor({ styleGuide: { color_palette: [color] } })[0]?.image_prompt;
  expect(lightOf("#101020")).toContain("Light: low light from one side");
  expect(lightOf("#e0a050")).toContain("Light: warm late daylight");
  expect(lightOf("#60a0e0")).toContain("Light: clear, even daylight");
});

test("applies the style guide: tone as light, camera style, must_include and must_avoid", () => {
  const scenes = scenesFor({
    styleGuide: { tone: "warm", must_include: ["a red ribbon"], must_avoid: ["smoke"], camera_style: "handheld" },
  });

  expect(scenes[2]?.image_prompt).toContain("In the picture too: a red ribbon.");
  for (const { image_prompt, negative_prompt, video_prompt } of scenes) {
    expect(image_prompt).toContain("Light: low, warm window light");
    expect(negative_prompt).toStartWith("smoke, ");
    expect(video_prompt).toContain("handheld");
  }
});

const analysis = {
  tempo: "fast",
  color_palette: ["#112233"],
  scenes: [
    { duration_seconds: 1, description: "A phone rings", camera_movement: "pan left", transition: "fade" },
    { duration_seconds: 3, description: "A dog barks", camera_movement: null, transition: null },
    { duration_seconds: 2, description: "A logo", camera_movement: "tilt down", transition: null },
  ],
};

test("takes durations, camera moves and colors from the reference", () => {
  const scenes = scenesFor({ analysis });

  expect(scenes.map(({ duration_seconds }) => duration_seconds)).toEqual([1, 3, 2]);
  expect(scenes.map(({ video_prompt }) => findCameraMove(video_prompt))).toEqual(["pan_left", "pull_out", "tilt_down"]);
  expect(scenes[0]?.transition).toBe("fade");
  expect(scenes[0]?.image_prompt).toContain("#112233");
  expect(scenes[0]?.image_prompt).not.toContain("phone");
});

test("retells the reference's scenes in a remix, but for the product scenes", () => {
  const scenes = scenesFor({ analysis, mode: "content_remix" });

  expect(scenes[0]?.image_prompt).toContain("A phone rings, now with Lumora");
  expect(scenes[1]?.image_prompt).toContain("Lumora stands alone");
});

test("is deterministic, and repeats no image in a long video", () => {
  expect(scenesFor({ sceneCount: 9 })).toEqual(scenesFor({ sceneCount: 9 }));
  const prompts = scenesFor({ sceneCount: 24 }).map(({ image_prompt }) => image_prompt);
  expect(new Set(prompts).size).toBe(24);
});

const anyText = fc.oneof(textUpTo(60), fc.constantFrom("warm", "#ff0000", "de", "A. B, c."));
const anyList = fc.array(anyText, { maxLength: 4 });
const anyBrief: fc.Arbitrary<Brief> = fc.record(
  {
    mode: fc.constantFrom(...workModes),
    productName: anyText,
    productDescription: anyText,
    targetAudience: anyText,
    language: anyText,
    sceneCount: fc.integer({ min: 1, max: 100 }),
    videoDurationSeconds: fc.double({ min: 0.1, max: 3600, noNaN: true }),
    styleGuide: fc.record(
      { tone: anyText, color_palette: anyList, tempo: anyText, must_include: anyList, must_avoid: anyList },
      { requiredKeys: [] },
    ),
    // safe because an analysis comes from callers and may contain anything
    analysis: fc.oneof(fc.dictionary(anyText, fc.jsonValue()), fc.constant(analysis)) as fc.Arbitrary<typeof analysis>,
  },
  { requiredKeys: ["mode", "productName", "productDescription", "targetAudience", "language"] },
);

test("writes the requested number of valid scenes for any brief", () => {
  fc.assert(
    fc.property(anyBrief, (given) => {
      const output = scenarioByRules(given);
      expect(ScenarioOutput.safeParse(output).success).toBe(true);
      const count = given.sceneCount ?? output.scenes.length;
      expect(output.scenes.length).toBe(count);
      expect(normalizeScenario(output, given).length).toBe(count);
      for (const { image_prompt, text_overlay } of output.scenes) {
        expect(image_prompt.length).toBeLessThan(2000);
        expect(countWords(text_overlay ?? "")).toBeLessThanOrEqual(8);
      }
    }),
    { numRuns: 20 },
  );
});

test.each(["en", "de", "fr", "es", "it", "pt", "ru", "ar", "hi", "ja", "zh", "ko"])(
  "what a voice says in %s fits each scene at 150 words a minute, and is said once",
  (language) => {
    for (const [sceneCount, videoDurationSeconds] of [
      [1, 6],
      [5, 15],
      [9, 45],
    ] as const) {
      const { scenes } = scenarioByRules({
        ...{ mode: "style_transfer", productName: "Lumora", productDescription: "", targetAudience: "" },
        ...{ language, sceneCount, videoDurationSeconds },
      });
      const spoken = scenes.flatMap(({ voice_text }) => voice_text ?? []);
      expect(spoken.length).toBeGreaterThan(sceneCount / 3);
      expect(new Set(spoken).size).toBe(spoken.length);
      for (const { voice_text, duration_seconds } of scenes) {
        expect(countWords(voice_text ?? "")).toBeLessThanOrEqual(Math.max(1, duration_seconds * 2.5));
      }
    }
  },
);

test("a benefit is said as the whole sentence of which the screen shows a part", () => {
  const { scenes } = scenarioByRules({
    ...{ mode: "style_transfer", productName: "Lumora", targetAudience: "", language: "en" },
    productDescription: "A warm light for the long evenings of winter, with no blue in it.",
    ...{ sceneCount: 4, videoDurationSeconds: 32 },
  });
  const said = scenes.map(({ voice_text }) => voice_text);
  expect(said).toContain("A warm light for the long evenings of winter, with no blue in it.");
});
