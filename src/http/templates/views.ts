import type { Context } from "hono";
import { z } from "zod";
import { assetTypes } from "../../domain/assets/assets.ts";
import { Transition } from "../../domain/shared/schemas.ts";
import { templateKinds } from "../../domain/templates/library/design.ts";
import { templateFormat, templateFormatVersion } from "../../domain/templates/sharing.ts";
import { animations, textAligns, verticalAligns } from "../../engine/timeline/overlay.ts";
import type { AppEnv } from "../app-env.ts";
import { templatePath } from "../files/internal-urls.ts";
import { sendBytes } from "../response/send-file.ts";
import {
  ExportSettings,
  Id,
  named,
  namedObject,
  Resolution,
  Seconds,
  Timestamp,
  TrackAction,
} from "../schemas/responses.ts";

const timing = {
  timingMode: z.enum(["relative", "absolute"]),
  startPercent: z.number().min(0).max(100).optional(),
  endPercent: z.number().min(0).max(100).optional(),
  startSeconds: Seconds.optional(),
  endSeconds: Seconds.optional(),
};

const center = {
  centerX: z.number().describe("Pixels from the center of the frame to the right."),
  centerY: z.number().describe("Pixels from the center of the frame downwards."),
};

const color = z.string().optional().describe("A CSS color.");
const pixels = z.number().optional().describe("Pixels.");
const group = z.string().optional();
const layer = z.int().optional().describe("Higher values are drawn above lower ones.");

const asInExports = z.unknown().optional().describe("As in an export.");

const motion = {
  ...{ anchor: asInExports, scale: asInExports, skewX: asInExports, skewY: asInExports, shadow: asInExports },
  ...{ filter: asInExports, blend: asInExports, mask: asInExports, keyframes: asInExports },
  ...{ enter: asInExports, exit: asInExports, loop: asInExports, motions: asInExports },
};

const text = {
  text: z.string(),
  fontSize: z.number().describe("Pixels."),
  fontColor: z.string().describe("A CSS color."),
  ...center,
  fontAssetId: z.string().optional(),
  fontFamily: z.string().optional(),
  fontWeight: z.number().optional(),
  align: z.enum(textAligns).optional(),
  maxWidth: pixels,
  maxHeight: pixels,
  verticalAlign: z.enum(verticalAligns).optional(),
  lineHeight: z.number().optional(),
  letterSpacing: pixels,
  strokeColor: color,
  strokeWidth: pixels,
  shadowColor: color,
  shadowBlur: pixels,
  shadowOffsetX: pixels,
  shadowOffsetY: pixels,
  background: color,
  padding: pixels,
  radius: pixels,
  opacity: z.number().min(0).max(1).optional(),
  rotation: z.number().optional().describe("Degrees, clockwise."),
  animateIn: z.enum(animations).optional(),
  animateOut: z.enum(animations).optional(),
  ...{ spans: asInExports, case: asInExports, fill: asInExports, backgroundBy: asInExports, wrap: asInExports },
  ...{ paddingX: pixels, paddingY: pixels, language: z.string().optional(), italic: z.boolean().optional() },
  ...motion,
  group,
  layer,
};

const image = {
  assetId: Id,
  width: z.number().describe("Pixels."),
  height: z.number().describe("Pixels."),
  ...center,
  opacity: z.number().min(0).max(1),
  rotation: z.number().describe("Degrees, clockwise."),
  maintainAspectRatio: z.boolean(),
  ...{ fit: asInExports, focus: asInExports, zoom: asInExports, radius: pixels },
  ...{ repeat: asInExports, speed: asInExports },
  ...motion,
  group,
  layer,
};

const TemplateTextOverlay = namedObject("TemplateTextOverlay", { id: Id, ...text, ...timing });
const TemplateImageOverlay = namedObject("TemplateImageOverlay", { id: Id, ...image, ...timing });

const Layers = z.array(z.record(z.string(), z.unknown())).optional().describe("As in an export.");

const TemplateContent = namedObject("TemplateContent", {
  textOverlays: z.array(TemplateTextOverlay),
  imageOverlays: z.array(TemplateImageOverlay),
  layers: Layers,
  defaultTransition: z.object({ type: Transition.exclude(["luma"]), duration: Seconds }).optional(),
  exportSettings: ExportSettings.optional(),
  layoutSize: Resolution.optional().describe("The frame that the overlays are laid out for, in pixels."),
});

