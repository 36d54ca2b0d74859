import { httpErrors } from "../response/error-status.ts";
import { operationsByTag } from "./operations.ts";
import { mapValues, responseOf } from "./shared-responses.ts";
import type { ApiDocument, NamedOperation, Parameter, Reference, Response, Schema } from "./types.ts";

export function toMarkdown(document: ApiDocument): string {
  const { info, components, webhooks = {} } = document;
  const groups = operationsByTag(document).map(({ tag, about, operations }) =>
    section(2, tag, about, ...operations.map((operation) => describeOperation(operation, document))),
  );
  const hooks = Object.values(webhooks).flatMap((item) => (item && "post" in item && item.post ? [item.post] : []));
  return [
    section(1, `${info.title} API`, info.description ?? ""),
    ...groups,
    section(2, "Webhooks", ...hooks.map(({ summary, description = "" }) => section(3, summary ?? "", description))),
    section(
      2,
      "Errors",
      "Each error has the status that its operations name. [Errors](errors.md) says what to do about it.",
      errorTable(),
    ),
    section(2, "Schemas", ...schemaSections(components.schemas)),
  ]
    .join("\n\n")
    .concat("\n");
}

const section = (level: number, title: string, ...paragraphs: readonly string[]) =>
  [`${"#".repeat(level)} ${title}`, ...paragraphs.filter(Boolean)].join("\n\n");

function describeOperation({ method, path, operation }: NamedOperation, document: ApiDocument): string {
  const { operationId, summary = "", description = "", parameters = [], requestBody, responses = {} } = operation;
  return section(
    3,
    summary,
    `\`${method.toUpperCase()} ${path}\` · \`${operationId}\``,
    description,
    parameterTable(parameters),
    requestBody && "content" in requestBody ? describeBody(requestBody.content) : "",
    answerTable(mapValues(responses, (response) => responseOf(document, response))),
  );
}

type Content = NonNullable<Response["content"]>;

const describeBody = (content: Content): string =>
  Object.entries(content)
    .map(([type, { schema }]) => `Body: ${type}, ${schema ? shortType(schema as Schema, linkTo) : "any"}.`)
    .join("\n");

const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string => {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]) => `| ${cells.map(inCell).join(" | ")} |`;
  return [line(titles), line(titles.map(() => "---")), ...rows.map(line)].join("\n");
};

const inCell = (text: string) => text.replaceAll(/\s*\n\s*/g, " ").replaceAll("|", "\\|");

const parameterTable = (parameters: readonly Parameter[]): string =>
  table(
    ["Parameter", "In", "Type", "About"],
    parameters.map(({ name, in: place, required, schema, description = "" }) => [
      `\`${name}\`${required ? "" : " (optional)"}`,
      place,
      schema ? shortType(schema as Schema, linkTo) : "",
      description,
    ]),
  );

const answerTable = (responses: Record<string, Response>): string =>
  table(
    ["Status", "Answer"],
    Object.entries(responses).map(([status, { description, content = {} }]) => [
      status,
      Number(status) < 400 ? `${description} ${contentTypes(content)}`.trim() : codesIn(description),
    ]),
  );

const contentTypes = (content: Content): string =>
  Object.entries(content)
    .map(([type, { schema }]) =>
      type === "application/json" && schema ? shortType(schema as Schema, linkTo) : `\`${type}\``,
    )
    .join(", ");

/** The codes in the description of an error's response. */
const codesIn = (description: string): string => [...description.matchAll(/^`\w+`/gm)].join(", ");

const errorTable = (): string =>
  table(
    ["Code", "When"],
    Object.entries(httpErrors).map(([code, [, meaning]]) => [`\`${code}\``, meaning]),
  );

const isError = (name: string) => name.endsWith("Error") && name !== "ExportRequestError" && name !== "FieldError";

const schemaSections = (schemas: Record<string, Schema>): readonly string[] =>
  Object.keys(schemas)
    .filter((name) => !isError(name))
    .sort()
    .map((name) => section(3, name, schemas[name]!.description ?? "", fieldTable(schemas[name]!)));

function fieldTable(schema: Schema): string {
  const { properties = {}, required = [] } = schema;
  if (Object.keys(properties).length === 0) return shortType(schema, linkTo);
  const rows = Object.entries(properties).map(([name, field]) => [
    `\`${name}\`${required.includes(name) ? "" : " (optional)"}`,
    shortType(field as Schema, linkTo),
    ("description" in field && field.description) || "",
  ]);
  return table(["Field", "Type", "About"], rows);
}

const linkTo = (name: string): string => `[${name}](#${name.toLowerCase()})`;

/** A schema in a few words, such as "integer, 0 to 499" or "list of Asset". `nameOf` writes the name of a component. */
function shortType(schema: Schema | Reference, nameOf: (name: string) => string): string {
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
