import { type FrameRate, toFrame } from "../../../timeline/time.ts";
import type { Clip } from "../../../timeline/track.ts";
import type { VideoTarget } from "../targets.ts";
import { applyRules, type ExportLayout, type Warning, type WarningDetail } from "../warnings.ts";
import { frameWarnings } from "./frame-warnings.ts";
import { textRules, type VisibleText } from "./text-warnings.ts";

/** Everything known about an export without rendering it. */
export type PreflightInput = ExportLayout & {
  readonly texts: readonly VisibleText[];
  readonly hasMusic: boolean;
  readonly targets: readonly VideoTarget[];
};

/** Warnings of a validation only: an export does not compute them. */
const rules = {
  ...textRules,
  overlay_past_end: cutOffOverlays,
  fps_far_from_source: distantFrameRates,
  silent_result: silentVideo,
} satisfies Record<string, (input: PreflightInput) => readonly WarningDetail[]>;

export const preflightWarnings = (input: PreflightInput): readonly Warning[] => [
  ...applyRules(rules, input),
  ...frameWarnings(input, input.targets),
];

/** Overlays that are visible, but not to their end. */
function cutOffOverlays({ overlays, timeline: { rate, track } }: PreflightInput): readonly WarningDetail[] {
  return overlays
    .filter(({ position, end }) => toFrame(position, rate) < track.frames && toFrame(end, rate) > track.frames)
    .map(({ path }) => ({ path: `${path}.end`, message: "It ends after the end of the video and is cut off there." }));
}

/** At 30 frames per second, sources from 20 to 45 give no warning. */
const maxRateRatio = 1.5;

const maxNamed = 10;

function distantFrameRates({ clips, timeline: { rate } }: PreflightInput): readonly WarningDetail[] {
  const fps = rate.num / rate.den;
  const distant = clips.flatMap((clip, index) => (isDistant(clip, rate) ? [index] : []));
  const [first] = distant;
  if (first === undefined) return [];
  const named = distant.slice(0, maxNamed).join(", ") + (distant.length > maxNamed ? ", …" : "");
  const sourceFps = clips[first]!.source.facts.picture!.frameRate!; // safe because a distant clip has a rate
  const effect = sourceFps > fps ? "drops frames of the source" : "repeats frames of the source";
  const message = `The video has ${rounded(fps)} frames per second and the source of clip ${first} has ${rounded(sourceFps)}: it ${effect}, and motion looks uneven (clips ${named}).`;
  return [{ path: "options.fps", message }];
}

const rounded = (fps: number): number => Number(fps.toFixed(2));

function isDistant({ source }: Clip, { num, den }: FrameRate): boolean {
  const sourceFps = source.facts.picture?.frameRate;
  if (source.facts.kind !== "video" || !sourceFps) return false;
  const ratio = num / den / sourceFps;
  return Math.max(ratio, 1 / ratio) > maxRateRatio;
}

function silentVideo({ timeline: { sound }, hasMusic }: PreflightInput): readonly WarningDetail[] {
  if (hasMusic || sound.pieces.length > 0) return [];
  const message = "The video is silent: no audible clip has sound, and there is no music.";
  return [{ path: "audio", message }];
}
