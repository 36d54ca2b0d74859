import { z } from "zod";
import {
  CssColor,
  Degrees,
  FontSize,
  Length,
  named,
  Opacity,
  optional,
  Pixels,
  Transition,
} from "../../domain/shared/schemas.ts";
import { Group, textStyleFields } from "../../domain/shared/text-style.ts";
import { maxOverlayIdCharacters, type OverlayTiming } from "../../domain/templates/templates.ts";
import {
  Duration,
  ExportSettings,
  Id,
  Name,
  PlaceholderValues,
  Resolution,
  SameId,
  Seconds,
  Tags,
  textUpTo,
  withDefault,
} from "./common.ts";
import { jsonUpTo, readonlyBody } from "./objects.ts";

/** An overlay that a template got from a work may have the ids of several templates before its own. */
const OverlayId = z.string().min(1).max(maxOverlayIdCharacters);

/** Clamped, because editors let overlays extend past the end of the video. */
const Percent = z.number().transform((percent) => Math.min(100, Math.max(0, percent)));

const timing = {
  timingMode: z.enum(["relative", "absolute"]),
  startPercent: optional(Percent).describe("Of the video's duration, 0 to 100; 0 by default. For the mode `relative`."),
  endPercent: optional(Percent).describe("Of the video's duration, 0 to 100; 100 by default. For the mode `relative`."),
  startSeconds: optional(Seconds).describe("0 by default. For the mode `absolute`."),
  endSeconds: optional(Seconds).describe("The video's end by default. For the mode `absolute`."),
};

/** Checks the times of the timing mode in use; absent times mean the start or the end of the video. */
function assertEndAfterStart(overlay: OverlayTiming, context: z.core.$RefinementCtx): void {
  const { timingMode, startPercent = 0, endPercent = 100, startSeconds = 0, endSeconds = Infinity } = overlay;
  const isRelative = timingMode === "relative";
  if (isRelative ? endPercent > startPercent : endSeconds > startSeconds) return;
  const path = [isRelative ? "endPercent" : "endSeconds"];
  context.addIssue({ code: "custom", path, message: "Must be later than the start." });
}

const TextOverlay = z
  .object({
    id: OverlayId.describe("Unique in the template."),
    text: z.string().describe("May have placeholders such as {{price}}."),
    fontSize: withDefault(FontSize, 32),
    fontColor: withDefault(CssColor, "#ffffff"),
    centerX: withDefault(Pixels, 0),
    centerY: withDefault(Pixels, 0),
    ...textStyleFields,
    group: Group,
    ...timing,
  })
  .superRefine(assertEndAfterStart);

const ImageOverlay = z
  .object({
    id: OverlayId,
    assetId: Id,
    width: withDefault(Length, 128),
    height: withDefault(Length, 128),
    centerX: withDefault(Pixels, 0),
    centerY: withDefault(Pixels, 0),
    opacity: withDefault(Opacity, 1),
    rotation: withDefault(Degrees, 0),
    maintainAspectRatio: withDefault(z.boolean(), true),
    group: Group,
    ...timing,
  })
  .superRefine(assertEndAfterStart);

const DefaultTransition = z.object({
  type: Transition,
  duration: withDefault(z.number().min(0).max(60), 0.5),
});

const TemplateContent = named(
  "NewTemplateContent",
  jsonUpTo(
    256,
    z
      .object({
        textOverlays: withDefault(z.array(TextOverlay).max(500), []),
        imageOverlays: withDefault(z.array(ImageOverlay).max(500), []),
        defaultTransition: optional(DefaultTransition),
        exportSettings: optional(ExportSettings),
        layoutSize: optional(Resolution).describe(
          "The frame that the overlays are laid out for. Applied to a work with another one, they are placed anew.",
        ),
      })
      .superRefine(assertUniqueOverlayIds),
  ),
  { description: "At most 256 KiB." },
);

type OverlayLists = { readonly [list in "textOverlays" | "imageOverlays"]: readonly { readonly id: string }[] };

function assertUniqueOverlayIds({ textOverlays, imageOverlays }: OverlayLists, context: z.core.$RefinementCtx): void {
  const seen = new Set<string>();
  for (const [list, overlays] of Object.entries({ textOverlays, imageOverlays })) {
    for (const [index, { id }] of overlays.entries()) {
      if (seen.has(id)) context.addIssue({ code: "custom", path: [list, index, "id"], message: "Is used twice." });
      seen.add(id);
    }
  }
}

/** Null clears the field. */
const optionalFields = { description: textUpTo(500).nullish(), tags: Tags.nullish() };

export const NewTemplate = named(
  "NewTemplate",
  readonlyBody(z.object({ name: Name, content: TemplateContent, ...optionalFields })),
);

export const TemplateChanges = named(
  "TemplateChanges",
  readonlyBody(
    z.object({
      name: Name.optional(),
      content: TemplateContent.optional(),
      ...optionalFields,
      id: SameId,
      projectId: SameId,
    }),
  ),
);

export const TemplateApplication = named(
  "TemplateApplication",
  z.object({
    videoDuration: Duration,
    placeholderValues: PlaceholderValues,
    resolution: optional(Resolution).describe(
      "The frame of the video; by default the template's export settings, or its layoutSize.",
    ),
  }),
);
