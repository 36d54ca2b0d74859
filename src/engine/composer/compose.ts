import type { Bed, Effect, Instrument } from "./description.ts";
import { addTo, play, type Sides } from "./instruments.ts";
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
  const used = new Uint8Array(Math.ceil(samples / busBlock));
  for (const [part, own] of Map.groupBy(notes, (note) => note.part)) {
    const instrument = instruments[part.instrument];
    if (!instrument) throw new Error(`There is no instrument ${part.instrument}.`);
    used.fill(0);
    for (const { first, count } of addNotes(bus, own, instrument)) {
      used.fill(1, Math.floor(first / busBlock), Math.ceil((first + count) / busBlock));
    }
    const { reverb, delay, pan } = part;
    const gain = fromDecibels(part.volume);
    const [leftGain, rightGain] = [gain * Math.min(1, 1 - pan), gain * Math.min(1, 1 + pan)];
    const pumped = { pump, share: part.pump };
    for (const [block, isUsed] of used.entries()) {
      if (isUsed === 0) continue;
      const range = { start: block * busBlock, end: Math.min(samples, (block + 1) * busBlock) };
      for (const [side, sideGain] of [
        ["left", leftGain],
        ["right", rightGain],
      ] as const) {
        level(bus[side], range, sideGain, pumped);
        send(bus[side], output[side], range, 1);
        if (reverb > 0) send(bus[side], room[side], range, reverb);
        if (delay > 0) send(bus[side], echo[side], range, delay);
        bus[side].fill(0, range.start, range.end);
      }
    }
  }
  const { sixteenths, ...echoes } = bed.echo;
  addEcho(echo, output, { ...echoes, seconds: (sixteenths * arrangement.beatSeconds) / 4 });
  addRoom(room, output, bed.room);
  return output;
}

type Pumped = { readonly pump: Float32Array; readonly share: number };

type Range = { readonly start: number; readonly end: number };

/** Parts are mixed in pieces of so many samples: most are silent most of the time. */
const busBlock = 4096;

function level(samples: Float32Array, { start, end }: Range, gain: number, { pump, share }: Pumped): void {
  for (let at = start; at < end; at++) samples[at] = samples[at]! * gain * (1 - share * pump[at]!);
}

function send(samples: Float32Array, target: Float32Array, { start, end }: Range, gain: number): void {
  for (let at = start; at < end; at++) target[at] = target[at]! + samples[at]! * gain;
}

/** Adds notes, of which equal ones are played once, and returns where they sound, in samples. */
function addNotes(bus: Stereo, notes: readonly ScoredNote[], instrument: Instrument) {
  const played = new Map<string, Sides>();
  return notes.map(({ part, note, length, at, gain }, index) => {
    // a drum does not sound twice the same
    const variant = instrument.kind === "hit" ? index % 3 : 0;
    const key = `${part.name} ${note} ${instrument.kind === "hit" ? variant : Math.round(length * 200)}`;
    const sound = played.get(key) ?? play(instrument, { note, length }, `${part.name} ${variant}`);
    played.set(key, sound);
    const first = Math.round(at * sampleRate);
    addAt(bus, sound, first, gain);
    return { first, count: sound.left.length };
  });
}

function addAt({ left, right }: Stereo, sound: Sides, first: number, gain: number): void {
  addTo(left, sound.left, first, gain);
  addTo(right, sound.right, first, gain);
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
