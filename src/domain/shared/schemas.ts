import { z } from "zod";
import { transitionKinds } from "../../engine/timeline/track.ts";
import { parseColor } from "../../platform/colors.ts";

// these schemas validate request bodies and editor states that were stored earlier

const names = new Set<string>();

/** Names a schema: it becomes a component of the OpenAPI document. A name is used once. */
export function named<Schema extends z.ZodType>(name: string, schema: Schema, about: object = {}): Schema {
  if (names.has(name)) throw new Error(`Two schemas have the name ${name}.`);
  names.add(name);
  return schema.meta({ id: name, ...about });
}

export const namedObject = <Shape extends z.ZodRawShape>(name: string, shape: Shape) => named(name, z.object(shape));

/** An optional field of a nested object. Editors send null for unset fields: null counts as absent. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullable()
    .transform((value) => value ?? undefined)
    .optional();

/** Any CSS color. It is stored as written. */
export const CssColor = z
  .string()
  .max(200)
  .refine((text) => parseColor(text) !== undefined, "Must be a CSS color, such as #ff8800, rgb(255 136 0) or orange.");

/** A position or an offset. */
export const Pixels = z.number().min(-16_384).max(16_384);
/** The side length of an overlay, in pixels. */
export const Length = z.number().positive().max(16_384);
export const FontSize = z.number().min(1).max(1000);
export const Degrees = z.number().min(-36_000).max(36_000);
export const Opacity = z.number().min(0).max(1);
export const Volume = z.number().min(0).max(4);
export const Transition = z.enum(transitionKinds);
export const SceneIndex = z.int().min(0).max(499);

/** The longest side of an output image or video, in pixels. */
export const longestSide = 4096;
/** Even, because 4:2:0 video stores color for pairs of pixels. */
/** Width to height of the targets. */
export const aspectRatios = ["9:16", "1:1", "16:9", "4:5"] as const;
export type AspectRatio = (typeof aspectRatios)[number];

export const Side = z.int().min(16).max(longestSide).multipleOf(2);
export const FramesPerSecond = z.number().min(1).max(120);

/** The longest video, in seconds. */
export const maxVideoSeconds = 3600;
export const Fraction = z.number().min(0).max(1);

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

export const FontWeight = z.union(
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

export const LanguageTag = z
  .string()
  .max(100)
  .refine(isLanguageTag, "Must be a language tag, such as en, pt-BR or zh-Hans.");

export function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
