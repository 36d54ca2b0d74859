import { z } from "zod";
import { formatQuantity } from "../../domain/shared/issue-messages.ts";
import { hasAtMostKibibytes, jsonBytes, sizeInWords } from "../../domain/shared/json.ts";
import { parseInput, withoutConsequences } from "../../domain/shared/validation.ts";

type OpenObject = { [key: string]: unknown };

/** An object that preserves unknown keys. Not `z.looseObject`, which loses a key named `__proto__`. */
export function openObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = z.object(shape);
  const open = describedAs(z.looseObject(shape)).transform((value, context) => {
    const parsed = parseInput(known, value);
    if (!parsed.success) return addIssuesAt([], parsed.error, context);
    // safe because `known` accepts objects only
    const unknownEntries = Object.entries(value as OpenObject).filter(([key]) => !Object.hasOwn(shape, key));
    const knownEntries = Object.entries(parsed.data).filter(([, field]) => field !== undefined);
    return Object.fromEntries([...unknownEntries, ...knownEntries]);
  });
  // safe because the transform returns the output of `known` plus the unknown keys
  return open as unknown as z.ZodType<z.output<typeof known> & OpenObject, z.input<typeof known> & OpenObject>;
}

/** A map with any string as a key. Not `z.record`, which loses a key named `__proto__`. */
export function mapOf<Value extends z.ZodType>(value: Value, maxEntries: number) {
  const limited = z.looseObject({}).refine((entries) => Object.keys(entries).length <= maxEntries, {
    message: `Must have at most ${formatQuantity(maxEntries, "entries")}.`,
  });
  const map = describedAs(z.record(z.string(), value)).transform((input, context) => {
    const checked = parseInput(limited, input);
    if (!checked.success) return addIssuesAt([], checked.error, context);
    // safe because `limited` accepts objects only
    const entries = Object.entries(input as OpenObject).map(([key, item]) => {
      const parsed = parseInput(value, item);
      return [key, parsed.success ? parsed.data : addIssuesAt([key], parsed.error, context)];
    });
    return Object.fromEntries(entries);
  });
  // safe because `value` parsed every entry
  return map as unknown as z.ZodType<{ [key: string]: z.output<Value> }, { [key: string]: z.input<Value> }>;
}

/** Any object; the cast gives its keys a type. */
export const AnyObject = openObject({}) as unknown as z.ZodType<OpenObject, OpenObject>;

/** The resource that the body being parsed changes. */
let changed: (() => OpenObject) | undefined;

/** True in `parseChanges` if the stored value of the field is at least as large. */
export const isNotLarger = (field: string, value: unknown, counted = (value: unknown) => value): boolean =>
  jsonBytes(counted(value)) <= jsonBytes(counted(changed?.()[field]));

/** Parses a body that changes a resource; must not await: see `jsonUpTo`. */
export function parseChanges<Result>(resource: () => OpenObject, parse: () => Result): Result {
  changed = resource;
  try {
    return parse();
  } finally {
    changed = undefined;
  }
}

/**
 * Limits a value to this many KiB as JSON: before parsing, so that parsing stays short, and with the defaults that
 * parsing adds, so that a caller can send it back unchanged. `counted` returns the stored part. In `parseChanges`, a
 * value may be as large as the stored one in `field`.
 */
export function jsonUpTo<Schema extends z.ZodType>(
  maxKibibytes: number,
  schema: Schema,
  { field = "", counted = (value: unknown) => value } = {},
) {
  const message = `Must not be larger than ${sizeInWords(maxKibibytes)}.`;
  const fits = (value: unknown) =>
    hasAtMostKibibytes(maxKibibytes, counted(value)) || isNotLarger(field, value, counted);
  const limited = describedAs(schema).refine(fits, { message, abort: true }).pipe(schema).refine(fits, message);
  // safe because `schema` still parses the value
  return limited as unknown as z.ZodType<z.output<Schema>, z.input<Schema>>;
}

/** Parses with the schema that `choose` selects, so that messages come from one schema. */
export function chosenSchema<Schema extends z.ZodType>(choose: (value: unknown) => Schema) {
  const chosen = z.unknown().transform((value, context) => {
    const parsed = parseInput(choose(value), value);
    return parsed.success ? parsed.data : addIssuesAt([], parsed.error, context);
  });
  // safe because the transform returns the output of the chosen schema
  return chosen as unknown as z.ZodType<z.output<Schema>, z.input<Schema>>;
}

function describedAs(schema: z.ZodType) {
  const { $schema: _, "~standard": _standard, ...description } = z.toJSONSchema(schema, { io: "input" });
  return z.unknown().meta(description);
}

function addIssuesAt(prefix: readonly string[], { issues }: z.ZodError, context: z.core.$RefinementCtx): never {
  for (const { path, message } of withoutConsequences(issues)) {
    context.addIssue({ code: "custom", path: [...prefix, ...path], message });
  }
  return z.NEVER;
}

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;

/** A body that a typed client may send back as read: responses are readonly there, so the input type is too. */
export const readonlyBody = <Schema extends z.ZodType>(schema: Schema) =>
  // safe because parsing never changes its input
  schema as unknown as z.ZodType<z.output<Schema>, DeepReadonly<z.input<Schema>>>;
