import type { JsonSchema } from "./json-schema.ts";
import type { OperationPlan } from "./operation-plan.ts";
import type { Tool, ToolCall, ToolResult } from "./tool.ts";

/** Returns the JSON of a response as an object: a list becomes the field `list`, next to the next cursor. */
export async function resultOf({ list }: Pick<Tool, "list">, response: Response): Promise<ToolResult> {
  if (response.status === 204) return { structured: { deleted: true } };
  const json: object = await response.json();
  const next = nextCursor(response);
  return {
    structured: { ...(Array.isArray(json) ? { [list ?? "items"]: json } : json), ...(next && { nextCursor: next }) },
  };
}

function nextCursor({ headers }: Response): string | undefined {
  const [, path] = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "") ?? [];
  return path && (new URL(path, "http://localhost").searchParams.get("cursor") ?? undefined);
}

export function resultSchema(
  { list }: Pick<Tool, "list">,
  { method, output, inQuery }: OperationPlan,
): JsonSchema | undefined {
  if (method === "DELETE") return objectWith({ deleted: { type: "boolean" } }, ["deleted"]);
  if (!output) return undefined;
  const { type, properties, required } =
    output.type === "array" ? objectWith({ [list ?? "items"]: output }, [list ?? "items"]) : output;
  const cursor = inQuery.includes("cursor") && { nextCursor: { type: "string" } };
  return { type: type ?? "object", properties: { ...properties, ...cursor }, required: required ?? [] };
}

const objectWith = (properties: JsonSchema["properties"], required: readonly string[]): JsonSchema => ({
  type: "object",
  properties: properties ?? {},
  required,
});

/** Fewer than in the API's pages, because a model reads them all. */
const defaultLimit = "50";

/** Runs a tool that has no `run` of its own. */
export async function runRoute(tool: Tool, { inQuery }: OperationPlan, call: ToolCall): Promise<ToolResult> {
  const isPaged = inQuery.includes("limit") && call.args.limit === undefined;
  return resultOf(tool, await call.send(isPaged ? { query: { limit: defaultLimit } } : {}));
}
