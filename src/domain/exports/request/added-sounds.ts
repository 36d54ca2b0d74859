import type { AddedSound } from "../../../engine/timeline/sound.ts";
import type { Source } from "../../../engine/timeline/source.ts";
import { type FrameRate, samplesPerSecond, toSamples } from "../../../engine/timeline/time.ts";
import type { Timeline } from "../../../engine/timeline/timeline.ts";
import { invalid } from "../../../errors.ts";
import type { CompleteRequest } from "./fill-from-editor.ts";
import { timed } from "./placement/motion.ts";
import type { Report } from "./placement/report.ts";
import type { SoundItem } from "./sound-list.ts";

/** A sound of a request on the track; `sound` is undefined if nothing of it is heard. */
export type PlacedSound = {
  readonly path: string;
  readonly item: SoundItem;
  readonly sound: AddedSound | undefined;
  /** Seconds of the film at which its source ends, infinite for an unknown length; undefined if it repeats. */
  readonly sourceEnd: number | undefined;
};

type Film = { readonly frames: number; readonly rate: FrameRate };

const toSample = (seconds: number): number => Math.round(seconds * samplesPerSecond);

/** A round of each repeating sound is kept as samples until the film is done: an hour of them takes 1.4 GB. */
const maxRoundSeconds = 3600;
const tooLong = `Must be false: the files of all repeating sounds may last ${maxRoundSeconds} seconds together.`;

/** Places the sounds whose sources are known, by their indexes. */
export function placeSounds(
  { sounds = [], audio, voice }: Pick<CompleteRequest, "sounds" | "audio" | "voice">,
  sources: readonly (Source | undefined)[],
  { frames, rate }: Film,
  report: Report = () => {},
): readonly PlacedSound[] {
  const filmEnd = toSamples(frames, rate);
  const roles = {
    effect: { role: "effect" },
    music: { role: "music", isDucked: audio?.duck ?? false, isDuckedByVoices: voice?.duck ?? true },
    voice: { role: "voice", isNormalized: voice?.normalize ?? true },
  } as const;
  let roundSeconds = 0;
  return sounds.flatMap((item, index) => {
    const path = `sounds.${index}`;
    const source = sources[index];
    const gains = gainsOf(item, source, { path, filmSeconds: filmEnd / samplesPerSecond, report });
    if (!source) return [];
    const { position = 0, end = Number.POSITIVE_INFINITY, cutFrom = 0, speed = 1, repeat = false, volume = 1 } = item;
    const firstEnd = sourceEndOf(item, source) ?? Number.POSITIVE_INFINITY;
    const last = Math.min(filmEnd, toSample(end));
    const isRepeated = repeat && toSample(firstEnd) < last;
    if (isRepeated) roundSeconds += firstEnd - position;
    if (roundSeconds > maxRoundSeconds) report(invalid(`${path}.repeat`, tooLong));
    const isPlayed = cutFrom < (source.facts.durationSeconds ?? Number.POSITIVE_INFINITY);
    const range = { start: toSample(position), end: isRepeated ? last : Math.min(last, toSample(firstEnd)) };
    const sound: AddedSound = {
      ...roles[item.role ?? "effect"],
      ...((item.role ?? "effect") === "effect" && item.duck && { isDuckedByVoices: true }),
      ...{ source, range, sourceStartSeconds: cutFrom, speed, isRepeated, volume },
      ...(gains && { gains }),
      fadeInSamples: toSample(item.fadeIn ?? 0),
      fadeOutSamples: toSample(item.fadeOut ?? 0),
    };
    const isHeard = isPlayed && range.start < range.end && volume > 0;
    return [{ path, item, sound: isHeard ? sound : undefined, sourceEnd: repeat ? undefined : firstEnd }];
  });
}

/** Seconds of the film; undefined for a source of unknown length. */
function sourceEndOf({ position = 0, cutFrom = 0, speed = 1 }: SoundItem, { facts }: Source): number | undefined {
  if (facts.durationSeconds === undefined) return undefined;
  return position + Math.max(0, facts.durationSeconds - cutFrom) / speed;
}

type Place = { readonly path: string; readonly filmSeconds: number; readonly report: Report };

/** A percentage refers to the length of the sound as the request and its file give it, even beyond the video. */
function gainsOf(item: SoundItem, source: Source | undefined, { path, filmSeconds, report }: Place) {
  const { position = 0, end, repeat, keyframes } = item;
  const natural = source && !repeat ? sourceEndOf(item, source) : undefined;
  const last = Math.min(end ?? natural ?? filmSeconds, natural ?? Number.POSITIVE_INFINITY);
  const stage = { seconds: Math.max(0, last - position), path, report };
  return timed(keyframes?.volume, "volume", (value) => value, stage)[0]?.[1];
}

/** Where sounds end on the timeline by their files: those without an end of their own. */
export const soundEnds = (
  { sounds = [] }: Pick<CompleteRequest, "sounds">,
  sources: readonly (Source | undefined)[],
): readonly number[] =>
  sounds.flatMap((item, index) => {
    const source = sources[index];
    if (!source || item.end !== undefined || item.repeat) return [];
    return sourceEndOf(item, source) ?? [];
  });

/** Adds sounds to a timeline. Voices lower its music and are mastered with it, as recorded ones are. */
export function withSounds(
  timeline: Timeline,
  { audio, voice }: Pick<CompleteRequest, "audio" | "voice">,
  placed: readonly { readonly sound?: AddedSound | undefined }[],
): Timeline {
  const added = placed.flatMap(({ sound }) => sound ?? []);
  if (added.length === 0) return timeline;
  const hasVoices = added.some(({ role }) => role === "voice");
  const { music } = timeline.sound;
  const spoken = {
    ...(music && { music: { ...music, isDuckedByVoices: voice?.duck ?? true } }),
    isNormalized: audio?.normalize ?? true,
  };
  return { ...timeline, sound: { ...timeline.sound, added, ...(hasVoices && spoken) } };
}
