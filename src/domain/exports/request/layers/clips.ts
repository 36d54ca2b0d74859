import { z } from "zod";
import { Degrees, Fraction, namedObject, Opacity, optional } from "../../../shared/schemas.ts";
import { effectFields, FilterRequest } from "./effects.ts";
import { KeyframesOfClips } from "./keyframes.ts";
import { clipMoves } from "./names.ts";
import { between } from "./numbers.ts";
import { requireConsistentMotion } from "./refinements.ts";

/** The camera moves of clips. */
const MoveName = z.enum(clipMoves);

const ClipMove = namedObject("ClipMove", {
  name: MoveName,
  amount: optional(Fraction).describe("How far, as a share of the picture, 0 to 1; 0.15 by default."),
});

/** How a clip plays, and how its picture, with the bars beside it, looks and moves. */
export const clipMotionFields = {
  speed: optional(between({ min: 0.1, max: 10 })).describe(
    "How fast the source plays, 0.1 to 10; 1 by default. Its sound keeps its pitch.",
  ),
  reverse: optional(z.boolean()).describe(
    "True: plays the part from `cutFrom` that it would play forwards from its end to its start, sound too.",
  ),
  scale: effectFields.scale,
  rotation: optional(Degrees).describe("Degrees, clockwise, about the center; 0 by default."),
  opacity: optional(Opacity).describe("0 to 1, over black or the film's background; 1 by default."),
  filter: optional(FilterRequest).describe("How the colors and the sharpness of the picture change."),
  blend: effectFields.blend.describe(
    "How colors mix with the film's background, black by default, which alone lies below clips; `normal` by default.",
  ),
  mask: effectFields.mask.describe(
    "What shows of the clip; the rest shows the background. Its box is the frame; shapes and images move with the clip.",
  ),
  move: optional(
    z.union([MoveName, ClipMove], { error: `Must be one of: ${clipMoves.join(", ")}; or { name, amount }.` }),
  ).describe("Moves the camera evenly while the clip is visible; an image then does not zoom by itself."),
  keyframes: optional(KeyframesOfClips).describe(
    "Values over time, by property. They replace the field of the same name, and `scale` multiplies `scaleX` and `scaleY`; `volume` multiplies the clip's volume; a `speed` of 0 freezes the picture.",
  ),
};

export type ClipMotionRequest = z.output<z.ZodObject<typeof clipMotionFields>>;

/** Reports fields of a clip that contradict each other. */
export function requireConsistentClip(clip: ClipMotionRequest, context: z.core.$RefinementCtx): void {
  requireConsistentMotion({ filter: clip.filter, keyframes: clip.keyframes }, context);
  if (clip.move === undefined || clip.keyframes === undefined) return;
  context.addIssue({ code: "custom", path: ["move"], message: "Is not for use with keyframes." });
}
