import { z } from "zod";
import { CssColor, Length, optional } from "../../../shared/schemas.ts";

const frame = z.number().min(-1e6).max(1e6);

const maxChanges = 100;

const atMost = <Value>(changes: Readonly<Record<string, Value>>): boolean => Object.keys(changes).length <= maxChanges;

/** What a Lottie layer has besides the fields of all layers. */
export const lottieFields = {
  assetId: z.string().max(100).describe("A Lottie animation of the project: a .json or .lottie file."),
  width: optional(Length).describe("Pixels; by default the animation's, or in proportion to the height."),
  height: optional(Length).describe("Pixels; by default the animation's, or in proportion to the width."),
  fit: optional(z.enum(["contain", "cover", "stretch"])).describe(
    "How the animation fills the box; `contain` by default.",
  ),
  speed: optional(z.number().min(0.1).max(10)).describe("1 by default."),
  repeat: optional(z.boolean()).describe("True: starts again; false (the default) holds the last frame."),
  from: optional(frame).describe("The first of its frames that is shown."),
  to: optional(frame).describe("The frame before which it ends."),
  colors: optional(z.record(CssColor, CssColor).refine(atMost, `Must be at most ${maxChanges}.`)).describe(
    "Colors by those of the animation that they replace, in gradients too.",
  ),
  texts: optional(
    z.record(z.string().max(100), z.string().max(10_000)).refine(atMost, `Must be at most ${maxChanges}.`),
  ).describe("Words by the names of its text layers."),
};

type Frames = { readonly from?: number | undefined; readonly to?: number | undefined };

export function requireFrames({ from, to }: Frames, context: z.core.$RefinementCtx): void {
  if (from === undefined || to === undefined || from < to) return;
  context.addIssue({ code: "custom", path: ["to"], message: "Must be more than from." });
}
