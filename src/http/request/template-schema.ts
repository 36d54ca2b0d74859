import { z } from "zod";
import {
  CssColor,
  Degrees,
  FontSize,
  Length,
  Opacity,
  optional,
  Pixels,
  Transition,
} from "../../domain/shared/schemas.ts";
import type { OverlayTiming } from "../../domain/templates/templates.ts";
import { ExportSettings, Id, Seconds, textUpTo, withDefault } from "./schemas.ts";

const Percent = z.number().min(0).max(100);

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
    fontSize: withDefault(FontSize, 32),
    fontColor: withDefault(CssColor, "#ffffff"),
    centerX: withDefault(Pixels, 0),
    centerY: withDefault(Pixels, 0),
    ...timing,
  })
  .superRefine(requireForward);

const ImageOverlay = z
  .object({
    id: Id,
    assetId: Id,
    width: withDefault(Length, 128),
    height: withDefault(Length, 128),
    centerX: withDefault(Pixels, 0),
    centerY: withDefault(Pixels, 0),
    opacity: withDefault(Opacity, 1),
    rotation: withDefault(Degrees, 0),
    maintainAspectRatio: withDefault(z.boolean(), true),
    ...timing,
  })
  .superRefine(requireForward);

const DefaultTransition = z.object({
  type: Transition,
  duration: withDefault(z.number().min(0).max(60), 0.5),
});

export const TemplateContent = z
  .object({
    textOverlays: withDefault(z.array(TextOverlay).max(500), []),
    imageOverlays: withDefault(z.array(ImageOverlay).max(500), []),
    defaultTransition: optional(DefaultTransition),
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
