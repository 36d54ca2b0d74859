import { sha256Of } from "../../platform/values.ts";
import type { MediaFacts, Source } from "../timeline/source.ts";
import { samplesPerSecond } from "../timeline/time.ts";
import type { Composition, Instruments } from "./compose.ts";
import type { Bed, Effect } from "./description.ts";
import { wavBytes } from "./mixdown.ts";

type Named<Description> = Description & {
  readonly name: string;
  /** Identifies what determines the samples besides their number. */
  readonly version: string;
};

export type NamedBed = Named<Bed>;
export type NamedEffect = Named<Effect>;

/** The beds and effects of this installation, by name, in the order in which they are listed. */
export type SoundLibrary = {
  readonly beds: ReadonlyMap<string, NamedBed>;
  readonly effects: ReadonlyMap<string, NamedEffect>;
  readonly instruments: Instruments;
};

/** Increment when the composer gives other samples for the same description. */
const composerVersion = 1;

/** The version of a description; `instruments` are those that it does not describe itself. */
export const versionOf = (description: object, instruments: Instruments = {}): string =>
  sha256Of(JSON.stringify([composerVersion, description, instruments])).slice(0, 16);

export const soundKinds = ["bed", "effect"] as const;
export type SoundKind = (typeof soundKinds)[number];

/** A longer bed would take minutes to compose: it repeats. */
const mostBedSeconds = 180;
const leastBedSeconds = 3;

const keyOf = (kind: SoundKind, name: string, version: string, samples: number): string =>
  `made-sounds/${kind}/${name}/${version}/${samples}.wav`;

const keyPattern = /^made-sounds\/(bed|effect)\/([\w-]+)\/(\w+)\/(\d+)\.wav$/;

/** What a key of a file names, if it is one of a made sound that this installation knows. */
export function compositionOf({ beds, effects, instruments }: SoundLibrary, key: string): Composition | undefined {
  const [, kind, name = "", version, samples] = keyPattern.exec(key) ?? [];
  if (kind === "bed") {
    const bed = beds.get(name);
    if (bed?.version !== version || !bed) return undefined;
    const { name: _, version: __, ...description } = bed;
    return { kind, bed: description, instruments: usedBy(description, instruments), samples: Number(samples) };
  }
  const effect = kind === "effect" ? effects.get(name) : undefined;
  if (effect?.version !== version || !effect) return undefined;
  const { name: _, version: __, ...description } = effect;
  return { kind: "effect", effect: description };
}

/** The instruments of the library that a bed plays. */
export const usedBy = ({ parts }: Pick<Bed, "parts">, instruments: Instruments): Instruments =>
  Object.fromEntries(
    Object.entries(instruments).filter(([name]) => parts.some(({ instrument }) => instrument === name)),
  );

/** A file of the store that is composed when it is read. */
export type MadeFile = {
  readonly key: string;
  readonly filename: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly facts: MediaFacts;
};

function madeFile(key: string, filename: string, samples: number): MadeFile {
  return {
    ...{ key, filename, sizeBytes: wavBytes(samples) },
    // equal keys have equal bytes
    sha256: sha256Of(key),
    facts: {
      ...{ kind: "audio", container: "wav", mimeType: "audio/wav", extension: "wav", hasSound: true },
      durationSeconds: samples / samplesPerSecond,
      generatedBy: { provider: "local", model: "composer" },
    },
  };
}

/** A bed that is fitted to a length, as a file that is composed when it is read. */
export function bedFile({ name, version }: NamedBed, seconds: number): MadeFile {
  const fitting = Math.min(mostBedSeconds, Math.max(leastBedSeconds, seconds));
  const samples = Math.round(fitting * samplesPerSecond);
  return madeFile(keyOf("bed", name, version, samples), `${name}.wav`, samples);
}

export function effectFile({ name, version, seconds }: NamedEffect): MadeFile {
  const samples = Math.round(seconds * samplesPerSecond);
  return madeFile(keyOf("effect", name, version, samples), `${name}.wav`, samples);
}

/** True for a sound that the composer makes. */
export const isMade = ({ file }: Pick<Source, "file">): boolean => keyPattern.test(file);

/** A bed fitted to another length; undefined for any other source. */
export function fittedBed({ file }: Pick<Source, "file">, seconds: number): MadeFile | undefined {
  const [, kind, name = "", version = ""] = keyPattern.exec(file) ?? [];
  // safe because a file needs nothing else of a bed
  return kind === "bed" ? bedFile({ name, version } as NamedBed, seconds) : undefined;
}
