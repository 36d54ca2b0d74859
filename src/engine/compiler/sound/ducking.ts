import { multiply, padOrTrimTo, resample, toFactor, toStereo } from "../filters/sound.ts";
import type { Audio } from "../graph/graph.ts";
import { openFile } from "../sources.ts";
import type { Seconds } from "./profile.ts";

/** A part of the track in which the music is lowered. */
export type Duck = Seconds & { readonly decibels: number };

/** In LU: how far the music stays below a voice. */
const distanceLu = 12;

/** Less is not heard as a step back, more as a gap. */
const leastDecibels = 9;
const mostDecibels = 18;

/** Loudness in LUFS. */
export const duckDecibels = (voice: number, music: number): number =>
  Math.min(mostDecibels, Math.max(leastDecibels, music - (voice - distanceLu)));

const gainsPerSecond = 1000;

/** The music goes down before a voice begins, and up some time after it has ended. */
const downSeconds = 0.25;
const holdSeconds = 0.2;
const upSeconds = 0.3;

/** Music that returned for a shorter pause would seem to pump. */
const shortestPauseSeconds = 1.25;

/** The gain of the music on the track, as 32-bit floats at a low rate. The ramps are smooth in decibels. */
export function duckEnvelope(ducks: readonly Duck[], seconds: number): Float32Array<ArrayBuffer> {
  // one second more than the music, because a product ends with the shorter factor
  const reductions = new Float32Array(Math.ceil((seconds + 1) * gainsPerSecond));
  for (const duck of withoutShortPauses(ducks)) {
    const first = Math.max(0, Math.floor((duck.start - downSeconds) * gainsPerSecond));
    const last = Math.min(reductions.length - 1, Math.ceil((duck.end + holdSeconds + upSeconds) * gainsPerSecond));
    for (let index = first; index <= last; index++) {
      const reduction = duck.decibels * shareAt(index / gainsPerSecond, duck);
      reductions[index] = Math.max(reductions[index]!, reduction);
    }
  }
  return reductions.map((reduction) => toFactor(-reduction));
}

function shareAt(seconds: number, { start, end }: Duck): number {
  const down = (seconds - (start - downSeconds)) / downSeconds;
  const up = (end + holdSeconds + upSeconds - seconds) / upSeconds;
  return smooth(Math.min(down, up));
}

/** From 0 to 1 without a corner. */
const smooth = (share: number): number => (1 - Math.cos(Math.PI * Math.min(1, Math.max(0, share)))) / 2;

function withoutShortPauses(ducks: readonly Duck[]): readonly Duck[] {
  const joined: Duck[] = [];
  for (const duck of ducks.toSorted((a, b) => a.start - b.start)) {
    const previous = joined.at(-1);
    if (previous && duck.start - previous.end < shortestPauseSeconds) {
      const end = Math.max(previous.end, duck.end);
      joined[joined.length - 1] = { start: previous.start, end, decibels: Math.max(previous.decibels, duck.decibels) };
    } else joined.push(duck);
  }
  return joined;
}

export const envelopeArgs = (path: string): readonly string[] =>
  openFile(path, "f32le", ["-f", "f32le", "-ar", `${gainsPerSecond}`, "-ac", "1"]);

/** Applies an envelope, read from its file, to the music. */
export const applyEnvelope = (music: Audio, envelope: Audio, samples: number): Audio =>
  padOrTrimTo(multiply(music, toStereo(resample(envelope))), samples);
