import { z } from "zod";
import { Brand } from "../../domain/brand/brand.ts";
import { formatQuantity } from "../../domain/shared/issue-messages.ts";
import { largestPage } from "../../domain/shared/paging.ts";
import { FramesPerSecond, named, namedObject, optional, Side } from "../../domain/shared/schemas.ts";
import { defaultFps } from "../../domain/works/editor-state.ts";
import { jsonUpTo, mapOf, openObject } from "./objects.ts";

/**
 * Schemas shared by bodies, forms and queries; those of a room are in its `schemas.ts`. A schema of up to five lines
 * that only one route uses is in the file of that route. The schema of an export is in domain/exports, because the
 * export job parses the stored request again.
 */

const codePoints = (text: string) => [...text].length;

// a code point has one or two UTF-16 units: only a text in between needs a count
const hasAtMost = (max: number, text: string) =>
  text.length <= max || (text.length <= 2 * max && codePoints(text) <= max);

const withMaxLength = (schema: z.ZodString, max: number) =>
  schema
    .refine((text) => hasAtMost(max, text), `Must have at most ${formatQuantity(max, "characters")}.`)
    .meta({ maxLength: max });

/** A string of at most `max` code points; may be empty. */
export const textUpTo = (max: number) => withMaxLength(z.string(), max);

/** A trimmed, non-empty string of at most `max` code points. */
export const trimmedUpTo = (max: number) => withMaxLength(z.string().trim().min(1), max);

export const Name = trimmedUpTo(200);
export const Tags = z.array(trimmedUpTo(100)).max(100);
/** At most 200,000 bytes of UTF-8. */
export const Prompt = textUpTo(50_000);

/** The id of a resource or overlay named in a body; it need not exist. */
export const Id = z.string().min(1).max(200);

/** An id that a PUT may repeat; `requireSameIds` compares it with the id in the path. */
export const SameId = z.unknown().optional().describe("May be sent back unchanged; another id is an error.");

/** An internal or external URL. */
export const Url = z.string().max(8192);

export const Seconds = z.number().min(-86_400).max(86_400).describe("Seconds.");
export const Duration = z.number().positive().max(86_400).describe("Seconds.");

export const Resolution = namedObject("NewResolution", { width: Side, height: Side });
export const ExportSettings = named(
  "NewExportSettings",
  Resolution.extend({ fps: FramesPerSecond.default(defaultFps) }),
);

/** Replaces null and undefined by `fallback`. */
export const withDefault = <Schema extends z.ZodType>(schema: Schema, fallback: z.output<Schema>) =>
  schema
    .nullish()
    .transform((value) => value ?? fallback)
    .describe(`${JSON.stringify(fallback)} by default.`);

/** A form field that may occur once: forms are parsed into a list of values per field. */
export const formField = <Schema extends z.ZodType<unknown, string>>(schema: Schema) =>
  z
    .array(z.string())
    .max(1, "Must be sent only once.")
    .transform(([only]) => only ?? "")
    .pipe(schema);

const Phrase = textUpTo(2000);
const Phrases = z.array(Phrase).max(200);

const oldText = "text before brands had fields";

/** Text stays unchanged: style guides could have it before brands had fields. */
const BrandOrText = z
  .preprocess((value) => (typeof value === "string" ? { [oldText]: value } : value), Brand)
  .transform((brand) => (typeof brand[oldText] === "string" ? brand[oldText] : brand));

export const StyleGuide = named(
  "NewStyleGuide",
  jsonUpTo(
    256,
    openObject({
      tone: optional(Phrase),
      color_palette: optional(Phrases),
      tempo: optional(Phrase),
      camera_style: optional(Phrase),
      brand_voice: optional(Phrase),
      must_include: optional(Phrases),
      must_avoid: optional(Phrases),
      brand: optional(BrandOrText).describe(
        "Fonts, colors, a logo, captions, an intro and an end card for exports with `options.brand`.",
      ),
    }),
    { field: "styleGuide" },
  ),
  { description: "At most 256 KiB. Unknown keys are stored too." },
);

/** Values for the `{{key}}` placeholders in a template's texts. */
export const PlaceholderValues = mapOf(textUpTo(100_000), 1000)
  .default({})
  .describe("A text for each placeholder key; a key without one stays in the text.");

/** `?limit=` and `?cursor=` of every list. */
export const PageQuery = z.object({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, "Must be a whole number.")
    .transform(Number)
    .pipe(z.int().min(1).max(largestPage.limit))
    .default(largestPage.limit),
  cursor: z.string().min(1).max(500).optional(),
});

export const isDistinct = (items: readonly unknown[]): boolean => new Set(items).size === items.length;
