import { proportionalDurations, roundToHundredths } from "../../../domain/ai/durations.ts";
import type { Brief } from "../../../domain/ai/models.ts";
import { type Tempo, tempos } from "../../../engine/ports.ts";
import { type PlainTransitionKind, plainTransitionKinds } from "../../../engine/timeline/track.ts";
import { sum } from "../../../platform/values.ts";
import { findCameraMove } from "./camera-moves.ts";
import tempoContent from "./content/tempos.json" with { type: "json" };
import { anyOf } from "./content.ts";
import { type Beat, story } from "./story.ts";
import { stringOrEmpty } from "./visual-style.ts";

/** A scene of the reference video, as far as its analysis describes it. */
type ReferenceScene = {
  readonly durationSeconds: number | undefined;
  readonly description: string;
  readonly cameraMovement: string;
  readonly transition: PlainTransitionKind | undefined;
};

export type Pacing = {
  readonly tempo: Tempo;
  readonly sceneCount: number;
  readonly totalSeconds: number;
  readonly reference: readonly ReferenceScene[];
};

const tempoTable: Readonly<Record<Tempo, { readonly words: string; readonly sceneSeconds: number }>> = tempoContent;

const defaultTotalSeconds = 20;
const maxTotalSeconds = 3600;
const maxReferenceScenes = 100;
/** Applies if the brief names no scene count. */
const maxDefaultScenes = 12;

/** Tempo, scene count and duration: from the brief, else from the reference, else the defaults. */
export function planPacing({ styleGuide, analysis, sceneCount, videoDurationSeconds }: Brief): Pacing {
  const tempo = findTempo(stringOrEmpty(styleGuide?.tempo)) ?? findTempo(stringOrEmpty(analysis?.tempo)) ?? "medium";
  const { sceneSeconds } = tempoTable[tempo];
  const reference = referenceScenes(analysis).slice(0, maxReferenceScenes);
  const referenceSeconds = roundToHundredths(sum(reference.map(({ durationSeconds = 0 }) => durationSeconds)));
  const totalSeconds =
    videoDurationSeconds ??
    (sceneCount && sceneCount * sceneSeconds) ??
    (referenceSeconds > 0 ? Math.min(referenceSeconds, maxTotalSeconds) : defaultTotalSeconds);
  const defaultCount = reference.length || Math.round(totalSeconds / sceneSeconds);
  return {
    tempo,
    totalSeconds,
    reference,
    sceneCount: sceneCount ?? Math.min(Math.max(defaultCount, 1), maxDefaultScenes),
  };
}

const findTempo = (text: string): Tempo | undefined =>
  tempos.find((tempo) => new RegExp(anyOf(tempoTable[tempo].words), "i").test(text));

/** The analysis comes from the caller, so each field may have any type. */
function referenceScenes(analysis: Brief["analysis"]): readonly ReferenceScene[] {
  const scenes = analysis?.scenes;
  if (!Array.isArray(scenes)) return [];
  return scenes
    .filter((scene): scene is Record<string, unknown> => typeof scene === "object" && scene !== null)
    .map(({ duration_seconds, description, camera_movement, transition }) => ({
      durationSeconds: typeof duration_seconds === "number" && duration_seconds > 0 ? duration_seconds : undefined,
      description: stringOrEmpty(description),
      cameraMovement: stringOrEmpty(camera_movement),
      transition: findTransition(stringOrEmpty(transition)),
    }));
}

const findTransition = (text: string): PlainTransitionKind | undefined => {
  const word = text.toLowerCase().replace(/[^a-z]/g, "");
  return (
    plainTransitionKinds.find((kind) => kind === word) ?? plainTransitionKinds.findLast((kind) => word.includes(kind))
  );
};

/** The reference's durations if it has as many scenes, else by beat; on half seconds if scenes last 2 s on average. */
export function sceneDurations(
  beats: readonly Beat[],
  { reference, totalSeconds }: Pacing,
  weights: readonly number[] = beats.map((beat) => story.beats[beat].durationWeight),
): readonly number[] {
  if (reference.length === beats.length && reference.every(({ durationSeconds }) => durationSeconds !== undefined)) {
    const lengths = reference.map(({ durationSeconds = 0 }) => durationSeconds);
    return proportionalDurations(lengths, totalSeconds);
  }
  const durations = proportionalDurations(weights, totalSeconds);
  return totalSeconds >= beats.length * 2 ? alignToHalfSeconds(durations) : durations;
}

/** Rounds every boundary but the last. */
function alignToHalfSeconds(durations: readonly number[]): readonly number[] {
  let end = 0;
  const ends = durations.map((duration) => {
    end += duration;
    return end;
  });
  const aligned = ends.map((time, index) => (index === ends.length - 1 ? time : Math.round(time * 2) / 2));
  return aligned.map((time, index) => roundToHundredths(time - (aligned[index - 1] ?? 0)));
}

/** The reference's transition, else one by tempo. Never a dissolve, which looks grainy. */
export function transitionAfter(
  index: number,
  beat: Beat,
  { tempo, reference, sceneCount }: Pacing,
): PlainTransitionKind {
  if (index === sceneCount - 1) return "cut";
  const fromReference = reference.length === sceneCount ? reference[index]?.transition : undefined;
  return fromReference ?? defaultTransition[tempo](beat, index);
}

const defaultTransition: Record<Tempo, (beat: Beat, index: number) => PlainTransitionKind> = {
  fast: (beat, index) => (beat === "benefit" && index % 2 === 1 ? "slideleft" : "cut"),
  medium: (beat) => (beat === "context" ? "fade" : beat === "benefit" ? "slideleft" : "cut"),
  slow: (beat) => (beat === "hook" ? "fadeblack" : "fade"),
};

/** The camera move of the reference scene at this index, if the scene counts are equal. */
export const referenceMove = (index: number, { reference, sceneCount }: Pacing) =>
  reference.length === sceneCount ? findCameraMove(reference[index]?.cameraMovement ?? "") : undefined;
