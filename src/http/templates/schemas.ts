import { z } from "zod";
import { assetTypes } from "../../domain/assets/assets.ts";
import { PaletteColors } from "../../domain/brand/brand.ts";
import { effectFields } from "../../domain/exports/request/layers/effects.ts";
import { movesOfOthers, movesOfTexts } from "../../domain/exports/request/layers/moves.ts";
import { imageFields, textFields } from "../../domain/exports/request/layers/overlays.ts";
import { requireConsistentMotion, requireConsistentText } from "../../domain/exports/request/layers/refinements.ts";
import { LayerList } from "../../domain/exports/request/layers/schema.ts";
import { templateTextFields } from "../../domain/exports/request/layers/text-fields.ts";
import {
  CssColor,
  Degrees,
  FontSize,
  Length,
  named,
  namedObject,
  Opacity,
  optional,
  Pixels,
  Transition,
} from "../../domain/shared/schemas.ts";
import { Group, ImageLayer, TextLayer, textStyleFields } from "../../domain/shared/text-style.ts";
import type { TemplateLayer } from "../../domain/templates/layers.ts";
import { templateFormat, templateFormatVersion } from "../../domain/templates/sharing.ts";
import {
  maxOverlayIdCharacters,
  type OverlayTiming,
  type TemplateImageOverlay,
  type TemplateTextOverlay,
} from "../../domain/templates/templates.ts";
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
} from "../schemas/common.ts";
import { chosenSchema, jsonUpTo, mapOf, readonlyBody } from "../schemas/objects.ts";

/** The id of an overlay that came from a work may begin with the ids of several templates. */
const OverlayId = z.string().min(1).max(maxOverlayIdCharacters);

/** Clamped, because editors let overlays extend past the end of the video. */
const Percent = z.number().transform((percent) => Math.min(100, Math.max(0, percent)));

const timing = {
  timingMode: z.enum(["relative", "absolute"]),
  startPercent: optional(Percent).describe(
    "Percent of the video's duration, 0 to 100; 0 by default. For the mode `relative`.",
  ),
  endPercent: optional(Percent).describe(
    "Percent of the video's duration, 0 to 100; 100 by default. For the mode `relative`.",
  ),
  startSeconds: optional(Seconds).describe("Seconds; 0 by default. For the mode `absolute`."),
  endSeconds: optional(Seconds).describe("Seconds; by default, the video's end. For the mode `absolute`."),
};

/** Checks the times of the timing mode in use; absent times mean the start or the end of the video. */
function assertEndAfterStart(overlay: OverlayTiming, context: z.core.$RefinementCtx): void {
  const { timingMode, startPercent = 0, endPercent = 100, startSeconds = 0, endSeconds = Infinity } = overlay;
  const isRelative = timingMode === "relative";
  if (isRelative ? endPercent > startPercent : endSeconds > startSeconds) return;
  const path = [isRelative ? "endPercent" : "endSeconds"];
  context.addIssue({ code: "custom", path, message: "Must be later than the start." });
}

const textOverlayFields = {
  id: OverlayId.describe("Unique in the template."),
  text: z.string().describe("May have placeholders such as {{price}}."),
  fontSize: withDefault(FontSize, 32),
  fontColor: withDefault(CssColor, "#ffffff"),
  centerX: withDefault(Pixels, 0),
  centerY: withDefault(Pixels, 0),
  ...textStyleFields,
  group: Group,
  layer: TextLayer,
  ...timing,
};

/** With open types, because types of bodies are written out for the client. */
type OpenMotion<Fields extends object> = { [Name in keyof Fields]?: unknown };

const textMotionFields = {
  ...templateTextFields,
  spans: templateTextFields.spans.describe("Parts of the text, each with its own style: together its words."),
  ...effectFields,
  ...movesOfTexts,
  keyframes: textFields.keyframes,
};

type TextOverlayInput = z.input<z.ZodObject<typeof textOverlayFields>> & OpenMotion<typeof textMotionFields>;

const TextOverlay: z.ZodType<TemplateTextOverlay, TextOverlayInput> = named(
  "NewTemplateTextOverlay",
  z
    .object({ ...textOverlayFields, ...textMotionFields })
    .superRefine(assertEndAfterStart)
    .superRefine(requireConsistentText)
    .superRefine(requireConsistentMotion),
);

const imageOverlayFields = {
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
  layer: ImageLayer,
  ...timing,
};

const { fit, focus, zoom, radius, repeat, speed } = imageFields;

const imageMotionFields = {
  ...{ fit, focus, zoom, radius, repeat, speed },
  ...effectFields,
  ...movesOfOthers,
  keyframes: imageFields.keyframes,
};

