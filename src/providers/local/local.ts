import { imageWording, sceneWording, toneWording, weightedMean } from "../../domain/ai/analysis/wording.ts";
import { roundToHundredths } from "../../domain/ai/durations.ts";
import type { LocalGenerator } from "../../domain/ai/generation/local-generator.ts";
import type {
  DescribeAssetTask,
  ImageModel,
  ImageToCompare,
  LanguageModel,
  VideoModel,
  VisionModel,
} from "../../domain/ai/models.ts";
import type { ProductMatch, VideoDescription } from "../../domain/ai/output-schemas.ts";
import { colorNames } from "../../domain/language/color-names.ts";
import { colorDistance, parseColor } from "../../platform/colors.ts";
import { toTenths } from "../../platform/values.ts";
import { chooseCameraMove } from "./words/camera-moves.ts";
import { findColors } from "./words/colors.ts";
import { scenarioByRules } from "./words/scenario.ts";
import { styleGuideByRules } from "./words/style-guide.ts";

// the local provider needs no model and no API key: rules and measurements on this machine
const free = { isBilled: false } as const;

/** Describes only measurable facts. */
export const localVision: VisionModel = {
  ...free,
  inputFor: () => "metrics",
  describeVideo: async ({ metrics }): Promise<VideoDescription> => ({
    overall_tone: toneWording(metrics),
    // measurements do not find text
    has_text_overlay: false,
    scenes: metrics.scenes.map((scene) => ({
      description: sceneWording(scene),
      transition: null,
      text_overlay: null,
      camera_movement: scene.motion < 0.02 ? "static" : null,
    })),
  }),
  // measurements show no subject: the focus finder measures separately
  describeAsset: async (task) => ({ description: describeByFacts(task), subject_boxes: [] }),
  matchProduct: async ({ picture, references }) => matchByColors(picture, references),
};

function describeByFacts({ file: { facts }, metrics }: DescribeAssetTask): string {
  const { width = 0, height = 0, kind, durationSeconds } = facts;
  const shape = width === height ? "square" : width > height ? "wide" : "upright";
  const size = width && height ? `${shape} ${kind}, ${width} × ${height}` : kind;
  if (!metrics) return `A ${size}.`;
  const { palette, scenes } = metrics;
  if (kind === "image") {
    return `A ${size}. ${imageWording({ brightness: weightedMean(scenes, (scene) => scene.brightness), palette })}`;
  }
  const count = scenes.length === 1 ? "1 scene" : `${scenes.length} scenes`;
  const seconds = toTenths(durationSeconds ?? metrics.durationSeconds);
  return `A ${size}, ${seconds} s in ${count}. ${toneWording(metrics)}; ${metrics.hasSound ? "with" : "without"} sound.`;
}

/** The CIEDE2000 distance below which colors may be shades of one in different light. */
const maxShadeDistance = 25;

/** Measurements know only colors: a strong color of every picture of the product must be in the new one. */
function matchByColors(picture: ImageToCompare, references: readonly ImageToCompare[]): ProductMatch {
  const shown = picture.metrics?.palette ?? [];
  const [first = [], ...others] = references.map(({ metrics }) => (metrics?.palette ?? []).filter(isStrong));
  const isIn = (palette: readonly string[], color: string) =>
    palette.some((other) => distanceOf(color, other) <= maxShadeDistance);
  const ofProduct = first.filter((color) => others.every((palette) => isIn(palette, color)));
  const missing = colorNames(ofProduct.filter((color) => !isIn(shown, color)));
  return {
    matches: missing.length === 0,
    differences: missing.map((name) => `The ${name} of the product is missing.`),
  };
}

const distanceOf = (one: string, other: string): number => colorDistance(parseColor(one)!, parseColor(other)!);

/** False for grays, which backgrounds and shadows have, too. */
const isStrong = (color: string): boolean => {
  const { red, green, blue } = parseColor(color)!;
  return Math.max(red, green, blue) - Math.min(red, green, blue) > 60;
};

/** Writes by rules from the facts of a task and ignores its prompt. */
export const localLanguage: LanguageModel = {
  ...free,
  plan: scenarioByRules,
  writeScenario: async ({ brief }) => scenarioByRules(brief),
  extractStyleGuide: async ({ text }) => styleGuideByRules(text),
};

/** Draws a storyboard frame with the prompt as its caption. */
export const localImage = (generator: LocalGenerator): ImageModel => ({
  ...free,
  draw({ shot: { prompt, avoid, styleGuide, design }, resolution }, call) {
    const { tone = "", color_palette = [] } = styleGuide ?? {};
    const palette = color_palette.length > 0 ? color_palette : findColors(prompt);
    return generator.drawStoryboard({ resolution, prompt, avoid, palette, tone, design }, call.taskOptions);
  },
});

const minSeconds = 0.5;
const maxSeconds = 60;

/** Moves a virtual camera over the image. */
export const localVideo = (generator: LocalGenerator): VideoModel => ({
  ...free,
  nearestDuration: (wantedSeconds) => roundToHundredths(Math.min(Math.max(wantedSeconds, minSeconds), maxSeconds)),
  animate({ movement, image: { path, facts }, resolution, durationSeconds, direct, design }, call) {
    return generator.moveCamera(
      { path, facts, resolution, durationSeconds, move: chooseCameraMove(movement), direct, design },
      call.taskOptions,
    );
  },
});
