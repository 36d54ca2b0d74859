import { z } from "zod";

/**
 * One of some names. A wrong name is reported at its own path in a union too, because a failed refinement leaves the
 * type of the value valid.
 */
export function oneOf<const Name extends string>(names: readonly Name[]) {
  const known: ReadonlySet<string> = new Set(names);
  const schema = z
    .string()
    .max(200)
    .refine((name) => known.has(name), `Must be one of: ${names.join(", ")}.`)
    .meta({ enum: [...names] });
  // safe because only these names pass
  return schema as unknown as z.ZodType<Name, Name>;
}

/** The moves of a camera over a clip. */
export const clipMoves = ["zoom-in", "zoom-out", "pan-left", "pan-right", "pan-up", "pan-down"] as const;

export type ClipMoveName = (typeof clipMoves)[number];
