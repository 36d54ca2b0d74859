import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { Bed, Effect, Instrument, type SoundLibrary, usedBy, versionOf } from "../../engine/ports.ts";

/** Reads the beds, the effects and their instruments in a folder. Throws if a file is wrong. */
export function readSounds(folder: string): SoundLibrary {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(folder, path), "utf8"));
  const namesIn = (kind: string) =>
    readdirSync(join(folder, kind))
      .filter((file) => file.endsWith(".json"))
      .map((file) => basename(file, ".json"))
      .sort();
  const instruments = z.record(z.string(), Instrument).parse(read("instruments.json"));
  const beds = namesIn("beds").map((name) => {
    const bed = Bed.parse(read(join("beds", `${name}.json`)));
    const used = usedBy(bed, instruments);
    for (const { instrument } of bed.parts) {
      if (!Object.hasOwn({ ...used, ...bed.instruments }, instrument)) throw new Error(`${name} has no ${instrument}.`);
    }
    return [name, { ...bed, name, version: versionOf(bed, used) }] as const;
  });
  const effects = namesIn("effects").map((name) => {
    const effect = Effect.parse(read(join("effects", `${name}.json`)));
    return [name, { ...effect, name, version: versionOf(effect) }] as const;
  });
  return { beds: new Map(beds), effects: new Map(effects), instruments };
}
