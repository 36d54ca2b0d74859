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

const maxFilmSeconds = 3600;

const seconds = z.number().min(0).max(maxFilmSeconds);

const namedWeights = {
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
// safe because the table is a constant with these keys and no others
const weightNames = Object.keys(namedWeights) as (keyof typeof namedWeights)[];

const fontWeight = z.union(
  [
    z.number().min(1).max(1000),
    z.enum(weightNames).transform((name) => namedWeights[name]),
    z
      .string()
      .regex(/^([1-9]\d{0,2}|1000)$/)
      .transform(Number),
  ],
  { error: `Must be a number from 1 to 1000 or one of: ${weightNames.join(", ")}.` },
);

const share = z.number().min(0).max(1);

const Timed = z.object({ position: z.number(), end: z.number() });

const endsAfterStart = {
  path: ["end"],
  message: "Must be later than position.",
  // told with whatever else is wrong, unless that is one of the two
  when: ({ value, issues }: z.core.ParsePayload) =>
    Timed.safeParse(value).success && !issues.some(({ path }) => path?.[0] === "position" || path?.[0] === "end"),
};
const isForward = ({ position, end }: { position: number; end: number }) => end > position;

const Clip = z
  .object({
    sceneIndex: SceneIndex,
    position: seconds,
    end: seconds,
    cutFrom: optional(z.number().min(0).max(1_000_000)),
    transition: optional(Transition),
    transitionDuration: optional(seconds),
    volume: optional(Volume),
    fit: optional(z.enum(clipFits)),
    focus: optional(z.object({ x: share, y: share })),
  })
  .refine(isForward, endsAfterStart);

const animation = z.enum(animations);

const Text = z
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
    fontWeight: optional(fontWeight),
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
  .refine(isForward, endsAfterStart);

const Image = z
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
  .refine(isForward, endsAfterStart);

export const Audio = z.object({
  volume: optional(Volume),
  audioUrl: optional(z.string().max(8192)),
  loop: optional(z.boolean()),
  fadeIn: optional(seconds),
  fadeOut: optional(seconds),
  duck: optional(z.boolean()),
  normalize: optional(z.boolean()),
});

/** Shapes of frames, across to down. */
export const aspectRatios = ["9:16", "1:1", "16:9", "4:5"] as const;

const targets = z
  .array(z.enum(aspectRatios))
  .min(1)
  .refine((named) => new Set(named).size === named.length, "Must name no target twice.");

const Options = z.object({
  width: optional(Side),
  height: optional(Side),
  fps: optional(FramesPerSecond),
  quality: optional(z.enum(["draft", "standard", "high"])),
  targets: optional(targets),
});

/** Which work an export is of: looked at before the rest, so that a stranger learns nothing from the rest. */
export const ExportTarget = z.looseObject({ projectId: z.string(), workId: z.string() });

export const ExportRequest = z.object({
  projectId: z.string(),
  workId: z.string(),
  clips: optional(z.array(Clip).min(1).max(500)),
  texts: optional(z.array(Text).max(500)),
  images: optional(z.array(Image).max(500)),
  audio: optional(Audio),
  options: optional(Options),
});

export type ExportRequest = z.output<typeof ExportRequest>;
export type ClipRequest = z.output<typeof Clip>;
export type TextRequest = z.output<typeof Text>;
export type ImageRequest = z.output<typeof Image>;
export type AudioRequest = z.output<typeof Audio>;
export type OptionsRequest = z.output<typeof Options>;
export type AspectRatio = (typeof aspectRatios)[number];
export type Quality = NonNullable<OptionsRequest["quality"]>;
