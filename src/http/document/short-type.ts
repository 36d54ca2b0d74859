import type { Reference, Schema } from "./types.ts";

/** A schema in a few words, such as "integer, 0 to 499" or "list of Asset". `nameOf` writes the name of a component. */
export function shortType(schema: Schema | Reference, nameOf: (name: string) => string): string {
  if ("$ref" in schema) return nameOf(schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1));
  const { anyOf, oneOf, items, enum: values, type } = schema as Schema & { readonly items?: Schema };
  const options = anyOf ?? oneOf;
  if (options) return options.map((option) => shortType(option, nameOf)).join(" or ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (values) return values.map((value) => `\`${value}\``).join(", ");
  if (items) return `list of ${shortType(items, nameOf)}`;
  const name = Array.isArray(type) ? type.join(" or ") : (type ?? "any");
  return name === "object" ? objectType(schema, nameOf) : name + limitsOf(schema);
}

function objectType({ properties = {}, additionalProperties }: Schema, nameOf: (name: string) => string): string {
  const fields = Object.entries(properties).map(([name, field]) => `${name}: ${shortType(field as Schema, nameOf)}`);
  if (fields.length > 0) return `{ ${fields.join("; ")} }`;
  const values = typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0;
  return values ? `map of ${shortType(additionalProperties as Schema, nameOf)}` : "object";
}

function limitsOf({ minimum, maximum, exclusiveMinimum, minLength, maxLength, multipleOf }: Schema): string {
  const above = exclusiveMinimum === undefined ? undefined : `more than ${exclusiveMinimum}`;
  const range = between(minimum, maximum);
  const length = between(minLength, maxLength);
  const parts = [above, range, length && `${length} characters`, multipleOf && `a multiple of ${multipleOf}`];
  return parts
    .filter(Boolean)
    .map((part) => `, ${part}`)
    .join("");
}

function between(min: number | undefined, max: number | undefined): string | undefined {
  if (min !== undefined && max !== undefined) return `${min} to ${max}`;
  if (max !== undefined) return `at most ${max}`;
  return min === undefined ? undefined : `at least ${min}`;
}
