import { scopes as allScopes, type Scope } from "../../../domain/accounts/scopes.ts";
import { namedOperations } from "../../document/operations.ts";
import type { ApiDocument, NamedOperation, Operation, Parameter } from "../../document/types.ts";
import { briefComponents } from "./brief-schemas.ts";
import { inlined, type JsonSchema, merged, outline, withoutNull } from "./json-schema.ts";

/** How a tool's arguments become a request to a route of the API. */
export type OperationPlan = {
  readonly method: string;
  /** Contains `{name}` for each argument in `inPath`. */
  readonly path: string;
  readonly inPath: readonly string[];
  readonly inQuery: readonly string[];
  /** Arguments that become headers, with the header of each. */
  readonly inHeaders: Readonly<Record<string, string>>;
  readonly scopes: readonly Scope[];
  readonly hasJsonBody: boolean;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  /** Undefined if the response is not JSON. */
  readonly output: JsonSchema | undefined;
};

export const operationPlans = (document: ApiDocument): ReadonlyMap<string, OperationPlan> =>
  new Map(namedOperations(document).map((named) => [named.operation.operationId ?? "", planOf(document, named)]));

function planOf(document: ApiDocument, { method, path, operation }: NamedOperation): OperationPlan {
  const { parameters = [] } = operation;
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const inQuery = parameters.filter((parameter) => parameter.in === "query" && parameter.name !== "token");
  const inHeaders = parameters.filter(
    ({ in: place, name, schema }) => place === "header" && name !== "Prefer" && !isRefused(schema as JsonSchema),
  );
  const argumentOf = headerArguments(inHeaders);
  const body = jsonBody(document, operation, method);
  return {
    method: method.toUpperCase(),
    path,
    inPath: inPath.map(({ name }) => name),
    inQuery: inQuery.map(({ name }) => name),
    inHeaders: Object.fromEntries(inHeaders.map(({ name }) => [argumentOf(name), name])),
    scopes: scopesOf(operation),
    hasJsonBody: body !== undefined,
    properties: {
      ...body?.properties,
      ...Object.fromEntries([...inPath, ...inQuery].map((parameter) => [parameter.name, argumentSchema(parameter)])),
      ...Object.fromEntries(inHeaders.map((header) => [argumentOf(header.name), headerSchema(header)])),
    },
    required: [
      ...inPath.map(({ name }) => name),
      ...inQuery.filter(({ required }) => required).map(({ name }) => name),
      ...(body?.required ?? []),
    ],
    output: outputOf(document, operation),
  };
}

/** True for a header that a route declares only to refuse it. */
const isRefused = (schema: JsonSchema) => Object.keys(schema).length === 0;

const isScope = (name: string): name is Scope => (allScopes as readonly string[]).includes(name);

const scopesOf = ({ security }: Operation): readonly Scope[] =>
  (security?.find(({ bearer }) => bearer)?.bearer ?? []).filter(isScope);

/** A PUT takes null to clear a field; elsewhere a field that is left out means the same. */
function jsonBody(document: ApiDocument, { requestBody }: Operation, method: string): JsonSchema | undefined {
  const content = requestBody && "content" in requestBody ? requestBody.content["application/json"] : undefined;
  if (!content?.schema) return undefined;
  const schema = merged(inlined(briefComponents(document), content.schema as JsonSchema));
  return method === "put" ? schema : withoutNull(schema);
}

/** Numbers, which paths and queries carry as text. */
const numbers: Readonly<Record<string, JsonSchema>> = {
  sceneIndex: { type: "integer", minimum: 0, maximum: 499 },
  page: { type: "integer", minimum: 1, maximum: 500 },
  limit: { type: "integer", minimum: 1, maximum: 1000 },
  t: { type: "number", minimum: 0 },
  width: { type: "integer", minimum: 16, maximum: 4096 },
  maxSide: { type: "integer", minimum: 16, maximum: 4096 },
  columns: { type: "integer", minimum: 1, maximum: 10 },
  rows: { type: "integer", minimum: 1, maximum: 10 },
};

const argumentSchema = ({ name, schema, description }: Parameter): JsonSchema => ({
  ...(numbers[name] ?? (schema as JsonSchema)),
  ...(description && { description }),
});

const providerHeader = /^x-([a-z]+)-provider$/;

/** Maps `x-llm-provider` to `provider`; a route with two providers has imageProvider, videoProvider and so on. */
function headerArguments(headers: readonly Parameter[]): (header: string) => string {
  const isSingle = headers.filter(({ name }) => providerHeader.test(name)).length === 1;
  return (header) => {
    if (header === "Idempotency-Key") return "requestId";
    const [, category, field] = /^x-(?:([a-z]+)-)?(provider|model-id|api-key)$/.exec(header) ?? [];
    const name = { provider: "provider", "model-id": "model", "api-key": "apiKey" }[field ?? ""] ?? header;
    return category === undefined || isSingle ? name : `${category}${name[0]!.toUpperCase()}${name.slice(1)}`;
  };
}

const requestIdAbout = "For 24 hours the same call gets the first result, unpaid: use a new one for a new task.";

function headerSchema({ name, description = "" }: Parameter): JsonSchema {
  if (name === "Idempotency-Key") return { type: "string", minLength: 1, maxLength: 255, description: requestIdAbout };
  const about = description.replace(/`x-api-key`/g, "`apiKey`").replace(/`x-model-id`/g, "`model`");
  if (name.endsWith("api-key")) return { type: "string", description: `${about} Better set as a header.` };
  if (!providerHeader.test(name)) return { type: "string", description: about };
  return {
    type: "string",
    description: `${about} By default that of the connection's headers, else \`local\` (free).`,
  };
}

/** Deeper parts stay open: hosts only check results with the schema. */
const outputDepth = 1;

function outputOf(document: ApiDocument, { responses = {} }: Operation): JsonSchema | undefined {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  const schema = success && "content" in success ? success.content?.["application/json"]?.schema : undefined;
  return schema && outline(inlined(briefComponents(document), schema as JsonSchema), outputDepth);
}