const about = {
  name: z.string(),
  description: z.string().optional(),
  thumbnail: z.string().optional().describe("The relative URL of a small picture."),
  tags: z.array(z.string()).optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const Template = namedObject("Template", { id: Id, projectId: Id, ...about, content: TemplateContent });

const TemplateMeta = namedObject("TemplateMeta", {
  id: Id,
  ...about,
  textOverlayCount: z.int().min(0),
  imageOverlayCount: z.int().min(0),
  hasExportSettings: z.boolean(),
});

export const TemplateList = namedObject("TemplateList", {
  templates: z.array(TemplateMeta),
  count: z.int().min(0).describe("Templates of the project, not only this page."),
});

const pixelCount = z.number().optional().describe("Pixels.");

const NeededAsset = namedObject("NeededAsset", {
  id: z.string().describe("As in the content."),
  name: z.string(),
  type: z.enum(assetTypes),
  filename: z.string(),
  sha256: z.string().optional(),
  width: pixelCount,
  height: pixelCount,
});

export const TemplateFile = namedObject("TemplateFile", {
  format: z.literal(templateFormat),
  version: z.literal(templateFormatVersion),
  name: z.string(),
  description: z.string().optional(),
  tags: z.array(z.string()).optional(),
  content: TemplateContent,
  assets: z.array(NeededAsset).describe("The assets of the overlays. Their bytes are not in the file."),
});

export const ImportedTemplate = named(
  "ImportedTemplate",
  Template.extend({
    missingAssets: z.array(NeededAsset).describe("Assets without a counterpart in the project. They keep their ids."),
  }),
);

const entry = {
  id: z.string(),
  name: z.string(),
  description: z.string(),
  kind: z.enum(templateKinds),
  tags: z.array(z.string()),
  placeholders: z.array(
    namedObject("TemplatePlaceholder", { key: z.string(), description: z.string(), example: z.string() }),
  ),
  slots: z
    .array(z.object({ name: z.string(), description: z.string() }))
    .describe("Slots for images of the project; they may stay empty."),
  previews: namedObject("TemplatePreviews", { "9:16": z.string(), "1:1": z.string(), "16:9": z.string() }).describe(
    "The relative URL of a small picture for each aspect ratio.",
  ),
  animations: namedObject("TemplateAnimations", { "9:16": z.string(), "1:1": z.string(), "16:9": z.string() }).describe(
    "The relative URL of a small moving picture, an animated WebP, for each aspect ratio.",
  ),
};

const LibraryTemplateMeta = namedObject("LibraryTemplateMeta", entry);

export const TemplateLibrary = namedObject("TemplateLibrary", {
  templates: z.array(LibraryTemplateMeta),
  count: z.int(),
});

export const LibraryTemplate = namedObject("LibraryTemplate", { ...entry, content: TemplateContent });

export const missingAssetIds = z.array(z.string()).describe("Assets that the template names and that do not exist.");

export const AppliedTemplate = namedObject("AppliedTemplate", {
  textOverlays: z.record(z.string(), namedObject("AppliedTextOverlay", text)),
  textTrackActions: z.array(TrackAction),
  imageOverlays: z.record(z.string(), namedObject("AppliedImageOverlay", image)),
  imageTrackActions: z.array(TrackAction),
  layers: Layers,
  exportSettings: ExportSettings.optional(),
  skippedOverlayIds: z
    .array(z.string())
    .describe("The template's ids of overlays that have no visible time in a video of this duration."),
  pendingPlaceholders: z.array(z.string()).describe("Keys without a value; they stay in the text."),
  missingAssetIds,
});

/** A template as callers see it, with the URL of its picture. */
export const templateView = <Template extends { readonly id: string; readonly thumbnail?: string }>(
  projectId: string,
  template: Template,
) => ({ ...template, thumbnail: template.thumbnail ?? `${templatePath(projectId, template.id)}/thumbnail` });

export const sendPicture = (
  c: Context<AppEnv>,
  { bytes, hash }: { readonly bytes: Uint8Array; readonly hash: string },
  name: string,
): Promise<Response> => sendBytes(c, { bytes, mimeType: "image/webp", filename: `${name}.webp`, contentHash: hash });
