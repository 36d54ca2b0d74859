import type {
  InspectedFile,
  Inspector,
  ReceivedFile,
  Tempo,
  VideoAnalyzer,
  VideoFrame,
  VideoMetrics,
} from "../../../engine/ports.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import { cleanText, textOrNull } from "../../../platform/texts.ts";
import { inspectFile } from "../../files/inspect-file.ts";
import type { WorkMode } from "../../works/works.ts";
import { durationsBetween, roundToHundredths } from "../durations.ts";
import type { VisionModel } from "../models.ts";
import type { VideoDescription } from "../output-schemas.ts";
import type { ProviderCall } from "../provider-calls.ts";
import { analysisPrompt } from "./prompt.ts";
import { sceneWording, toneWording } from "./wording.ts";

const maxFrameSide = 1024;

type AnalyzeVideoPorts = { readonly inspector: Inspector; readonly videoAnalyzer: VideoAnalyzer };

type ReferenceVideo = {
  readonly received: ReceivedFile;
  readonly mode: WorkMode;
  /** Empty for the built-in prompt. */
  readonly analyzerPrompt: string;
};

/** The model that describes the video, and the request that its calls belong to. */
export type AnalysisContext = { readonly model: VisionModel; readonly call: ProviderCall };

/** Measures a video and lets a model describe it. Measured values never come from the model. */
export async function analyzeVideo(
  { inspector, videoAnalyzer }: AnalyzeVideoPorts,
  context: AnalysisContext,
  { received: { path, sizeBytes }, ...options }: ReferenceVideo,
): Promise<AnalysisResult> {
  const facts = await inspectFile(inspector, path, "video", context.call.taskOptions);
  const metrics = await videoAnalyzer.measure(path, facts, context.call.taskOptions);
  const video = { path, sizeBytes, facts };
  const description = await describeVideo(videoAnalyzer, context, { video, metrics, options });
  return normalizeAnalysis(description, metrics);
}

type MeasuredVideo = {
  readonly video: InspectedFile;
  readonly metrics: VideoMetrics;
  readonly options: Omit<ReferenceVideo, "received">;
};

async function describeVideo(
  videoAnalyzer: VideoAnalyzer,
  { model, call }: AnalysisContext,
  { video, metrics, options }: MeasuredVideo,
): Promise<VideoDescription> {
  const frames = await sampleFrames(model, videoAnalyzer, { ...video, metrics }, call.taskOptions);
  const prompt = analysisPrompt({ ...options, metrics, framesAtSeconds: frames.map(({ atSeconds }) => atSeconds) });
  const describe = () => model.describeVideo({ prompt, metrics, frames, video }, call);
  return model.isBilled ? call.runOnce("analyze", describe) : describe();
}

/** Samples frames of the video if the model takes frames; otherwise none. */
export async function sampleFrames(
  model: VisionModel,
  videoAnalyzer: VideoAnalyzer,
  video: Pick<InspectedFile, "path" | "facts"> & { readonly metrics: VideoMetrics },
  options: Required<TaskOptions>,
): Promise<readonly VideoFrame[]> {
  if (model.inputFor(video.facts) !== "frames") return [];
  const { path, facts, metrics } = video;
  const atSeconds = chooseFrameTimes(metrics);
  return videoAnalyzer.frames(path, facts, { ...options, atSeconds, maxSide: maxFrameSide });
}

/** Limits both the size of a model call and its price. */
const maxFrames = 24;

/** Frames of one scene that are closer than this look alike. */
const minStepSeconds = 1;

/**
 * Chooses the times, in seconds, of the frames that a model sees. Each scene gives at least one frame, long scenes
 * more, each from the middle of an equal section of its scene, so that no frame lies on a cut. With more than 24
 * scenes, only an even selection of them gives frames.
 */
export function chooseFrameTimes({ scenes }: Pick<VideoMetrics, "scenes">): readonly number[] {
  const selected = selectEvenly(scenes, maxFrames);
  const counts = frameCounts(selected.map(({ startSeconds, endSeconds }) => endSeconds - startSeconds));
  return selected.flatMap(({ startSeconds, endSeconds }, scene) => {
    const count = counts[scene]!;
    const sectionSeconds = (endSeconds - startSeconds) / count;
    return Array.from({ length: count }, (_, section) => startSeconds + (section + 0.5) * sectionSeconds);
  });
}

/** One frame for each scene; each remaining frame goes to the scene that then has the longest time between frames. */
function frameCounts(durations: readonly number[]): readonly number[] {
  const counts = durations.map(() => 1);
  for (let remaining = maxFrames - counts.length; remaining > 0; remaining--) {
    const steps = durations.map((duration, scene) => duration / (counts[scene]! + 1));
    const scene = steps.indexOf(Math.max(...steps));
    if (scene < 0 || steps[scene]! < minStepSeconds) break;
    counts[scene]!++;
  }
  return counts;
}

const selectEvenly = <Item>(items: readonly Item[], max: number): readonly Item[] =>
  items.length <= max
    ? items
    : Array.from({ length: max }, (_, index) => items[Math.floor(((index + 0.5) * items.length) / max)]!);

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
