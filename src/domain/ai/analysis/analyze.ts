import { DomainError } from "../../../errors.ts";
import type { MediaFacts } from "../../../timeline/source.ts";
import type { Inspector, ReceivedFile } from "../../files/file-store.ts";
import type { WorkMode } from "../../works/works.ts";
import type { SeenFile, VisionModel } from "../models.ts";
import type { FilmDescription } from "../output-schemas.ts";
import type { ProviderCall } from "../provider-calls.ts";
import type { VideoAnalyzer, VideoMetrics } from "../video-metrics.ts";
import { chooseFrameTimes } from "./frame-times.ts";
import { analysisPrompt } from "./prompt.ts";
import { type AnalysisResult, normalizeAnalysis } from "./result.ts";

const maxFrameSide = 1024;

type ReadingPorts = { readonly inspector: Inspector; readonly videoAnalyzer: VideoAnalyzer };

export type ReferenceFilm = {
  readonly received: ReceivedFile;
  readonly mode: WorkMode;
  /** Empty for the built-in one. */
  readonly analyzerPrompt: string;
};

/** How a reading is to be done: by which model, and on whose account. */
export type Reading = { readonly model: VisionModel; readonly call: ProviderCall };

/** Measures a film and has a model describe it. What can be measured is never the model's word. */
export async function analyzeFilm(
  { inspector, videoAnalyzer }: ReadingPorts,
  reading: Reading,
  { received: { path, sizeBytes }, ...wish }: ReferenceFilm,
): Promise<AnalysisResult> {
  const facts = requireVideo(await inspector.inspect(path));
  const measures = await videoAnalyzer.measure(path, facts, reading.call.clientSignal);
  const description = await describeFilm(videoAnalyzer, reading, { film: { path, sizeBytes, facts }, measures, wish });
  return normalizeAnalysis(description, measures);
}

type Film = {
  readonly film: SeenFile;
  readonly measures: VideoMetrics;
  readonly wish: Omit<ReferenceFilm, "received">;
};

async function describeFilm(
  videoAnalyzer: VideoAnalyzer,
  { model, call }: Reading,
  { film, measures, wish }: Film,
): Promise<FilmDescription> {
  const frames = await framesFor(model, videoAnalyzer, { ...film, measures, signal: call.clientSignal });
  const prompt = analysisPrompt({ ...wish, measures, framesAtSeconds: frames.map(({ atSeconds }) => atSeconds) });
  const describe = () => model.describeFilm({ prompt, measures, frames, film }, call);
  return model.isBilled ? call.once("analyze", describe) : describe();
}

/** The pictures of a film for a model that sees frames; none for others. */
export async function framesFor(
  model: VisionModel,
  videoAnalyzer: VideoAnalyzer,
  film: Pick<SeenFile, "path" | "facts"> & { readonly measures: VideoMetrics; readonly signal: AbortSignal },
) {
  if (model.sees(film.facts) !== "frames") return [];
  const { path, facts, measures, signal } = film;
  return videoAnalyzer.frames(path, facts, { atSeconds: chooseFrameTimes(measures), maxSide: maxFrameSide, signal });
}

function requireVideo(facts: MediaFacts): MediaFacts {
  if (facts.kind === "video") return facts;
  throw new DomainError("unsupported_media_type", { reason: `This file is of the type ${facts.kind}, not video.` });
}
