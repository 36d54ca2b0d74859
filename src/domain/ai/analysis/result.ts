import type { Tempo, VideoMetrics } from "../../../engine/ports.ts";
import { cleanText, textOrNull } from "../../../platform/texts.ts";
import { durationsBetween, roundToHundredths } from "../durations.ts";
import type { VideoDescription } from "../output-schemas.ts";
import { sceneWording, toneWording } from "./wording.ts";

type AnalyzedScene = {
  /** Counted from 1. */
  readonly index: number;
  readonly duration_seconds: number;
  readonly description: string;
  /** The transition to the next scene, in words; `cut` or `fade` where that was measured. */
  readonly transition: string | null;
  readonly text_overlay: string | null;
  readonly camera_movement: string | null;
};

/** The analysis of a reference video, as the API returns it and as a work stores it. */
export type AnalysisResult = {
  readonly scene_count: number;
  readonly overall_tone: string;
  /** `#rrggbb`, the most common first. */
  readonly color_palette: readonly string[];
  readonly tempo: Tempo;
  readonly has_text_overlay: boolean;
  readonly scenes: readonly AnalyzedScene[];
};

const maxCharacters = { tone: 300, description: 1500, overlay: 500, note: 200 };

/**
 * Merges a model's description into the metrics: scenes, durations, transitions, colors and tempo come from the metrics,
 * the words from the model. If the model describes another number of scenes, each measured scene takes the description at the
 * nearest relative position. Missing descriptions are replaced by wording made from the metrics.
 */
export function normalizeAnalysis(description: VideoDescription, metrics: VideoMetrics): AnalysisResult {
  const durations = durationsBetween(
    metrics.scenes.map(({ endSeconds }) => endSeconds),
    roundToHundredths(metrics.durationSeconds),
  );
  // a last scene without a description takes the cut that it begins with
  const cutBefore = (index: number) => (metrics.scenes[index - 1]?.transition === "cut" ? "cut" : null);
  const scenes = metrics.scenes.map((scene, index): AnalyzedScene => {
    const described = nearest(description.scenes, index, metrics.scenes.length);
    return {
      index: index + 1,
      duration_seconds: durations[index]!,
      description: cleanText(described?.description ?? "", maxCharacters.description) || sceneWording(scene),
      transition: scene.transition ?? textOrNull(described?.transition, maxCharacters.note) ?? cutBefore(index),
      text_overlay: textOrNull(described?.text_overlay, maxCharacters.overlay),
      camera_movement: textOrNull(described?.camera_movement, maxCharacters.note),
    };
  });
  return {
    scene_count: scenes.length,
    overall_tone: cleanText(description.overall_tone, maxCharacters.tone) || toneWording(metrics),
    color_palette: metrics.palette,
    tempo: metrics.tempo,
    has_text_overlay: description.has_text_overlay || scenes.some(({ text_overlay }) => text_overlay !== null),
    scenes,
  };
}

/** Finds the item at the same relative position as `index` in a list of `count` items. */
const nearest = <Item>(items: readonly Item[], index: number, count: number): Item | undefined =>
  items[Math.floor(((index + 0.5) / count) * items.length)];
