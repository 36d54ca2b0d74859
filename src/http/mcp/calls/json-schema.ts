import type { ApiDocument } from "../../document/types.ts";

/** A JSON schema of the API document; keys that no function here reads are kept. */
export type JsonSchema = { readonly [key: string]: unknown } & {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
};

export type Components = Pick<ApiDocument, "components">;

const prefix = "#/components/schemas/";

/** Replaces references by their components: not every host follows references. */
export function inlined({ components }: Components, schema: JsonSchema): JsonSchema {
  const { $ref, ...rest } = schema;
  if ($ref === undefined) return mapSchemas(rest, (inner) => inlined({ components }, inner));
  const name = $ref.slice(prefix.length);
  // safe because the document's schemas are JSON schemas
  const component = components.schemas[name] as JsonSchema | undefined;
  if (!component) throw new Error(`The document has no schema ${$ref}`);
  return { ...inlined({ components }, component), ...rest };
}

/** Removes "or null", for arguments that are better left out. */
export function withoutNull(schema: JsonSchema): JsonSchema {
  const { anyOf, type, ...rest } = mapSchemas(schema, withoutNull);
  const types = Array.isArray(type) ? type.filter((name) => name !== "null") : type;
  const kept = anyOf?.filter((choice) => choice.type !== "null");
  return {
    ...(kept?.length === 1 && kept[0]),
    ...rest,
    ...(kept && kept.length > 1 && { anyOf: kept }),
    ...(types !== undefined && { type: Array.isArray(types) && types.length === 1 ? types[0] : types }),
  } as JsonSchema;
}

/** Merges choices into one object: fields required by all choices are required; the route checks the rest. */
export function merged(schema: JsonSchema): JsonSchema {
  if (!schema.anyOf) return schema;
  const choices = schema.anyOf.map(merged);
  const names = [...new Set(choices.flatMap((choice) => Object.keys(choice.properties ?? {})))];
  const fieldOf = (name: string): JsonSchema => {
    const fields = choices.flatMap((choice): readonly JsonSchema[] =>
      choice.properties?.[name] ? [choice.properties[name]] : [],
    );
    const [first, ...others] = fields.toSorted((a, b) => (b.description ?? "").length - (a.description ?? "").length);
    const isOne = others.every((other) => withoutDescription(other) === withoutDescription(first!));
    return isOne ? first! : { anyOf: fields }; // safe because a choice has the name
  };
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, fieldOf(name)])),
    required: names.filter((name) => choices.every((choice) => choice.required?.includes(name))),
  };
}

const withoutDescription = ({ description: _, ...schema }: JsonSchema) => JSON.stringify(schema);

/** The types of a result, without descriptions, and without the fields of objects deeper than `depth`. */
export function outline(schema: JsonSchema, depth: number): JsonSchema {
  const { type, description: _, example: __, ...rest } = schema;
  if (depth < 0) return type === undefined ? {} : { type };
  const isObject = rest.properties !== undefined;
  const inner = mapSchemas(rest, (part) => outline(part, isObject ? depth - 1 : depth));
  return { ...(type !== undefined && { type }), ...inner };
}

function mapSchemas(schema: JsonSchema, map: (inner: JsonSchema) => JsonSchema): JsonSchema {
  const { properties, items, anyOf, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, map(inner)])),
    }),
    ...(items && { items: map(items) }),
    ...(anyOf && { anyOf: anyOf.map(map) }),
    ...(isSchema(additionalProperties) && { additionalProperties: map(additionalProperties) }),
  };
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null;
