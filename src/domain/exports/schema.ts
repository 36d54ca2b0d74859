import { z } from "zod";
import { animations, textAligns } from "../../timeline/overlay.ts";
import { clipFits } from "../../timeline/track.ts";
import {
  CssColor,
  Degrees,
  FontSize,
  FramesPerSecond,
  Length,
  Opacity,
  optional,
  Pixels,
  SceneIndex,
  Side,
  Transition,
  Volume,
} from "../shared/schemas.ts";
import { WebhookRequest } from "./webhooks/schema.ts";

const maxVideoSeconds = 3600;

const seconds = z.number().min(0).max(maxVideoSeconds);

const fontWeights = {
  thin: 100,
  extralight: 200,
  light: 300,
  normal: 400,
  regular: 400,
  medium: 500,
  semibold: 600,
  bold: 700,
  extrabold: 800,
  black: 900,
} as const;
// safe because the table is a constant with exactly these keys
const fontWeightNames = Object.keys(fontWeights) as (keyof typeof fontWeights)[];

const FontWeight = z.union(
  [
    z.number().min(1).max(1000),
    z.enum(fontWeightNames).transform((name) => fontWeights[name]),
    z
      .string()
      .regex(/^([1-9]\d{0,2}|1000)$/)
      .transform(Number),
  ],
  { error: `Must be a number from 1 to 1000 or one of: ${fontWeightNames.join(", ")}.` },
);

const Fraction = z.number().min(0).max(1);

const TimeRange = z.object({ position: z.number(), end: z.number() });

const endsAfterStart = ({ position, end }: z.output<typeof TimeRange>) => end > position;

const endBeforeStart = {
  path: ["end"],
  message: "Must be later than position.",
  // by default zod skips a refinement if any field is invalid; here only `position` and `end` matter
  when: ({ value, issues }: z.core.ParsePayload) =>
    TimeRange.safeParse(value).success && !issues.some(({ path }) => path?.[0] === "position" || path?.[0] === "end"),
};

const ClipRequest = z
  .object({
    sceneIndex: SceneIndex,
    position: seconds,
    end: seconds,
    cutFrom: optional(z.number().min(0).max(1_000_000)),
    transition: optional(Transition),
    transitionDuration: optional(seconds),
    volume: optional(Volume),
    fit: optional(z.enum(clipFits)),
    focus: optional(z.object({ x: Fraction, y: Fraction })),
  })
  .refine(endsAfterStart, endBeforeStart);

const animation = z.enum(animations);

const TextRequest = z
  .object({
    text: z.string().max(10_000),
    position: seconds,
    end: z.number().min(0).max(1_000_000),
    fontSize: optional(FontSize),
    fontColor: optional(CssColor),
    centerX: optional(Pixels),
    centerY: optional(Pixels),
    x: optional(Pixels),
    y: optional(Pixels),
    fontAssetId: optional(z.string().max(100)),
    fontFamily: optional(z.string().max(200)),
    fontWeight: optional(FontWeight),
    align: optional(z.enum(textAligns)),
    maxWidth: optional(Length),
    lineHeight: optional(z.number().min(0.1).max(10)),
    letterSpacing: optional(z.number().min(-200).max(1000)),
    strokeColor: optional(CssColor),
    strokeWidth: optional(z.number().min(0).max(200)),
    shadowColor: optional(CssColor),
    shadowBlur: optional(z.number().min(0).max(200)),
    shadowOffsetX: optional(z.number().min(-1000).max(1000)),
    shadowOffsetY: optional(z.number().min(-1000).max(1000)),
    background: optional(CssColor),
    padding: optional(z.number().min(0).max(1000)),
    radius: optional(z.number().min(0).max(1000)),
    opacity: optional(Opacity),
    rotation: optional(Degrees),
    animateIn: optional(animation),
    animateOut: optional(animation),
  })
  .refine(endsAfterStart, endBeforeStart);

const ImageRequest = z
  .object({
    assetId: z.string().max(100),
    position: seconds,
    end: z.number().min(0).max(1_000_000),
    width: optional(Length),
    height: optional(Length),
    x: optional(Pixels),
    y: optional(Pixels),
    centerX: optional(Pixels),
    centerY: optional(Pixels),
    opacity: optional(Opacity),
    rotation: optional(Degrees),
    maintainAspectRatio: optional(z.boolean()),
  })
  .refine(endsAfterStart, endBeforeStart);

export const AudioRequest = z.object({
  volume: optional(Volume),
  audioUrl: optional(z.string().max(8192)),
  loop: optional(z.boolean()),
  fadeIn: optional(seconds),
  fadeOut: optional(seconds),
  duck: optional(z.boolean()),
  normalize: optional(z.boolean()),
});

/** Width to height. */
export const aspectRatios = ["9:16", "1:1", "16:9", "4:5"] as const;

const targets = z
  .array(z.enum(aspectRatios))
  .min(1)
  .refine((names) => new Set(names).size === names.length, "Must name no target twice.");

const ExportOptions = z.object({
  width: optional(Side),
  height: optional(Side),
  fps: optional(FramesPerSecond),
  quality: optional(z.enum(["draft", "standard", "high"])),
  targets: optional(targets),
});

/** Identifies the work. Checked before the rest of a body, so that only the work's owner sees validation errors. */
export const WorkReference = z.looseObject({ projectId: z.string(), workId: z.string() });

export const ExportRequest = z.object({
  projectId: z.string(),
  workId: z.string(),
  clips: optional(z.array(ClipRequest).min(1).max(500)),
  texts: optional(z.array(TextRequest).max(500)),
  images: optional(z.array(ImageRequest).max(500)),
  audio: optional(AudioRequest),
  options: optional(ExportOptions),
});

/** An export request whose response does not wait for the export. */
export const AsyncExportRequest = ExportRequest.extend({ webhook: optional(WebhookRequest) });

export type ExportRequest = z.output<typeof ExportRequest>;
export type AsyncExportRequest = z.output<typeof AsyncExportRequest>;
export type ClipRequest = z.output<typeof ClipRequest>;
export type TextRequest = z.output<typeof TextRequest>;
export type ImageRequest = z.output<typeof ImageRequest>;
export type AudioRequest = z.output<typeof AudioRequest>;
export type ExportOptions = z.output<typeof ExportOptions>;
export type AspectRatio = (typeof aspectRatios)[number];
export type Quality = NonNullable<ExportOptions["quality"]>;
