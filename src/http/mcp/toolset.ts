import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { invalid } from "../../errors.ts";
import type { ApiDocument } from "../document/types.ts";
import { adcpTools, taskTool } from "./adcp/tools.ts";
import type { JsonSchema } from "./calls/json-schema.ts";
import { type OperationPlan, operationPlans } from "./calls/operation-plan.ts";
import { resultSchema } from "./calls/results.ts";
import type { Tool } from "./calls/tool.ts";
import { aiTools } from "./tools/ai.ts";
import { assetTools } from "./tools/assets.ts";
import { batchTools } from "./tools/batches.ts";
import { exportTools } from "./tools/exports.ts";
import { filmTools } from "./tools/films.ts";
import { projectTools } from "./tools/projects.ts";
import { templateTools } from "./tools/templates.ts";
import { workTools } from "./tools/works.ts";

export type PreparedTool = {
  readonly set: string;
  readonly tool: Tool;
  readonly plan: OperationPlan;
  readonly listed: ListedTool;
};

/** All listed tools by name, in list order. Takes milliseconds, so it is done once. */
export const prepareTools = (document: ApiDocument): ReadonlyMap<string, PreparedTool> =>
  preparedSets(document, toolSets);

/** Tools that can be called and are not listed. */
export const prepareUnlistedTools = (document: ApiDocument): ReadonlyMap<string, PreparedTool> =>
  preparedSets(document, { adcp: [taskTool] });

function preparedSets(document: ApiDocument, sets: ToolSets): ReadonlyMap<string, PreparedTool> {
  const plans = operationPlans(document);
  return new Map(
    Object.entries(sets).flatMap(([set, tools]) =>
      tools.map((tool) => [tool.name, { set, ...prepare(tool, plans.get(tool.operation)) }] as const),
    ),
  );
}

type ToolSets = Readonly<Record<string, readonly Tool[]>>;

/**
 * The tools of some sets, such as `films,projects`, with the fields of their results; by default all tools without
 * these, which are 40 % of the list and which few hosts show to a model. Throws validation_error.
 */
export function listedTools(tools: ReadonlyMap<string, PreparedTool>, sets?: string): readonly ListedTool[] {
  const all = [...tools.values()];
  if (sets === undefined) {
    const outputSchema = { type: "object" as const };
    return all.map(({ listed }) => (listed.outputSchema ? { ...listed, outputSchema } : listed));
  }
  const wanted = sets.split(",");
  if (!wanted.every((set) => Object.hasOwn(toolSets, set)))
    throw invalid("tools", `Must name sets of tools: ${Object.keys(toolSets).join(", ")}.`);
  return all.filter(({ set }) => wanted.includes(set)).map(({ listed }) => listed);
}

function prepare(tool: Tool, plan: OperationPlan | undefined): Omit<PreparedTool, "set"> {
  if (!plan) throw new Error(`${tool.name}: there is no operation ${tool.operation}`);
  const { name, title, description } = tool;
  const outputSchema = tool.input || (tool.run && !plan.output) ? undefined : resultSchema(tool, plan);
  const listed = {
    name,
    title,
    description,
    inputSchema: inputSchema(tool, plan),
    ...(outputSchema && { outputSchema }),
    annotations: { title, ...hints(tool, plan) },
  };
  // safe because both schemas have the type object
  return { tool, plan, listed: listed as ListedTool };
}

function inputSchema({ omit = [], extra, input, ...tool }: Tool, { properties, required }: OperationPlan): JsonSchema {
  if (input) return anyArguments;
  const own: JsonSchema = extra ? (z.toJSONSchema(extra, { io: "input" }) as JsonSchema) : {};
  const offered = Object.entries(properties).filter(([name]) => !omit.includes(name));
  const fields = Object.fromEntries(offered.map(([name, schema]) => [name, argumentSchema(tool, name, schema)]));
  const replaced = Object.keys(own.properties ?? {});
  return {
    type: "object",
    properties: { ...fields, ...own.properties },
    required: [...required.filter((name) => !replaced.includes(name)), ...(own.required ?? [])],
    additionalProperties: false,
  };
}

/** For tools of another protocol: those who call them know their arguments, and other hosts need not read them. */
const anyArguments: JsonSchema = {
  ...{ type: "object", properties: {}, required: [] },
  // as other tools, closed; but for fields with any name
  ...{ patternProperties: { "": {} }, additionalProperties: false },
};

function argumentSchema({ brief = {}, sameAs }: Pick<Tool, "brief" | "sameAs">, name: string, schema: JsonSchema) {
  const kinds = kindsOf(schema);
  const isShared = sameAs !== undefined && (kinds.includes("object") || kinds.includes("array"));
  const description = brief[name] ?? (isShared ? `As in ${sameAs}.` : undefined);
  return description === undefined ? withBriefFields(schema, name, brief) : typeWith(schema, description);
}

function withBriefFields(schema: JsonSchema, path: string, brief: Readonly<Record<string, string>>): JsonSchema {
  const { items, properties } = schema;
  if (items?.properties) return { ...schema, items: withBriefFields(items, path, brief) };
  if (!properties) return schema;
  const fields = Object.entries(properties).map(([name, field]) => {
    const own = `${path}.${name}`;
    const description = brief[own];
    return [
      name,
      description === undefined ? withBriefFields(field, own, brief) : typeWith(field, description),
    ] as const;
  });
  return { ...schema, properties: Object.fromEntries(fields) };
}

const kindsOf = (schema: JsonSchema): readonly string[] => [
  ...new Set(
    [schema.type, ...(schema.anyOf ?? []).map(({ type }) => type)].flat().filter((kind) => kind !== undefined),
  ),
];

/** The type of an argument with a sentence. */
function typeWith(schema: JsonSchema, description: string): JsonSchema {
  const kinds = kindsOf(schema);
  return {
    ...(kinds.length > 0 && { type: kinds.length === 1 ? kinds[0]! : kinds }),
    ...(kinds.includes("array") && { items: {} }),
    ...(description !== "" && { description }),
  };
}

const hints = ({ isReadOnly = false, isOpenWorld = false }: Tool, { method, inHeaders }: OperationPlan) => {
  const readOnlyHint = isReadOnly || method === "GET";
  return {
    readOnlyHint,
    destructiveHint: method === "DELETE",
    idempotentHint: readOnlyHint || method !== "POST",
    openWorldHint: isOpenWorld || asksProvider(inHeaders),
  };
};

export const asksProvider = (inHeaders: OperationPlan["inHeaders"]): boolean =>
  Object.values(inHeaders).some((header) => header.endsWith("-provider"));

/** In the order that hosts show. Hosts keep the list, so do not change it without a reason. */
const toolSets: ToolSets = {
  projects: projectTools,
  works: workTools,
  ai: aiTools,
  assets: assetTools,
  templates: templateTools,
  exports: exportTools,
  films: filmTools,
  batches: batchTools,
  adcp: adcpTools,
};