type ImageOverlayInput = z.input<z.ZodObject<typeof imageOverlayFields>> & OpenMotion<typeof imageMotionFields>;

const ImageOverlay: z.ZodType<TemplateImageOverlay, ImageOverlayInput> = named(
  "NewTemplateImageOverlay",
  z
    .object({ ...imageOverlayFields, ...imageMotionFields })
    .superRefine(assertEndAfterStart)
    .superRefine(requireConsistentMotion),
);

const DefaultTransition = namedObject("NewDefaultTransition", {
  // a template has no picture for the transition after every clip
  type: Transition.exclude(["luma"]),
  duration: withDefault(z.number().min(0).max(60), 0.5),
});

/** Replaces the times of a layer in seconds. */
const LayerShares = namedObject("TemplateLayerTimes", {
  startPercent: optional(Percent).describe("Percent of the video's duration, instead of `position`."),
  endPercent: optional(Percent).describe("Percent of the video's duration, instead of `end`."),
}).refine(({ startPercent = 0, endPercent = 100 }) => startPercent < endPercent, {
  path: ["endPercent"],
  error: "Must be later than the start.",
});

// with an open type, because types of bodies are written out for the client
const TemplateLayers = z.intersection(LayerList, z.array(LayerShares)) as unknown as z.ZodType<
  TemplateLayer[],
  TemplateLayer[]
>;

const TemplateContent = named(
  "NewTemplateContent",
  jsonUpTo(
    256,
    z
      .object({
        textOverlays: withDefault(z.array(TextOverlay).max(500), []),
        imageOverlays: withDefault(z.array(ImageOverlay).max(500), []),
        layers: optional(TemplateLayers).describe(
          "As in an export. Their times are those of the video; without an end a layer lasts as long as the video. `startPercent` and `endPercent` are shares of it. All texts may have placeholders.",
        ),
        defaultTransition: optional(DefaultTransition),
        exportSettings: optional(ExportSettings),
        layoutSize: optional(Resolution).describe(
          "The frame that the overlays are laid out for. In a work with another frame, they are laid out for that frame.",
        ),
      })
      .superRefine(assertUniqueOverlayIds),
    { field: "content" },
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

const AssetChoice = (about: string) => mapOf(Id, 1000).optional().describe(about);

const TemplateFromLibrary = named(
  "TemplateFromLibrary",
  readonlyBody(
    z.object({
      fromLibrary: z.string().max(100).describe("The id of a template of GET /api/template-library."),
      name: optional(Name).describe("By default, the name in the library."),
      ...optionalFields,
      palette: optional(PaletteColors).describe("By default, the value of the project's brand, if it has one."),
      assets: AssetChoice("An image of the project for each image slot of the template; other slots stay empty."),
      direction: optional(z.enum(["ltr", "rtl"])).describe("`rtl` mirrors the layout for Arabic or Hebrew texts."),
    }),
  ),
);

const isFromLibrary = (body: unknown): boolean => typeof body === "object" && body !== null && "fromLibrary" in body;

export const DocumentedNewTemplate = named("NewTemplateOrCopy", z.union([NewTemplate, TemplateFromLibrary]));

/** A new template, or a copy of a library template. */
export const NewTemplateBody = chosenSchema<typeof NewTemplate | typeof TemplateFromLibrary>((body) =>
  isFromLibrary(body) ? TemplateFromLibrary : NewTemplate,
);

const PixelCount = optional(z.int().min(0).max(1_000_000));

const NeededAsset = namedObject("ImportedAsset", {
  id: Id.describe("As in the content."),
  name: textUpTo(200),
  type: z.enum(assetTypes),
  filename: withDefault(textUpTo(1000), ""),
  sha256: optional(z.string().max(200)),
  width: PixelCount,
  height: PixelCount,
});

export const TemplateImport = named(
  "TemplateImport",
  readonlyBody(
    z.object({
      template: namedObject("TemplateToImport", {
        format: z.literal(templateFormat, `Must be ${templateFormat}, as in the file of an exported template.`),
        version: z.literal(templateFormatVersion, {
          error: `Must be ${templateFormatVersion}: this server reads only this version of exported templates.`,
        }),
        name: Name,
        content: TemplateContent,
        ...optionalFields,
        assets: withDefault(z.array(NeededAsset).max(1000), []),
      }),
      assets: AssetChoice(
        "Assets of this project by their ids in the file. Without an entry, the asset with the same bytes or name is used.",
      ),
    }),
  ),
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

export const TemplateApplication = namedObject("TemplateApplication", {
  videoDuration: Duration,
  placeholderValues: PlaceholderValues,
  resolution: optional(Resolution).describe(
    "The frame of the video; by default, the template's export settings or its layoutSize.",
  ),
});
