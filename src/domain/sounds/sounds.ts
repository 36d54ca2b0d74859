import { bedFile, effectFile, type SoundKind, type SoundLibrary, type StoredFile } from "../../engine/ports.ts";
import { invalid } from "../../errors.ts";

/** A bed is this long where nothing else says how long. */
export const defaultBedSeconds = 16;

/** The file of a bed or an effect; undefined for an unknown name. */
export function madeSound(library: SoundLibrary, kind: SoundKind, name: string): StoredFile | undefined {
  const bed = kind === "bed" ? library.beds.get(name) : undefined;
  if (bed) return bedFile(bed, defaultBedSeconds);
  const effect = kind === "effect" ? library.effects.get(name) : undefined;
  return effect && effectFile(effect);
}

/** Throws validation_error for a bed that does not exist. */
export function requireBed({ beds }: SoundLibrary, name: string, path: string): void {
  if (!beds.has(name)) throw invalid(path, `Must be one of: ${[...beds.keys()].join(", ")}.`);
}
