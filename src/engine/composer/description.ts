import { z } from "zod";

const Share = z.number().min(0).max(1);
const Seconds = z.number().min(0).max(30);
const Hertz = z.number().min(10).max(20_000);

/** Moves from one frequency to another within the length of the sound. */
const Filter = z.strictObject({
  kind: z.enum(["low", "high", "band"]),
  from: Hertz,
  to: Hertz.optional(),
  /** The seconds of the way; by default, the whole length. */
  seconds: Seconds.optional(),
  resonance: Share.default(0.2),
});

/** A note that sounds as long as it is held. */
const Tone = z.strictObject({
  kind: z.literal("tone"),
  wave: z.enum(["sine", "triangle", "saw", "square", "organ", "fm"]),
  /** Oscillators beside each other, and how far apart in cents; they are spread over both sides. */
  voices: z.int().min(1).max(7).default(1),
  detune: z.number().min(0).max(60).default(0),
  /** How much of a sine an octave lower. */
  sub: Share.default(0),
  /** How much of breath, filtered with the tone. */
  breath: Share.default(0),
  attack: Seconds.default(0.005),
  decay: Seconds.default(0.4),
  sustain: Share.default(0.7),
  release: Seconds.default(0.2),
  /** A low pass: hertz, and how many octaves it begins above, falling within `sweepSeconds`. */
  cutoff: Hertz.default(16_000),
  sweep: z.number().min(-4).max(6).default(0),
  sweepSeconds: Seconds.default(0.3),
  resonance: Share.default(0.1),
  drive: z.number().min(0).max(12).default(0),
  /** For `fm`: the frequency of the modulator as a multiple, its depth, and the seconds of its fall. */
  ratio: z.number().min(0.25).max(16).default(2),
  index: z.number().min(0).max(12).default(2),
  indexSeconds: Seconds.default(0.5),
  /** Cents, and how often a second. */
  vibrato: z.number().min(0).max(80).default(0),
  vibratoRate: z.number().min(0.1).max(12).default(5),
});

/** A plucked string. */
const Pluck = z.strictObject({
  kind: z.literal("pluck"),
  /** The seconds in which a note of 220 Hz dies away. */
  decay: Seconds.default(2),
  /** How bright the string is struck. */
  brightness: Share.default(0.5),
  release: Seconds.default(0.15),
  drive: z.number().min(0).max(12).default(0),
});

const HitLayer = z.strictObject({
  source: z.enum(["sine", "triangle", "saw", "noise", "metal"]),
  /** The pitch falls or rises from one to the other, most of it within `bend` seconds. */
  from: Hertz.default(200),
  to: Hertz.optional(),
  bend: Seconds.default(0.05),
  /** Seconds after the start. */
  delay: Seconds.default(0),
  attack: Seconds.default(0.001),
  hold: Seconds.default(0),
  /** The seconds of a fall by 60 dB. */
  decay: Seconds,
  /** Strikes in a row, and the seconds between them: a clap has several. */
  strikes: z.int().min(1).max(32).default(1),
  distance: Seconds.default(0.012),
  filter: Filter.optional(),
  tremolo: z.number().min(0).max(40).default(0),
  drive: z.number().min(0).max(12).default(0),
  /** In decibels. */
  volume: z.number().min(-48).max(12).default(0),
  /** From -1, left, to 1, right; noise and metal are different on both sides by `width`. */
  pan: z.number().min(-1).max(1).default(0),
  width: Share.default(0),
});

/** A drum or an effect: layers with their own lengths, whatever its note is. */
const Hit = z.strictObject({ kind: z.literal("hit"), layers: z.array(HitLayer).min(1).max(8) });

export const Instrument = z.discriminatedUnion("kind", [Tone, Pluck, Hit]);

export type Instrument = z.output<typeof Instrument>;
export type Tone = z.output<typeof Tone>;
export type Pluck = z.output<typeof Pluck>;
export type Hit = z.output<typeof Hit>;
export type HitLayer = z.output<typeof HitLayer>;

export const sectionNames = ["intro", "main", "break", "peak"] as const;
export type SectionName = (typeof sectionNames)[number];

/** A rhythm of sixteenths; several bars follow each other. Spaces and bars `|` are for readers. */
const Pattern = z.string().min(1).max(400);

const Part = z.strictObject({
  name: z.string().min(1).max(40),
  instrument: z.string(),
  /**
   * `drum`: x, X loud, o soft. `chord`: x begins the chord, - holds it. `arp`: the number of a note of the chord from
   * below. `bass`: r root, f fifth, t third, o octave. `line`: a degree of the scale, 1 to 7, then a to g an octave up.
   */
  plays: z.enum(["drum", "chord", "arp", "bass", "line"]),
  /**
   * The rhythm of each section; where there is none, the part pauses. `drop` replaces the first bar of main and peak
   * after another section, and `fill` the bar before them, and the last one.
   */
  patterns: z.partialRecord(z.enum([...sectionNames, "drop", "fill"]), Pattern),
  /** Around this note; 60 is C4. */
  center: z.number().min(20).max(100).default(60),
  /** In decibels. */
  volume: z.number().min(-48).max(12).default(0),
  pan: z.number().min(-1).max(1).default(0),
  reverb: Share.default(0),
  delay: Share.default(0),
  /** How far the part named kick lowers it. */
  pump: Share.default(0),
  /** Sounds with the last chord; by default, what plays chords or bass does, and the parts kick and crash. */
  ends: z.boolean().optional(),
});

export type Part = z.output<typeof Part>;

const Chord = z.string().regex(/^[A-G][#b]?[\w+#]*(\/[A-G][#b]?)?$/);

/** The chords of bars; a bar with several is divided. */
const Chords = z.array(z.string().min(1).max(40)).min(1).max(16);

/** A bed: the music under a film, as data. */
export const Bed = z.strictObject({
  title: z.string().min(1).max(60),
  about: z.string().min(1).max(200),
  mood: z.array(z.string().min(2).max(30)).min(1).max(6),
  /** Words of briefs that it fits, in any language. */
  fits: z.array(z.string().min(1).max(40)).max(200),
  /** Beats a minute. A film's length changes it by at most a twentieth or so. */
  tempo: z.number().min(60).max(180),
  /** How late every other sixteenth is, as a share of one. */
  swing: z.number().min(0).max(0.6).default(0),
  key: z.string().regex(/^[A-G][#b]?$/),
  scale: z.enum(["major", "minor", "dorian", "mixolydian", "lydian"]),
  chords: z.partialRecord(z.enum(sectionNames), Chords),
  /** The chords of the last bars, and the chord that ends them. */
  cadence: Chords,
  end: Chord,
  room: z.strictObject({ seconds: z.number().min(0.2).max(6), damping: Share, level: Share }),
  echo: z.strictObject({ sixteenths: z.number().min(1).max(8), feedback: z.number().min(0).max(0.7), level: Share }),
  /** Those of all beds are beside the beds; a bed may have its own. */
  instruments: z.record(z.string(), Instrument).default({}),
  parts: z.array(Part).min(3).max(16),
});

export type Bed = z.output<typeof Bed>;

/** An effect: one instrument. */
export const Effect = z.strictObject({
  title: z.string().min(1).max(60),
  about: z.string().min(1).max(200),
  seconds: z.number().min(0.02).max(4),
  /** The second at which it is loudest, for sounds that lead to a moment: they begin so much before it. */
  lead: z.number().min(0).max(3).default(0),
  instrument: Hit,
  /** How much of a room. */
  reverb: Share.default(0),
});

export type Effect = z.output<typeof Effect>;
