import type { Keyframe } from "../../../../engine/timeline/motion.ts";
import type { GroupLayer, Overlay, VideoContent } from "../../../../engine/timeline/overlay.ts";
import type { AddedSound, SoundPiece } from "../../../../engine/timeline/sound.ts";
import {
  type FrameRate,
  framesIn,
  samplesPerSecond,
  toFrame,
  toSamples,
  toSeconds,
} from "../../../../engine/timeline/time.ts";
import type { VideoLayerRequest } from "../layers/schema.ts";
import type { RequestedVideo } from "./layers.ts";
import { timed } from "./motion.ts";
import type { Report } from "./report.ts";

/** The sound of a video layer, or why it is left out. A layer of a group that repeats has several. */
export type VideoSound = {
  readonly path: string;
  readonly sound?: AddedSound;
  /** The sound of a video whose speed changes. */
  readonly piece?: SoundPiece;
  readonly leftOut?: LeftOut;
};

type LeftOut = "speed" | "reverse" | "repeat" | "count";

type Film = { readonly rate: FrameRate; readonly frames: number; readonly report: Report };

/** A layer on the film's clock: `speed` are seconds of the layer's own clock per second of the film. */
type Clock = { readonly start: number; readonly end: number; readonly speed: number };

/** The sounds of the videos that layers show; videos that mask others are silent. */
export function videoSounds(
  overlays: readonly { readonly overlay?: Overlay | undefined }[],
  videos: ReadonlyMap<VideoContent, RequestedVideo>,
  film: Film,
): readonly VideoSound[] {
  if (videos.size === 0) return [];
  const reported = new Set<VideoContent>();
  const visits = { left: maxVisits };
  const heard = overlays.flatMap(({ overlay }) => {
    if (!overlay) return [];
    const { start, end } = overlay.range;
    // a layer begins between two frames
    const lead = overlay.motion?.lead ?? 0;
    const clock = { start: toSeconds(start, film.rate) - lead, end: toSeconds(end, film.rate), speed: 1 };
    return audibleVideos(overlay, clock, visits);
  });
  const sounds = heard
    .toSorted((one, other) => one.clock.start - other.clock.start)
    .flatMap(({ content, clock }) => {
      const requested = videos.get(content);
      if (!requested) return [];
      // the keyframes of a layer that sounds several times are reported once
      const sound = soundOf(content, clock, requested, { ...film, ...(reported.has(content) && { report: () => {} }) });
      reported.add(content);
      return sound ?? [];
    });
  return bounded(sounds);
}

/** More are noise, and each is a part of the mix. */
const maxSounds = 100;

/** A round of each repeating sound is kept as samples until the film is done. */
const maxRoundSeconds = 600;

/** Reversed sound is held in memory. */
const maxReversedSeconds = 120;

/** Leaves out the sounds that come after those that a film may have. */
function bounded(sounds: readonly VideoSound[]): readonly VideoSound[] {
  let [count, roundSeconds, reversedSeconds] = [0, 0, 0];
  return sounds.map((one) => {
    const { path, sound, piece, leftOut } = one;
    if (leftOut) return one;
    count += 1;
    if (count > maxSounds) return { path, leftOut: "count" };
    if (sound?.isRepeated) roundSeconds += restOf(sound) / sound.speed;
    if (sound?.isReversed) reversedSeconds += framesIn(sound.range) / samplesPerSecond;
    if (piece?.pace?.reverses) reversedSeconds += piece.pace.clipSeconds;
    if (roundSeconds > maxRoundSeconds) return { path, leftOut: "repeat" };
    return reversedSeconds > maxReversedSeconds ? { path, leftOut: "reverse" } : one;
  });
}

/** The seconds from the start of a sound to the end of its source. */
const restOf = ({ source, sourceStartSeconds }: Pick<VideoContent, "source" | "sourceStartSeconds">): number =>
  (source.facts.durationSeconds ?? Number.POSITIVE_INFINITY) - sourceStartSeconds;

/** Rounds in rounds in rounds: what comes later is silent. */
const maxVisits = 20_000;

type Audible = { readonly content: VideoContent; readonly clock: Clock };

