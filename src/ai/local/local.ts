import { measuredPicture, measuredScene, measuredTone, weighted } from "../../domain/ai/analysis/wording.ts";
import type { Studio } from "../../domain/ai/generation/local-generator.ts";
import type { AssetTask, ImageModel, LanguageModel, VideoModel, VisionModel } from "../../domain/ai/models.ts";
import type { FilmDescription } from "../../domain/ai/output-schemas.ts";
import { moveFor } from "./camera-moves.ts";
import { colorsWritten } from "./colors.ts";
import { scenarioByRules } from "./scenario.ts";
import { styleGuideByRules } from "./style-guide.ts";

/** The provider that is this machine itself: rules and measurements, no model, no key, nothing to pay. */

const free = { isBilled: false } as const;

/** Says what was measured, and no more. */
export const localVision: VisionModel = {
  ...free,
  sees: () => "measures",
  describeFilm: async ({ measures }): Promise<FilmDescription> => ({
    overall_tone: measuredTone(measures),
    // nobody has read it
    has_text_overlay: false,
    scenes: measures.scenes.map((scene) => ({
      description: measuredScene(scene),
      transition: null,
      text_overlay: null,
      camera_movement: scene.motion < 0.02 ? "static" : null,
    })),
  }),
  describeAsset: async (task) => describedByFacts(task),
};

function describedByFacts({ file: { facts }, measures }: AssetTask): string {
  const { width = 0, height = 0, kind, durationSeconds } = facts;
  const shape = width === height ? "square" : width > height ? "wide" : "upright";
  const size = width && height ? `${shape} ${kind}, ${width} × ${height}` : kind;
  if (!measures) return `A ${size}.`;
  const { palette, scenes } = measures;
  if (kind === "image") {
    return `A ${size}. ${measuredPicture({ brightness: weighted(scenes, (scene) => scene.brightness), palette })}`;
  }
  const count = scenes.length === 1 ? "1 scene" : `${scenes.length} scenes`;
  const seconds = Math.round((durationSeconds ?? measures.durationSeconds) * 10) / 10;
  return `A ${size}, ${seconds} s in ${count}. ${measuredTone(measures)}; ${measures.hasSound ? "with" : "without"} sound.`;
}

/** Writes by rules from the facts of a brief; prompts are for models. */
export const localLanguage: LanguageModel = {
  ...free,
  writeScenario: async ({ brief }) => scenarioByRules(brief),
  readStyleGuide: async ({ text }) => styleGuideByRules(text),
};

/** Sets a storyboard frame in type. */
export const localImage = (studio: Studio): ImageModel => ({
  ...free,
  draw({ shot: { prompt, avoid, styleGuide }, resolution }, call) {
    const { tone = "", color_palette = [] } = styleGuide ?? {};
    const palette = color_palette.length > 0 ? color_palette : colorsWritten(prompt);
    return studio.drawStoryboard({ resolution, prompt, avoid, palette, tone }, call.clientSignal);
  },
});

const shortestSeconds = 0.5;
const longestSeconds = 60;

/** Moves a camera over the still picture. */
export const localVideo = (studio: Studio): VideoModel => ({
  ...free,
  nearestDuration: (wantedSeconds) =>
    Math.round(Math.min(Math.max(wantedSeconds, shortestSeconds), longestSeconds) * 100) / 100,
  animate({ movement, image: { path, facts }, resolution, durationSeconds }, call) {
    return studio.moveCamera({ path, facts, resolution, durationSeconds, move: moveFor(movement) }, call.clientSignal);
  },
});
