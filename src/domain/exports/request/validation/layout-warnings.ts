import { clipSecondsAt } from "../../../../engine/ports.ts";
import type { GroupLayer, ImageContent } from "../../../../engine/timeline/overlay.ts";
import { pictureEnd } from "../../../../engine/timeline/source.ts";
import { type FrameRate, framesIn, toFrame, toSeconds } from "../../../../engine/timeline/time.ts";
import type { Clip } from "../../../../engine/timeline/track.ts";
import type { PlacedSound } from "../added-sounds.ts";
import type { ExportLayout } from "../resolve.ts";
import type { PlacedVoice } from "../voices.ts";
import { applyRules, type Rules, type Warning, type WarningDetail } from "../warnings.ts";
import { lateWords, leftOutCaptions } from "./caption-warnings.ts";
import { lottieWarnings } from "./lottie-warnings.ts";

type LayoutWithSounds = ExportLayout & {
  /** `audio` names the work's uploaded sound, which does not exist. */
  readonly isMusicMissing: boolean;
  readonly isMusicAudible: boolean;
  readonly voices: readonly PlacedVoice[];
  readonly missingVoices: readonly string[];
  readonly isVoiceAudible: boolean;
  /** Excludes added sounds whose files are not known. */
  readonly added: readonly PlacedSound[];
  readonly isAddedAudible: boolean;
};

/** Warnings that depend neither on the frame nor on the drawing of texts. */
const rules: Rules<LayoutWithSounds> = {
  transition_ignored: transitionsIgnored,
  source_too_short: (layout) => [...shortSources(layout), ...shortSounds(layout)],
  gap: gaps,
  overlay_past_end: overlaysPastEnd,
  audio_missing: missingMusic,
  voice_missing: voicesMissing,
  voice_too_long: voicesCut,
  fps_far_from_source: distantFrameRates,
  silent_result: silentVideo,
  script_unused: scriptUnused,
  focus_unknown: focusUnknown,
  focus_measuring: focusMeasuring,
  image_stands_still: movingImages,
  lottie_feature_ignored: lottieWarnings,
  caption_left_out: ({ captions }: LayoutWithSounds) => (captions ? leftOutCaptions(captions) : []),
};

export const layoutWarnings = (layout: LayoutWithSounds): readonly Warning[] => applyRules(rules, layout);

function transitionsIgnored({ ignoredTransitions, clips }: LayoutWithSounds): readonly WarningDetail[] {
  return ignoredTransitions.map((clip) => ({
    path: `clips.${clips.indexOf(clip)}.transition`,
    message: "The next clip starts after a gap, so there is no clip to transition to.",
  }));
}

/** A shorter gap is a cut through black. */
const minGapSeconds = 0.25;

/** A gap that causes an ignored transition is reported with it. */
function gaps({ clips, ignoredTransitions, timeline: { rate } }: LayoutWithSounds): readonly WarningDetail[] {
  const told = new Set(ignoredTransitions.map(({ range }) => range.end));
  let end = 0;
  const ordered = [...clips.entries()].sort(([, one], [, other]) => one.range.start - other.range.start);
  return ordered.flatMap(([index, { range }]) => {
    const missing = toSeconds(range.start - end, rate);
    const isTold = told.has(end);
    end = Math.max(end, range.end);
    if (missing < minGapSeconds || isTold) return [];
    const message = `Nothing is shown for ${rounded(missing)} s before this clip: the video is black and has no clip's sound there.`;
    return [{ path: `clips.${index}.position`, message }];
  });
}

function shortSources({ clips, timeline: { rate } }: LayoutWithSounds): readonly WarningDetail[] {
  return clips.flatMap((clip, index) => {
    const { source, range, reverses } = clip;
    const { kind, durationSeconds } = source.facts;
    const end = pictureEnd(source.facts);
    if (kind === "image" || durationSeconds === undefined || end === undefined) return [];
    const missingUntil = (seconds: number) => {
      const frame = toFrame(clipSecondsAt(clip, seconds, rate), rate);
      return reverses ? frame : framesIn(range) - frame;
    };
    const missing = missingUntil(end);
    if (missing <= 0) return [];
    const message = reverses
      ? `The source ends before the part that is played backwards: its last frame is held for the first ${missing} frame(s).`
      : missingUntil(durationSeconds) > 0
        ? `The source ends ${missing} frame(s) early: its last frame is held and its sound stops.`
        : `The picture of the source ends ${missing} frame(s) before its sound: its last frame is held.`;
    return [{ path: `clips.${index}`, message }];
  });
}

