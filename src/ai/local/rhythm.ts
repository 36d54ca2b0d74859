import type { Brief } from "../../domain/ai/models.ts";
import { inHundredths, lengthsInProportion } from "../../domain/ai/scenario/durations.ts";
import { type Tempo, tempos } from "../../domain/ai/video-metrics.ts";
import { type TransitionKind, transitionKinds } from "../../timeline/track.ts";
import { moveSaidIn } from "./camera-moves.ts";
import { textIn } from "./look.ts";
import type { Beat } from "./story.ts";

/** What a reference film tells of one of its scenes, as far as it does. */
type ReferenceScene = {
  readonly seconds: number | undefined;
  readonly description: string;
  readonly movement: string;
  readonly transition: TransitionKind | undefined;
};

/** How a film moves on: its tempo, its number of scenes, its length. */
export type Rhythm = {
  readonly tempo: Tempo;
  readonly sceneCount: number;
  readonly seconds: number;
  readonly reference: readonly ReferenceScene[];
};

/** What a scene lasts in a film of this tempo. */
const sceneSeconds: Record<Tempo, number> = { fast: 2.5, medium: 4, slow: 6 };

const usualSeconds = 20;
const mostScenes = { unasked: 12, ever: 100 };

export function rhythmOf({ styleGuide, analysis, sceneCount, videoDurationSeconds }: Brief): Rhythm {
  const tempo = tempoIn(textIn(styleGuide?.tempo)) ?? tempoIn(textIn(analysis?.tempo)) ?? "medium";
  const reference = referenceScenes(analysis).slice(0, mostScenes.ever);
  const referenceSeconds = inHundredths(reference.reduce((sum, { seconds = 0 }) => sum + seconds, 0));
  const asked = sceneCount && sceneCount * sceneSeconds[tempo];
  const seconds =
    videoDurationSeconds ?? asked ?? (referenceSeconds > 0 ? Math.min(referenceSeconds, 3600) : usualSeconds);
  const unasked = reference.length || Math.round(seconds / sceneSeconds[tempo]);
  return {
    tempo,
    seconds,
    reference,
    sceneCount: sceneCount ?? Math.min(Math.max(unasked, 1), mostScenes.unasked),
  };
}

const tempoWords: Record<Tempo, RegExp> = {
  fast: /fast|quick|rapid|snappy|energetic|dynamic|schnell|rasant|rapide|rápido|veloce|быстр/i,
  slow: /slow|calm|unhurried|gentle|relaxed|langsam|ruhig|lent|lento|tranquil|медлен/i,
  medium: /medium|moderate|steady|mittel|moyen|medio|médio|средн/i,
};

const tempoIn = (text: string): Tempo | undefined => tempos.find((tempo) => tempoWords[tempo].test(text));

function referenceScenes(analysis: Brief["analysis"]): readonly ReferenceScene[] {
  const scenes = analysis?.scenes;
  if (!Array.isArray(scenes)) return [];
  return scenes
    .filter((scene): scene is Record<string, unknown> => typeof scene === "object" && scene !== null)
    .map(({ duration_seconds, description, camera_movement, transition }) => ({
      seconds: typeof duration_seconds === "number" && duration_seconds > 0 ? duration_seconds : undefined,
      description: textIn(description),
      movement: textIn(camera_movement),
      transition: transitionIn(textIn(transition)),
    }));
}

const transitionIn = (text: string): TransitionKind | undefined => {
  const word = text.toLowerCase().replace(/[^a-z]/g, "");
  return transitionKinds.find((kind) => kind === word) ?? transitionKinds.findLast((kind) => word.includes(kind));
};

/** Beginnings drive, the product and the end have time. */
const weights: Record<Beat, number> = { hook: 0.75, context: 1, product: 1.25, benefit: 1, detail: 0.8, action: 1.1 };

/** As long as the scenes of a reference of the same count, else as each beat needs; on half seconds where there is room. */
export function sceneLengths(beats: readonly Beat[], { reference, seconds }: Rhythm): readonly number[] {
  if (reference.length === beats.length && reference.every((scene) => scene.seconds !== undefined)) {
    return lengthsInProportion(
      reference.map((scene) => scene.seconds ?? 0),
      seconds,
    );
  }
  const lengths = lengthsInProportion(
    beats.map((beat) => weights[beat]),
    seconds,
  );
  return seconds >= beats.length * 2 ? onHalves(lengths) : lengths;
}

function onHalves(lengths: readonly number[]): readonly number[] {
  let end = 0;
  const ends = lengths.map((length) => {
    end += length;
    return end;
  });
  const marks = ends.map((mark, index) => (index === ends.length - 1 ? mark : Math.round(mark * 2) / 2));
  return marks.map((mark, index) => inHundredths(mark - (marks[index - 1] ?? 0)));
}

/** Those of a reference where it tells; else mostly cuts, softer ones the slower a film is. A dissolve is grainy: never. */
export function transitionAfter(index: number, beat: Beat, { tempo, reference, sceneCount }: Rhythm): TransitionKind {
  if (index === sceneCount - 1) return "cut";
  const told = reference.length === sceneCount ? reference[index]?.transition : undefined;
  return told ?? ownTransition[tempo](beat, index);
}

const ownTransition: Record<Tempo, (beat: Beat, index: number) => TransitionKind> = {
  fast: (beat, index) => (beat === "benefit" && index % 2 === 1 ? "slideleft" : "cut"),
  medium: (beat) => (beat === "context" ? "fade" : beat === "benefit" ? "slideleft" : "cut"),
  slow: (beat) => (beat === "hook" ? "fadeblack" : "fade"),
};

/** The camera of the reference scene that stands in the same place. */
export const referenceMove = (index: number, { reference, sceneCount }: Rhythm) =>
  reference.length === sceneCount ? moveSaidIn(reference[index]?.movement ?? "") : undefined;
