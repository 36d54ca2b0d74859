import { errorMeanings } from "./errors.ts";
import { operationsByTag } from "./operations.ts";
import { mapValues, responseOf } from "./shared-responses.ts";
import { shortType } from "./short-type.ts";
import type { ApiDocument, NamedOperation, Parameter, Response, Schema } from "./types.ts";

/** The document as a page of Markdown. */
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
    Object.entries(errorMeanings).map(([code, meaning]) => [`\`${code}\``, meaning]),
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
