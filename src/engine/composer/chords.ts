/** Names of notes and chords as numbers of MIDI. */

const letters: Readonly<Record<string, number>> = { C: 0, D: 2, E: 4, F: 5, G: 7, A: 9, B: 11 };

/** The pitch class of a name such as `F#`. */
export function pitchClass(name: string): number {
  const sign = name[1] === "#" ? 1 : name[1] === "b" ? -1 : 0;
  return ((letters[name[0] ?? "C"] ?? 0) + sign + 12) % 12;
}

const qualities: Readonly<Record<string, readonly number[]>> = {
  "": [0, 4, 7],
  m: [0, 3, 7],
  5: [0, 7],
  6: [0, 4, 7, 9],
  m6: [0, 3, 7, 9],
  7: [0, 4, 7, 10],
  maj7: [0, 4, 7, 11],
  m7: [0, 3, 7, 10],
  9: [0, 4, 10, 14],
  maj9: [0, 4, 11, 14],
  m9: [0, 3, 10, 14],
  m11: [0, 3, 10, 17],
  add9: [0, 4, 7, 14],
  madd9: [0, 3, 7, 14],
  sus2: [0, 2, 7],
  sus4: [0, 5, 7],
  "7sus4": [0, 5, 7, 10],
  dim: [0, 3, 6],
  m7b5: [0, 3, 6, 10],
};

export type Chord = { readonly root: number; readonly bass: number; readonly tones: readonly number[] };

/** Reads a chord such as `Am7` or `C/E`. Throws for an unknown one. */
export function chordOf(name: string): Chord {
  const [body = "", bass] = name.split("/");
  const [, letter = "C", quality = ""] = /^([A-G][#b]?)(.*)$/.exec(body) ?? [];
  const tones = qualities[quality];
  if (!tones) throw new Error(`There is no chord ${name}.`);
  const root = pitchClass(letter);
  return { root, bass: bass ? pitchClass(bass) : root, tones };
}

/** The tones of a chord near a note, in the order from below, as near as possible to those before. */
export function voiced({ root, tones }: Chord, center: number, before?: readonly number[]): readonly number[] {
  const classes = tones.map((tone) => (root + tone) % 12);
  const candidates = classes.flatMap((_, turn) =>
    [-1, 0].map((octave) => {
      const rotated = [...classes.slice(turn), ...classes.slice(0, turn)];
      let last = nearBelow(rotated[0]!, center) + 12 * octave;
      return rotated.map((each, index) => {
        if (index > 0) last += (((each - last) % 12) + 12) % 12 || 12;
        return last;
      });
    }),
  );
  const distance = (notes: readonly number[]) => {
    const mean = notes.reduce((sum, note) => sum + note, 0) / notes.length;
    const moved = before ? notes.reduce((sum, note) => sum + nearest(note, before), 0) : 0;
    return Math.abs(mean - center) * (before ? 0.6 : 1) + moved;
  };
  return candidates.reduce((best, other) => (distance(other) < distance(best) - 1e-9 ? other : best));
}

const nearest = (note: number, others: readonly number[]): number =>
  Math.min(...others.map((other) => Math.abs(other - note)));

/** The note of a pitch class at the center or up to an octave below it. */
export const nearBelow = (pitch: number, center: number): number => center - ((((center - pitch) % 12) + 12) % 12);

const scales = {
  major: [0, 2, 4, 5, 7, 9, 11],
  minor: [0, 2, 3, 5, 7, 8, 10],
  dorian: [0, 2, 3, 5, 7, 9, 10],
  mixolydian: [0, 2, 4, 5, 7, 9, 10],
  lydian: [0, 2, 4, 6, 7, 9, 11],
} as const;

/** The note of a degree of a scale, counted from 0; its first degree is near the center. */
export function degreeOf(key: string, scale: keyof typeof scales, degree: number, center: number): number {
  const steps = scales[scale];
  return nearBelow(pitchClass(key), center) + 12 * Math.floor(degree / 7) + steps[((degree % 7) + 7) % 7]!;
}