function movingImages({ clips, overlays }: LayoutWithSounds): readonly WarningDetail[] {
  const asVideo = "send it as a video";
  const ofClips = clips.map(({ source: { facts } }, index) => ({ path: `clips.${index}`, facts, advice: asVideo }));
  const ofOverlays = overlays.flatMap(({ path, overlay }) =>
    stillImages(overlay?.content).map(({ source: { facts } }) => {
      const canPlay = facts.durationSeconds !== undefined;
      return { path, facts, advice: canPlay ? "`repeat` plays it" : asVideo };
    }),
  );
  return [...ofClips, ...ofOverlays].flatMap(({ path, facts, advice }) => {
    if (!facts.isMoving) return [];
    const message = facts.animation
      ? "The animation stands still here: a layer of the type lottie plays it."
      : `The image moves, and only its first picture is shown: ${advice}.`;
    return [{ path, message }];
  });
}

/** The images that show one picture, also those in groups. */
function stillImages(content: GroupLayer["content"] | undefined): readonly ImageContent[] {
  if (content?.kind === "group") return content.layers.flatMap((layer) => stillImages(layer.content));
  return content?.kind === "image" && !content.plays ? [content] : [];
}

export const startsPastEnd = "It starts after the end of the video and is never visible.";

/** Overlays that are never visible, or not until their end, and captions with omitted words. */
function overlaysPastEnd({ overlays, timeline, captions, added }: LayoutWithSounds): readonly WarningDetail[] {
  const { rate, track } = timeline;
  return [
    ...overlaysWithLateEnd(overlays, rate, track.frames),
    ...soundsPastEnd(added, toSeconds(track.frames, rate)),
    ...(captions ? lateWords(captions) : []),
  ];
}

const soundsPastEnd = (added: readonly PlacedSound[], seconds: number): readonly WarningDetail[] =>
  added.flatMap(({ path, item: { position = 0, end = 0 } }) => {
    if (position >= seconds) {
      return [{ path: `${path}.position`, message: "It starts after the end of the video and is never heard." }];
    }
    if (end <= seconds + soundTolerance) return [];
    return [{ path: `${path}.end`, message: "It ends after the end of the video and is cut off there." }];
  });

/** Shorter differences are not reported, in seconds. */
const soundTolerance = 0.1;

/** Sounds whose files end before they do. */
const shortSounds = ({ added }: LayoutWithSounds): readonly WarningDetail[] =>
  added.flatMap(({ path, item: { position = 0, end }, sourceEnd }) => {
    if (sourceEnd === position) {
      return [{ path: `${path}.cutFrom`, message: "It lies after the end of the file: nothing is heard." }];
    }
    if (end === undefined || sourceEnd === undefined || sourceEnd > end - soundTolerance) return [];
    return [{ path, message: `The sound ends ${rounded(end - sourceEnd)} s early, with its file.` }];
  });

function overlaysWithLateEnd(
  overlays: LayoutWithSounds["overlays"],
  rate: FrameRate,
  frames: number,
): readonly WarningDetail[] {
  return overlays.flatMap(({ path, position, end }) => {
    if (toFrame(position, rate) >= frames) {
      return [{ path: `${path}.position`, message: startsPastEnd }];
    }
    if (toFrame(end, rate) <= frames) return [];
    return [{ path: `${path}.end`, message: "It ends after the end of the video and is cut off there." }];
  });
}

function missingMusic({ isMusicMissing }: LayoutWithSounds): readonly WarningDetail[] {
  if (!isMusicMissing) return [];
  return [{ path: "audio", message: "The work has no uploaded audio, so the video has no music." }];
}

