import type { Bed, Effect, Instrument } from "./description.ts";
import { play, type Sides } from "./instruments.ts";
import {
  addEcho,
  addRoom,
  amplify,
  clear,
  fadeEnd,
  limitPeaks,
  loudestOf,
  loudnessOf,
  newStereo,
  type Stereo,
  toWav,
} from "./mixdown.ts";
import { fromDecibels, sampleRate } from "./numbers.ts";
import { type ScoredNote, score } from "./score.ts";

/** A bed has this loudness in LUFS, with room for what lies over it. */
const bedLufs = -16;

/** The highest sample, in dBFS. */
const ceilingDecibels = -1.8;

const fadeSeconds = 0.7;

/** Silent at the end, in seconds. */
const silentSeconds = 0.06;

export type Instruments = { readonly [name: string]: Instrument };

/** What the composer makes. */
export type Composition =
  | { readonly kind: "bed"; readonly bed: Bed; readonly instruments: Instruments; readonly samples: number }
  | { readonly kind: "effect"; readonly effect: Effect };

/** Composes a sound as WAV in two channels at 48 kHz. Equal compositions give equal bytes. */
export const compose = (composition: Composition): Uint8Array<ArrayBuffer> =>
  composition.kind === "bed"
    ? composeBed(composition.bed, composition.instruments, composition.samples)
    : composeEffect(composition.effect);

/** Composes a bed of so many samples. */
function composeBed(bed: Bed, instruments: Instruments, samples: number): Uint8Array<ArrayBuffer> {
  const mix = mixBed(bed, { ...instruments, ...bed.instruments }, samples);
  clear(mix);
  amplify(mix, fromDecibels(bedLufs - loudnessOf(mix)), true);
  amplify(mix, fromDecibels(bedLufs - loudnessOf(mix)), false);
  limitPeaks(mix, fromDecibels(ceilingDecibels));
  fadeEnd(mix, fadeSeconds * sampleRate, silentSeconds * sampleRate);
  return toWav(mix);
}

function mixBed(bed: Bed, instruments: Instruments, samples: number): Stereo {
  const { arrangement, notes } = score(bed, samples / sampleRate);
  const output = newStereo(samples);
  const room = newStereo(samples);
  const echo = newStereo(samples);
  const pump = pumpOf(
    notes.filter(({ part }) => part.name === "kick"),
    samples,
    arrangement.beatSeconds,
  );
  const bus = newStereo(samples);
  for (const [part, own] of Map.groupBy(notes, (note) => note.part)) {
    const instrument = instruments[part.instrument];
    if (!instrument) throw new Error(`There is no instrument ${part.instrument}.`);
    bus.left.fill(0);
    bus.right.fill(0);
    addNotes(bus, own, instrument);
    const { reverb, delay, pan } = part;
    const gain = fromDecibels(part.volume);
    const pumped = { pump, share: part.pump };
    send(bus.left, gain * Math.min(1, 1 - pan), pumped, [output.left, room.left, echo.left], [reverb, delay]);
    send(bus.right, gain * Math.min(1, 1 + pan), pumped, [output.right, room.right, echo.right], [reverb, delay]);
  }
  const { sixteenths, ...echoes } = bed.echo;
  addEcho(echo, output, { ...echoes, seconds: (sixteenths * arrangement.beatSeconds) / 4 });
  addRoom(room, output, bed.room);
  return output;
}

type Pumped = { readonly pump: Float32Array; readonly share: number };

/** Adds a side of a part to the mix, and shares of it to the room and the echo. */
function send(
  samples: Float32Array,
  gain: number,
  { pump, share }: Pumped,
  [output, room, echo]: readonly [Float32Array, Float32Array, Float32Array],
  [reverb, delay]: readonly [number, number],
): void {
  for (let at = 0; at < samples.length; at++) {
    const value = samples[at]!;
    if (value === 0) continue;
    const heard = value * gain * (1 - share * pump[at]!);
    output[at] = output[at]! + heard;
    room[at] = room[at]! + heard * reverb;
    echo[at] = echo[at]! + heard * delay;
  }
}

/** Equal notes are played once. */
function addNotes(bus: Stereo, notes: readonly ScoredNote[], instrument: Instrument): void {
  const played = new Map<string, Sides>();
  for (const [index, { part, note, length, at, gain }] of notes.entries()) {
    // a drum does not sound twice the same
    const variant = instrument.kind === "hit" ? index % 3 : 0;
    const key = `${part.name} ${note} ${instrument.kind === "hit" ? variant : Math.round(length * 200)}`;
    const sound = played.get(key) ?? play(instrument, { note, length }, `${part.name} ${variant}`);
    played.set(key, sound);
    addAt(bus, sound, Math.round(at * sampleRate), gain);
  }
}

function addAt({ left, right }: Stereo, sound: Sides, first: number, gain: number): void {
  addSideAt(left, sound.left, first, gain);
  addSideAt(right, sound.right, first, gain);
}

function addSideAt(target: Float32Array, samples: Float32Array, first: number, gain: number): void {
  const count = Math.min(samples.length, target.length - first);
  for (let at = 0; at < count; at++) target[first + at] = target[first + at]! + samples[at]! * gain;
}

/** A gain that jumps would click. */
const edgeSamples = 200;

/** How far the kick lowers other parts, from 0 to 1. */
function pumpOf(kicks: readonly ScoredNote[], samples: number, beatSeconds: number): Float32Array {
  const pump = new Float32Array(samples);
  const length = Math.round(Math.min(0.32, beatSeconds * 0.65) * sampleRate);
  for (const { at } of kicks) {
    const first = Math.round(at * sampleRate);
    const count = Math.min(length, samples - first);
    for (let index = 0; index < count; index++) {
      const rest = Math.min(1, index / edgeSamples) * (1 - index / length);
      pump[first + index] = Math.max(pump[first + index]!, rest * rest);
    }
  }
  return pump;
}

/** Effects have this loudness at their loudest, so that one volume suits all. */
const effectLufs = -16;

function composeEffect({ instrument, reverb, seconds }: Effect): Uint8Array<ArrayBuffer> {
  const mix = newStereo(Math.round(seconds * sampleRate));
  addAt(mix, play(instrument, { note: 60, length: seconds }, "effect"), 0, 1);
  if (reverb > 0)
    addRoom({ left: mix.left.slice(), right: mix.right.slice() }, mix, { seconds: 1.2, damping: 0.3, level: reverb });
  amplify(mix, fromDecibels(effectLufs - loudestOf(mix)), false);
  limitPeaks(mix, fromDecibels(ceilingDecibels));
  fadeEnd(mix, Math.min(0.03, seconds / 4) * sampleRate, 0);
  return toWav(mix);
}
