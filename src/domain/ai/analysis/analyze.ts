import type {
  InspectedFile,
  Inspector,
  ReceivedFile,
  VideoAnalyzer,
  VideoFrame,
  VideoMetrics,
} from "../../../engine/ports.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import { inspectFile } from "../../files/inspect-file.ts";
import type { WorkMode } from "../../works/works.ts";
import type { VisionModel } from "../models.ts";
import type { VideoDescription } from "../output-schemas.ts";
import type { ProviderCall } from "../provider-calls.ts";
import { analysisPrompt } from "./prompt.ts";
import { type AnalysisResult, normalizeAnalysis } from "./result.ts";

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