function voicesMissing({ missingVoices }: LayoutWithSounds): readonly WarningDetail[] {
  return missingVoices.map((path) => {
    if (path === "voice") return { path, message: "No scene of a clip has a recorded voice, and the work has none." };
    if (path === "voice.from") return { path, message: "The work has no recorded voice." };
    return { path, message: "The scene has no recorded voice, so nothing is said in it." };
  });
}

function voicesCut({ voices, added, timeline: { rate, track } }: LayoutWithSounds): readonly WarningDetail[] {
  const cut = added.flatMap(({ path, item, sourceEnd = 0 }) => {
    const missing = sourceEnd - toSeconds(track.frames, rate);
    const isWhole = missing <= soundTolerance || !Number.isFinite(missing);
    if (item.role !== "voice" || item.end !== undefined || isWhole) return [];
    return [{ path, message: `The video ends ${rounded(missing)} s before the voice does.` }];
  });
  const recorded = voices.flatMap(({ path, range, isCut, source }) => {
    if (!isCut) return [];
    const heard = rounded(toSeconds(range.end - range.start, rate));
    const whole = source.facts.durationSeconds;
    const lengths = whole === undefined ? `${heard} s` : `${heard} of ${rounded(whole)} s`;
    return [{ path, message: `The voice is cut off after ${lengths}: the next one begins, or the video ends.` }];
  });
  return [...recorded, ...cut];
}

/** At 30 frames per second, sources from 20 to 45 give no warning. */
const maxRateRatio = 1.5;

const maxNamed = 10;

function distantFrameRates({ clips, timeline: { rate } }: LayoutWithSounds): readonly WarningDetail[] {
  const fps = rate.num / rate.den;
  const distant = clips.flatMap((clip, index) => (isDistant(clip, rate) ? [index] : []));
  const [first] = distant;
  if (first === undefined) return [];
  const named = distant.slice(0, maxNamed).join(", ") + (distant.length > maxNamed ? ", …" : "");
  const sourceFps = clips[first]!.source.facts.picture!.frameRate!; // safe because a distant clip has a rate
  const effect = sourceFps > fps ? "drops frames of the source" : "repeats frames of the source";
  const message = `The video has ${rounded(fps)} frames per second and the source of clip ${first} has ${rounded(sourceFps)}: it ${effect}, and motion appears uneven (clips ${named}).`;
  return [{ path: "options.fps", message }];
}

const rounded = (value: number): number => Number(value.toFixed(2));

function isDistant({ source }: Clip, { num, den }: FrameRate): boolean {
  const sourceFps = source.facts.picture?.frameRate;
  if (source.facts.kind !== "video" || !sourceFps) return false;
  const ratio = num / den / sourceFps;
  return Math.max(ratio, 1 / ratio) > maxRateRatio;
}

function silentVideo({
  timeline: { sound },
  isMusicAudible,
  isVoiceAudible,
  isAddedAudible,
  videos,
}: LayoutWithSounds): readonly WarningDetail[] {
  if (videos.sounds.some(({ leftOut }) => !leftOut)) return [];
  if (isMusicAudible || isVoiceAudible || isAddedAudible || sound.pieces.length > 0) return [];
  const message = "The video is silent: no audible clip has sound, and there is no music.";
  return [{ path: "audio", message }];
}

function scriptUnused({ isScriptUnused }: LayoutWithSounds): readonly WarningDetail[] {
  const message = "The scenario has words for these scenes, and the video shows none: captions: {} shows them.";
  return isScriptUnused ? [{ path: "captions", message }] : [];
}

function focusUnknown({ focus }: LayoutWithSounds): readonly WarningDetail[] {
  const message = "The subject cannot be located, so the center is shown: send a point.";
  return focus.flatMap((found, index) => (found === "unknown" ? [{ path: `clips.${index}.focus`, message }] : []));
}

function focusMeasuring({ focus }: LayoutWithSounds): readonly WarningDetail[] {
  const message =
    "Where the subject is is still being measured: ask again for what is followed. The export waits for it.";
  return focus.flatMap((found, index) => (found === "measuring" ? [{ path: `clips.${index}.focus`, message }] : []));
}
