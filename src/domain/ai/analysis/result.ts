import { cleanText, textOrNull } from "../../shared/texts.ts";
import type { FilmDescription } from "../output-schemas.ts";
import { inHundredths, lengthsBetween } from "../scenario/durations.ts";
import type { Tempo, VideoMetrics } from "../video-metrics.ts";
import { measuredScene, measuredTone } from "./wording.ts";

export type AnalyzedScene = {
  /** From 1. */
  readonly index: number;
  readonly duration_seconds: number;
  readonly description: string;
  /** How it goes over to the next one, in words. */
  readonly transition: string | null;
  readonly text_overlay: string | null;
  readonly camera_movement: string | null;
};

/** What is known of a reference film, as callers see it and as a work keeps it. */
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
 * A model's description on the measured film: scenes, lengths, colors and tempo are those of the file, words the model's.
 * Where it told of another number of scenes, each gets the words that lie nearest in the film; where it said nothing,
 * what was measured is said.
 */
export function normalizeAnalysis(description: FilmDescription, measures: VideoMetrics): AnalysisResult {
  const { scenes: measured, palette, tempo, durationSeconds } = measures;
  const lengths = lengthsBetween(
    measured.map(({ endSeconds }) => endSeconds),
    inHundredths(durationSeconds),
  );
  const scenes = measured.map((scene, index): AnalyzedScene => {
    const told = nearest(description.scenes, index, measured.length);
    return {
      index: index + 1,
      duration_seconds: lengths[index]!,
      description: cleanText(told?.description ?? "", maxCharacters.description) || measuredScene(scene),
      transition: textOrNull(told?.transition, maxCharacters.note),
      text_overlay: textOrNull(told?.text_overlay, maxCharacters.overlay),
      camera_movement: textOrNull(told?.camera_movement, maxCharacters.note),
    };
  });
  return {
    scene_count: scenes.length,
    overall_tone: cleanText(description.overall_tone, maxCharacters.tone) || measuredTone(measures),
    color_palette: palette,
    tempo,
    has_text_overlay: description.has_text_overlay || scenes.some(({ text_overlay }) => text_overlay !== null),
    scenes,
  };
}

/** Of a list that should have `count` items and has any number of them, what stands where the one at `index` should. */
const nearest = <Item>(items: readonly Item[], index: number, count: number): Item | undefined =>
  items[Math.floor(((index + 0.5) / count) * items.length)];
