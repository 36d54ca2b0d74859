/** Composes twenty seconds of music, two beats per second, as 16-bit stereo WAV. */

const sampleRate = 48_000;
const seconds = 20;
export const beatSeconds = 0.5;

/** Semitones above A2; each chord lasts four beats. */
const chords = [
  [3, 7, 10, 15],
  [-2, 5, 10, 14],
  [0, 7, 12, 15],
  [-4, 3, 8, 12],
  [3, 7, 10, 15],
  [-2, 5, 10, 14],
  [0, 7, 12, 15],
  [-4, 3, 8, 12],
  [-2, 5, 10, 17],
  [3, 7, 10, 15],
] as const;

const frequency = (semitones: number) => 110 * 2 ** (semitones / 12);

type Note = {
  readonly at: number;
  readonly seconds: number;
  readonly volume: number;
  /** From 0, left, to 1, right. */
  readonly pan: number;
  /** The sample value `t` seconds after the note's start. */
  readonly wave: (t: number) => number;
};

const sine = (hertz: number, t: number) => Math.sin(2 * Math.PI * hertz * t);

/** A struck note with a little of its octave, like a soft electric piano. */
const pluck = (hertz: number) => (t: number) =>
  Math.min(1, t * 250) *
  (sine(hertz, t) * Math.exp(-4 * t) +
    0.35 * sine(2 * hertz, t) * Math.exp(-7 * t) +
    0.1 * sine(4 * hertz, t) * Math.exp(-14 * t));

const pad = (hertz: number) => (t: number) =>
  Math.min(1, t * 2, (2.2 - t) * 3) * (sine(hertz, t) + 0.6 * sine(hertz * 1.003, t)) * 0.5;

const bass = (hertz: number) => (t: number) =>
  Math.min(1, t * 200) * Math.exp(-3 * t) * (sine(hertz, t) + 0.2 * sine(2 * hertz, t));

const kick = (t: number) => Math.exp(-18 * t) * Math.sin(2 * Math.PI * (48 * t + 3.2 * (1 - Math.exp(-28 * t))));

/** Deterministic noise, so that the music is always the same. */
const shaker = (t: number) =>
  Math.exp(-60 * t) * (((Math.sin(Math.floor(t * sampleRate) * 12.9898) * 43_758.5453) % 1) * 0.8);

/** The chord tones that the melody plays, in eighth notes. */
const arpeggio = [0, 2, 1, 3, 2, 3, 1, 2];

function notes(): readonly Note[] {
  const bars = chords.flatMap((chord, bar) => {
    const at = bar * 4 * beatSeconds;
    const pads = chord.map(
      (tone, index): Note => ({
        at,
        seconds: 2.2,
        volume: 0.05,
        pan: 0.2 + 0.2 * index,
        wave: pad(frequency(tone + 12)),
      }),
    );
    const melody = arpeggio.map(
      (tone, index): Note => ({
        at: at + (index * beatSeconds) / 2,
        seconds: 1.2,
        volume: index % 4 === 0 ? 0.2 : 0.14,
        pan: index % 2 === 0 ? 0.35 : 0.65,
        wave: pluck(frequency(chord[tone]! + 24)),
      }),
    );
    const bassNotes = [0, 3].map(
      (beat): Note => ({
        at: at + beat * beatSeconds,
        seconds: 1,
        volume: 0.3,
        pan: 0.5,
        wave: bass(frequency(chord[0] - 12)),
      }),
    );
    return [...pads, ...melody, ...bassNotes];
  });
  // grows with the cuts, and ends as it began
  const share = (at: number) => (at < cuts.first || at >= cuts.last ? 0.6 : at < cuts.second ? 0.8 : 1);
  return [...bars.map((note) => ({ ...note, volume: note.volume * share(note.at) })), ...drums()];
}

/** Where cuts of the demo's film are: the drums start, grow, and stop for the end card, after a beat of silence. */
const cuts = { first: 4.5, second: 8, last: 16 };

function drums(): readonly Note[] {
  const count = (cuts.last - cuts.first) / beatSeconds - 1;
  const beats = Array.from({ length: count }, (_, index) => cuts.first + index * beatSeconds);
  return [...beats, cuts.last].flatMap((at): Note[] => [
    { at, seconds: 0.3, volume: at === cuts.last ? 0.5 : 0.4, pan: 0.5, wave: kick },
    ...(at >= cuts.second && at < cuts.last
      ? [{ at: at + beatSeconds / 2, seconds: 0.1, volume: 0.08, pan: 0.6, wave: shaker }]
      : []),
  ]);
}

const fadeOut = (second: number) => Math.min(1, (seconds - second) / 1.5);

export function composeMusic(): Uint8Array {
  const left = new Float32Array(sampleRate * seconds);
  const right = new Float32Array(sampleRate * seconds);
  for (const { at, seconds: length, volume, pan, wave } of notes()) {
    const first = Math.round(at * sampleRate);
    const count = Math.min(Math.round(length * sampleRate), left.length - first);
    for (let index = 0; index < count; index++) {
      const level = wave(index / sampleRate) * volume * fadeOut(at + index / sampleRate);
      left[first + index]! += level * Math.cos((pan * Math.PI) / 2);
      right[first + index]! += level * Math.sin((pan * Math.PI) / 2);
    }
  }
  return encodeWav(left, right);
}

function encodeWav(left: Float32Array, right: Float32Array): Uint8Array {
  const bytes = Buffer.alloc(44 + left.length * 4);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(2, 22);
  bytes.writeUInt32LE(sampleRate, 24);
  bytes.writeUInt32LE(sampleRate * 4, 28);
  bytes.writeUInt16LE(4, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(left.length * 4, 40);
  for (let index = 0; index < left.length; index++) {
    // soft clipping
    bytes.writeInt16LE(Math.round(32_767 * Math.tanh(left[index]!)), 44 + index * 4);
    bytes.writeInt16LE(Math.round(32_767 * Math.tanh(right[index]!)), 46 + index * 4);
  }
  return bytes;
}
