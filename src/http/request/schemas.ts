import { z } from "zod";
import { wholeList } from "../../domain/shared/paging.ts";
import { FramesPerSecond, optional, Side } from "../../domain/shared/schemas.ts";
import { defaultFps } from "../../domain/works/editor-state.ts";

const characters = (text: string) => [...text].length;

const limited = (schema: z.ZodString, max: number) =>
  schema
    .refine((text) => text.length <= max || characters(text) <= max, `Must have at most ${max} characters.`)
    .meta({ maxLength: max });

/** Any text of at most this many characters; an emoji of one code point counts as one. */
export const textUpTo = (max: number) => limited(z.string(), max);

/** The same for what must say something. */
export const trimmedUpTo = (max: number) => limited(z.string().trim().min(1, "Must not be empty."), max);

export const Name = trimmedUpTo(200);
export const Tags = z.array(trimmedUpTo(100)).max(100);
export const Prompt = textUpTo(50_000);

/** The id of a resource or an overlay inside a body, whether there is such a thing or not. */
export const Id = z.string().min(1).max(200);

/** An id that a PUT may repeat: requireSameIds compares it with the path's. */
export const SameId = z.unknown().optional();

/** An address inside this service or outside. */
export const Url = z.string().max(8192);

export const Seconds = z.number().min(-86_400).max(86_400);
export const Duration = z.number().positive().max(86_400);

export const Resolution = z.object({ width: Side, height: Side });
export const ExportSettings = Resolution.extend({ fps: FramesPerSecond.default(defaultFps) });

/** Null stands for the default, as leaving the field out does. */
export const withDefault = <Schema extends z.ZodType>(schema: Schema, fallback: z.output<Schema>) =>
  schema.nullish().transform((value) => value ?? fallback);

type Open = { [key: string]: unknown };

/** An object whose unknown keys are all kept: zod's own loose objects lose one named `__proto__`. */
export function openObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = z.object(shape);
  const open = describedAs(z.looseObject(shape)).transform((given, context) => {
    const parsed = known.safeParse(given);
    if (!parsed.success) return refuse(context, parsed.error, []);
    // safe because `known` takes objects only
    const unknown = Object.entries(given as Open).filter(([key]) => !Object.hasOwn(shape, key));
    const set = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
    return Object.fromEntries([...unknown, ...set]);
  });
  // safe because the transform above gives what `known` gives, and the unknown keys
  return open as unknown as z.ZodType<z.output<typeof known> & Open, z.input<typeof known> & Open>;
}

/** Values by any key, `__proto__` too, which zod's own records lose. */
export function mapOf<Value extends z.ZodType>(value: Value, maxEntries: number) {
  const few = z.looseObject({}).refine((given) => Object.keys(given).length <= maxEntries, {
    message: `Must have at most ${maxEntries} entries.`,
  });
  const map = describedAs(z.record(z.string(), value)).transform((given, context) => {
    const checked = few.safeParse(given);
    if (!checked.success) return refuse(context, checked.error, []);
    // safe because `few` takes objects only
    const entries = Object.entries(given as Open).map(([key, item]) => {
      const parsed = value.safeParse(item);
      return [key, parsed.success ? parsed.data : refuse(context, parsed.error, [key])];
    });
    return Object.fromEntries(entries);
  });
  // safe because every value above went through `value`
  return map as unknown as z.ZodType<{ [key: string]: z.output<Value> }, { [key: string]: z.input<Value> }>;
}

/** Takes anything, and is described in the API document as `schema`. */
const describedAs = (schema: z.ZodType) => {
  const { $schema: _, "~standard": _standard, ...description } = z.toJSONSchema(schema, { io: "input" });
  return z.unknown().meta(description);
};

function refuse(context: z.core.$RefinementCtx, error: z.ZodError, at: readonly string[]): never {
  for (const { path, message } of error.issues) {
    context.addIssue({ code: "custom", path: [...at, ...path], message });
  }
  return z.NEVER;
}

/** Takes what would not be valid too, for whoever is asked what is wrong with it. */
export const unjudged = <Schema extends z.ZodType>(schema: Schema) =>
  // safe because the input type only tells what a body should be
  describedAs(schema) as unknown as z.ZodType<unknown, z.input<Schema>>;

/** For what only has to be an object; the cast says what its unknown keys are. */
export const AnyObject = openObject({}) as unknown as z.ZodType<Open, Open>;

type Immutable<Value> = Value extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
    : Value;

/** Answers are readonly in the typed client: a body that may be sent back as it was read must be so too. */
export const readonlyBody = <Schema extends z.ZodType>(schema: Schema) =>
  // safe because parsing never changes what it is given
  schema as unknown as z.ZodType<z.output<Schema>, Immutable<z.input<Schema>>>;

const Phrase = textUpTo(2000);
const Phrases = z.array(Phrase).max(200);

export const StyleGuide = openObject({
  tone: optional(Phrase),
  color_palette: optional(Phrases),
  tempo: optional(Phrase),
  camera_style: optional(Phrase),
  brand_voice: optional(Phrase),
  must_include: optional(Phrases),
  must_avoid: optional(Phrases),
});

/** What stands for the `{{key}}` of a template's texts. */
export const PlaceholderValues = mapOf(textUpTo(100_000), 1000).default({});

const wholeNumber = /^\d{1,4}$/;

/** `?limit=` and `?cursor=` of every list. */
export const PageQuery = z.object({
  limit: z
    .string()
    .regex(wholeNumber, "Must be a whole number.")
    .transform(Number)
    .pipe(z.int().min(1).max(wholeList.limit))
    .default(wholeList.limit),
  cursor: z.string().min(1).max(500).optional(),
});
