import { type FrameRate, framesIn, toSeconds } from "../timeline/time.ts";
import type { Clip } from "../timeline/track.ts";
import { playedBy } from "./footage.ts";

type PlayedClip = Pick<Clip, "range" | "sourceStartSeconds" | "speed" | "reverses">;

/** The seconds of the source that pass until a time of the clip. */
export const playedUntil = (speed: Clip["speed"], seconds: number): number =>
  typeof speed === "object" ? playedBy(speed, seconds) : (speed ?? 1) * seconds;

/** The second of the source that a frame of a clip shows: its last frame first if it plays backwards. */
export function clipTime({ range, sourceStartSeconds, speed, reverses }: PlayedClip, frame: number, rate: FrameRate) {
  const played = (frames: number) => playedUntil(speed, toSeconds(frames, rate));
  return sourceStartSeconds + (reverses ? played(framesIn(range) - 1) - played(frame) : played(frame));
}

/** The second of the source that is heard at a second of the clip. */
export function sourceSecondsAt(
  { range, sourceStartSeconds, speed, reverses }: PlayedClip,
  seconds: number,
  rate: FrameRate,
) {
  const whole = playedUntil(speed, toSeconds(framesIn(range), rate));
  return sourceStartSeconds + (reverses ? whole - playedUntil(speed, seconds) : playedUntil(speed, seconds));
}

/** Less than a millisecond of a day. */
const halvings = 27;

/** The second of the clip at which it has played to a second of its source, within the clip. */
export function clipSecondsAt(
  { range, sourceStartSeconds, speed, reverses }: PlayedClip,
  source: number,
  rate: FrameRate,
) {
  const length = toSeconds(framesIn(range), rate);
  const wanted = reverses ? sourceStartSeconds + playedUntil(speed, length) - source : source - sourceStartSeconds;
  if (typeof speed !== "object") return Math.min(length, Math.max(0, wanted / (speed ?? 1)));
  let [start, end] = [0, length];
  for (let count = 0; count < halvings; count++) {
    const middle = (start + end) / 2;
    if (playedUntil(speed, middle) < wanted) start = middle;
    else end = middle;
  }
  return end;
}
