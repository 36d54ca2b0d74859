import { z } from "zod";
import { named, namedObject } from "../../domain/shared/schemas.ts";

/**
 * Schemas shared by responses; those of a room are in its `views.ts`. Each named schema is a component of the OpenAPI
 * document. They are never parsed at run time: tests check all responses against them.
 */

/** Schemas with names in the document. Each name is used once, also among request schemas. */
export { named, namedObject };

export const Timestamp = z
  .int()
  .min(0)
  .meta({ description: "Milliseconds since the epoch.", example: 1_795_372_800_000 });

export const Id = z.string();

/** The seconds of a duration, or a time on a timeline. */
export const Seconds = z.number();

export const width = z.number().describe("Pixels, even.");
export const height = width;

export const Resolution = namedObject("Resolution", { width, height });

export const ExportSettings = namedObject("ExportSettings", { width, height, fps: z.number() });

export const TrackAction = named(
  "TrackAction",
  z.looseObject({
    id: z.string().describe("The id of an overlay, or of a clip of the editor's own."),
    start: Seconds,
    end: Seconds,
    sceneIndex: z.int().optional().describe("The index of the scene in the work's list, from 0."),
    trimStart: Seconds.optional(),
    trimEnd: Seconds.optional(),
    transitionType: z.string().optional(),
    transitionDuration: Seconds.optional(),
  }),
  { description: "An entry of a track; times are in seconds. Unknown keys are stored too." },
);
