import { type Arrangement, arrange, beatsInBar } from "./arrangement.ts";
import { type Chord, chordOf, degreeOf, nearBelow, voiced } from "./chords.ts";
import type { Bed, Part, SectionName } from "./description.ts";
import { noiseOf, seedOf } from "./numbers.ts";

/** A note of a part: times in seconds, `gain` a factor. */
export type ScoredNote = {
  readonly part: Part;
  readonly note: number;
  readonly at: number;
  readonly length: number;
  readonly gain: number;
};

const stepsInBar = 16;

/** The notes of a bed that is fitted to a length. */
export function score(
  bed: Bed,
  seconds: number,
): { readonly arrangement: Arrangement; readonly notes: readonly ScoredNote[] } {
  const arrangement = arrange(bed, seconds);
  const chords = chordsOf(bed, arrangement.bars);
  const notes = bed.parts.flatMap((part) => notesOf(bed, part, arrangement, chords));
  return { arrangement, notes };
}

/** The chords of each bar, in equal shares. */
function chordsOf({ chords, cadence, end }: Bed, bars: readonly SectionName[]): readonly (readonly Chord[])[] {
  const fallback = chords.main ?? chords.peak ?? chords.intro ?? [end];
  // a short bed has room for its last chord alone
  const closing = bars.length >= 4 ? cadence : cadence.slice(-1);
  let first = 0;
  return bars.map((section, bar) => {
    if (bars[bar - 1] !== section) first = bar;
    const fromEnd = bars.length - bar;
    const own = chords[section] ?? fallback;
    const names =
      bars.length > 1 && fromEnd <= closing.length
        ? closing[closing.length - fromEnd]!
        : own[(bar - first) % own.length]!;
    return names.split(" ").map(chordOf);
  });
}

/** How much of a note's gain and time varies. */
const loose = { gain: 0.1, seconds: 0.005 };

const levels: Readonly<Record<string, number>> = { x: 0.8, X: 1.1, o: 0.42 };

function notesOf(
  { key, scale, swing, end, name: _ }: Bed & { readonly name?: string },
  part: Part,
  { bars, beatSeconds, endSeconds, seconds }: Arrangement,
  chords: readonly (readonly Chord[])[],
): readonly ScoredNote[] {
  const stepSeconds = beatSeconds / 4;
  const random = noiseOf(seedOf(part.name));
  const notes: ScoredNote[] = [];
  let voicing: readonly number[] | undefined;
  let first = 0;
  const barSeconds = beatsInBar * beatSeconds;
  for (const [bar, section] of bars.entries()) {
    if (bars[bar - 1] !== section) first = bar;
    const cells = cellsOf(part, bars, bar, first);
    const chordAt = (step: number) => {
      const own = chords[bar]!;
      return own[Math.floor((step * own.length) / stepsInBar)]!;
    };
    const voicings = new Map<Chord, readonly number[]>();
    const voicingOf = (chord: Chord) => {
      const known = voicings.get(chord);
      if (known) return known;
      voicing = voiced(chord, part.center, voicing);
      voicings.set(chord, voicing);
      return voicing;
    };
    for (const [step, cell] of [...cells].entries()) {
      if (cell === "." || cell === "-") continue;
      let held = 1;
      while (cells[step + held] === "-") held++;
      const late = step % 2 === 1 ? swing * stepSeconds : 0;
      const isDrum = part.plays === "drum";
      const drift = isDrum ? 0 : Math.abs(random()) * loose.seconds;
      const at = bar * barSeconds + step * stepSeconds + late + drift;
      const accent = step % 4 === 0 ? 1 : 0.88;
      const gain = (levels[cell] ?? (isDrum ? 0.8 : accent)) * (1 + loose.gain * random());
      const length = held * stepSeconds - late;
      const chord = chordAt(step);
      for (const note of pitches(part, cell, { chord, voicing: () => voicingOf(chord), key, scale })) {
        notes.push({ part, note, at, length, gain });
      }
    }
  }
  const isLast =
    part.ends ?? (part.plays === "chord" || part.plays === "bass" || part.name === "kick" || part.name === "crash");
  if (isLast && Object.keys(part.patterns).length > 0) {
    const chord = chordOf(end);
    const cell = part.plays === "drum" ? "x" : part.plays === "bass" ? "r" : part.plays === "chord" ? "x" : "0";
    const length = Math.max(0.4, seconds - endSeconds);
    const last = pitches(part, cell, { chord, voicing: () => voiced(chord, part.center, voicing), key, scale });
    for (const note of last) notes.push({ part, note, at: endSeconds, length, gain: 1 });
  }
  return notes;
}

const plain = (pattern: string): string => pattern.replace(/[\s|]/g, "");

/** The sixteenths of a bar. */
function cellsOf({ patterns }: Part, bars: readonly SectionName[], bar: number, first: number): string {
  const section = bars[bar]!;
  const next = bars[bar + 1];
  const isDrop = bar === first && bar > 0 && (section === "main" || section === "peak");
  const isFill = next === undefined || (next !== section && next !== "break");
  const special = isDrop ? patterns.drop : isFill ? patterns.fill : undefined;
  const cells = plain(special ?? patterns[section] ?? "");
  const count = Math.max(1, Math.ceil(cells.length / stepsInBar));
  const from = special === undefined ? ((bar - first) % count) * stepsInBar : 0;
  return cells.slice(from, from + stepsInBar).padEnd(stepsInBar, ".");
}

type Harmony = Pick<Bed, "key" | "scale"> & {
  readonly chord: Chord;
  voicing(): readonly number[];
};

function pitches({ plays, center }: Part, cell: string, harmony: Harmony): readonly number[] {
  const { chord, voicing, key, scale } = harmony;
  switch (plays) {
    case "drum":
      return [center];
    case "chord":
      return voicing();
    case "arp": {
      const tones = voicing();
      const index = Number(cell);
      return [tones[index % tones.length]! + 12 * Math.floor(index / tones.length)];
    }
    case "bass": {
      const root = nearBelow(chord.bass, center);
      const third = chord.tones.find((tone) => tone === 3 || tone === 4) ?? 7;
      return [root + ({ f: 7, t: third, o: 12 }[cell] ?? 0)];
    }
    case "line": {
      const degree = /\d/.test(cell) ? Number(cell) - 1 : cell.charCodeAt(0) - 97 + 7;
      return [degreeOf(key, scale, degree, center)];
    }
  }
}
