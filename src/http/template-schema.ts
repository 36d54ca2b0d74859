import { z } from "zod";
import { CssColor, optional, Pixels } from "../domain/shapes.ts";
import type { OverlayTiming } from "../domain/templates.ts";
import { transitionKinds } from "../timeline/track.ts";
import { ExportSettings, Id, Seconds, textUpTo } from "./schemas.ts";

const Percent = z.number().min(0).max(100);
const Side = z.number().positive().max(16_384);

const timing = {
  timingMode: z.enum(["relative", "absolute"]),
  startPercent: optional(Percent),
  endPercent: optional(Percent),
  startSeconds: optional(Seconds),
  endSeconds: optional(Seconds),
};

/** Of percents and seconds only those count that the timing mode uses; what is left out stands for the whole video. */
function requireForward(overlay: OverlayTiming, context: z.core.$RefinementCtx): void {
  const { timingMode, startPercent = 0, endPercent = 100, startSeconds = 0, endSeconds = Infinity } = overlay;
  const [start, end, field] =
    timingMode === "relative" ? [startPercent, endPercent, "endPercent"] : [startSeconds, endSeconds, "endSeconds"];
  if (end > start) return;
  context.addIssue({ code: "custom", path: [field], message: "Must be later than the start." });
}

const TextOverlay = z
  .object({
    id: Id,
    text: textUpTo(500_000),
    fontSize: z.number().min(1).max(1000).default(32),
    fontColor: CssColor.default("#ffffff"),
    centerX: Pixels.default(0),
    centerY: Pixels.default(0),
    ...timing,
  })
  .superRefine(requireForward);

const ImageOverlay = z
  .object({
    id: Id,
    assetId: Id,
    width: Side.default(128),
    height: Side.default(128),
    centerX: Pixels.default(0),
    centerY: Pixels.default(0),
    opacity: z.number().min(0).max(1).default(1),
    rotation: z.number().min(-36_000).max(36_000).default(0),
    maintainAspectRatio: z.boolean().default(true),
    ...timing,
  })
  .superRefine(requireForward);

const Transition = z.object({
  type: z.enum(transitionKinds, `Must be one of: ${transitionKinds.join(", ")}.`),
  duration: z.number().min(0).max(60).default(0.5),
});

export const TemplateContent = z
  .object({
    textOverlays: z.array(TextOverlay).max(500).default([]),
    imageOverlays: z.array(ImageOverlay).max(500).default([]),
    defaultTransition: optional(Transition),
    exportSettings: optional(ExportSettings),
  })
  .superRefine(({ textOverlays, imageOverlays }, context) => {
    const seen = new Set<string>();
    for (const [list, overlays] of Object.entries({ textOverlays, imageOverlays })) {
      for (const [index, { id }] of overlays.entries()) {
        if (seen.has(id)) context.addIssue({ code: "custom", path: [list, index, "id"], message: "Is used twice." });
        seen.add(id);
      }
    }
  });
