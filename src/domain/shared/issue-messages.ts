import type { z } from "zod";

/** The units of number fields, by the last name in a field's path. */
const fieldsByUnit = {
  seconds: [
    ...["position", "end", "start", "cutFrom", "trimStart", "trimEnd", "duration", "transitionDuration"],
    ...["fadeIn", "fadeOut", "videoDuration", "startSeconds", "endSeconds", "duration_seconds", "video_duration"],
  ],
  pixels: [
    ...["width", "height", "maxWidth", "centerX", "centerY", "fontSize", "letterSpacing", "strokeWidth"],
    ...["shadowBlur", "shadowOffsetX", "shadowOffsetY", "padding", "radius"],
  ],
  degrees: ["rotation"],
  "frames per second": ["fps"],
  days: ["expiresInDays"],
};

const units: ReadonlyMap<unknown, string> = new Map(
  Object.entries(fieldsByUnit).flatMap(([unit, fields]) => fields.map((field) => [field, unit] as const)),
);

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/**
 * Describes what is wrong with a value, after the name of its field: "Must be more than 0." Replaces zod's messages
 * where a schema has none of its own, in every schema of a caller's input, nested ones too.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return describeType(issue);
    case "too_small":
      return describeMinimum(issue);
    case "too_big":
      return describeMaximum(issue);
    case "not_multiple_of":
      return issue.divisor === 2 ? "Must be an even number." : `Must be a multiple of ${issue.divisor}.`;
    case "invalid_value":
      return `Must be ${issue.values.length > 1 ? "one of: " : ""}${issue.values.map(String).join(", ")}.`;
    case "invalid_format":
      return issue.format === "email" ? "Must be an address like name@example.com." : unusable;
    case "invalid_union":
      return issue.errors.at(-1)?.[0]?.message ?? unusable;
    default:
      return unusable;
  }
}

const unusable = "Is not valid.";

type RawIssue<Code> = Extract<z.core.$ZodRawIssue, { readonly code: Code }>;

function describeType({ expected, input, path }: RawIssue<"invalid_type">): string {
  if (input === undefined) return "Is required.";
  const unit = expected === "number" || expected === "int" ? units.get(path?.at(-1)) : undefined;
  return `Must be ${typeNames[expected] ?? "another value"}${unit ? ` of ${unit}` : ""}.`;
}

const sizeUnits: ReadonlyMap<string, string> = new Map([
  ["string", "characters"],
  ["array", "items"],
]);

function describeMinimum({ origin, minimum, inclusive, path }: RawIssue<"too_small">): string {
  const sizeUnit = sizeUnits.get(origin);
  if (sizeUnit && minimum === 1) return "Must not be empty.";
  if (sizeUnit) return `Must have at least ${formatQuantity(minimum, sizeUnit)}.`;
  return `Must be ${inclusive ? "at least" : "more than"} ${formatQuantity(minimum, units.get(path?.at(-1)))}.`;
}

function describeMaximum({ origin, maximum, inclusive, path }: RawIssue<"too_big">): string {
  const sizeUnit = sizeUnits.get(origin);
  if (sizeUnit) return `Must have at most ${formatQuantity(maximum, sizeUnit)}.`;
  return `Must be ${inclusive ? "at most" : "less than"} ${formatQuantity(maximum, units.get(path?.at(-1)))}.`;
}

/** "1 second", "3,600 seconds"; zero needs no unit. */
export function formatQuantity(count: number | bigint, unit?: string): string {
  const text = count.toLocaleString("en-US", { maximumFractionDigits: 10 });
  if (!unit || Number(count) === 0) return text;
  return `${text} ${Number(count) === 1 ? unit.replace(/s\b/, "") : unit}`;
}
