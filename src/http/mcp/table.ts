import type { PreparedTool } from "./toolset.ts";

/** The tools as a table in Markdown, for the documentation. */
export function toolTable(tools: ReadonlyMap<string, PreparedTool>): string {
  const rows = [...tools.values()].map(
    ({ tool, plan, listed }) =>
      `| \`${tool.name}\` | ${tool.description} | ${kindOf(listed.annotations)} | ${plan.scopes.map((scope) => `\`${scope}\``).join(", ")} |`,
  );
  return ["| Tool | What it does | Kind | Scopes |", "|---|---|---|---|", ...rows].join("\n");
}

function kindOf({ readOnlyHint, destructiveHint, openWorldHint }: PreparedTool["listed"]["annotations"] = {}): string {
  const effect = readOnlyHint ? "reads" : destructiveHint ? "deletes" : "writes";
  return openWorldHint ? `${effect}, asks others` : effect;
}