/** The videos in a layer, in each round of their groups. */
function audibleVideos({ content }: Overlay | GroupLayer, clock: Clock, visits: { left: number }): readonly Audible[] {
  if (content.kind === "video") return content.source.facts.hasSound ? [{ content, clock }] : [];
  if (content.kind !== "group" || !content.layers.some(hasVideo)) return [];
  const { speed: own, repeats, seconds, layers } = content;
  const speed = clock.speed * own;
  const length = seconds / speed;
  const count = repeats && length > 0 ? Math.ceil((clock.end - clock.start) / length - tolerance) : 1;
  const rounds = Array.from({ length: Math.min(count, maxSounds + 1) }, (_, round) => {
    const start = clock.start + round * length;
    return { start, end: repeats ? Math.min(clock.end, start + length) : clock.end };
  });
  return rounds.flatMap((round) =>
    layers.flatMap((layer) => {
      const start = round.start + layer.start / speed;
      const end = Math.min(round.end, round.start + layer.end / speed);
      if (start >= end || visits.left-- <= 0) return [];
      return audibleVideos(layer, { start, end, speed }, visits);
    }),
  );
}

/** In rounds: the last one may be a rounding error. */
const tolerance = 1e-6;

const hasVideo = ({ content }: GroupLayer): boolean =>
  content.kind === "video" || (content.kind === "group" && content.layers.some(hasVideo));

const speedLimits = { min: 0.1, max: 10 };

const toSample = (seconds: number): number => Math.round(seconds * samplesPerSecond);

function soundOf(
  content: VideoContent,
  { start, end, speed: outer }: Clock,
  { path, request }: RequestedVideo,
  { rate, frames, report }: Film,
): VideoSound | undefined {
  const { volume = 1, keyframes } = request;
  const gains = gainsOf(content, outer, { path, request }, report);
  const speed = content.speed * outer;
  const range = { start: toSample(start), end: Math.min(toSample(end), toSamples(frames, rate)) };
  const { source, sourceStartSeconds: from, reverses, repeats } = content;
  if (volume === 0 || range.start >= range.end || restOf(content) <= 0) return undefined;
  const isRepeated = repeats && speed * (end - start) > restOf(content);
  if (keyframes?.speed?.length) {
    if (repeats) return { path, leftOut: "speed" };
    const piece = pieceOf(content, { start, end, speed: outer }, { volume, gains, keyframes }, { rate, frames });
    return piece && { path, piece };
  }
  if (speed < speedLimits.min || speed > speedLimits.max) return { path, leftOut: "speed" };
  // a part of a reversed video begins later in its source
  const hidden = reverses && !isRepeated ? Math.max(0, content.seconds - (end - start) * outer) * content.speed : 0;
  return {
    path,
    sound: {
      role: "clip",
      ...{ source, range, sourceStartSeconds: from + hidden, speed, isRepeated, volume },
      ...(reverses && { isReversed: true }),
      ...(gains && { gains }),
      fadeInSamples: 0,
      fadeOutSamples: 0,
    },
  };
}

type Keyed = {
  readonly volume: number;
  readonly gains: readonly Keyframe<number>[] | undefined;
  readonly keyframes: VideoLayerRequest["keyframes"];
};

/** The sound of a video whose speed changes, in frames of the film; undefined if it has none. */
function pieceOf(
  { source, sourceStartSeconds, reverses, seconds }: VideoContent,
  { start, end, speed: outer }: Clock,
  { volume, gains, keyframes }: Keyed,
  { rate, frames }: Pick<Film, "rate" | "frames">,
): SoundPiece | undefined {
  const range = { start: toFrame(start, rate), end: Math.min(toFrame(end, rate), frames) };
  if (range.start >= range.end) return undefined;
  // wrong times are reported with those of the pictures
  const [speeds] = timed(keyframes?.speed, "speed", (value) => value, { seconds, path: "", report: () => {} });
  const speed = (speeds?.[1] ?? []).map(({ at, value, easing }) => ({ at: at / outer, value: value * outer, easing }));
  const startSeconds = Math.max(0, toSeconds(range.start, rate) - start);
  return {
    ...{ source, range, sourceStartSeconds, volume, fadeInFrames: 0, fadeOutFrames: 0 },
    softEdges: { start: true, end: true },
    pace: { speed, reverses, startSeconds, clipSeconds: seconds / outer },
    ...(gains && { gains: { keyframes: gains, startSeconds } }),
  };
}

/** Keyframes on the clock of the film, from the start of the sound. */
function gainsOf(
  { seconds }: VideoContent,
  speed: number,
  { path, request }: RequestedVideo,
  report: Report,
): readonly Keyframe<number>[] | undefined {
  const [entry] = timed(request.keyframes?.volume, "volume", (value) => value, { seconds, path, report });
  return entry?.[1].map((keyframe) => ({ ...keyframe, at: keyframe.at / speed }));
}
