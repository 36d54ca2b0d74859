import { unwrap } from "../index.ts";
import { type Context, signedInClient } from "./context.ts";
import { table } from "./output.ts";

export async function listProjects(context: Context): Promise<void> {
  const { api } = await signedInClient(context);
  const projects = await unwrap(api.projects.$get({ query: {} }, { init: { signal: context.signal } }));
  context.output.result(projects, () => {
    if (projects.length === 0) return 'There are no projects: make one with "reelwright projects create NAME".';
    const rows = projects.map(({ id, name, updatedAt }) => [id, new Date(updatedAt).toISOString().slice(0, 10), name]);
    return table([["ID", "CHANGED", "NAME"], ...rows]);
  });
}

export async function createProject(context: Context, name: string): Promise<void> {
  const { api } = await signedInClient(context);
  const project = await unwrap(api.projects.$post({ json: { name } }));
  context.output.result(project, () => project.id);
}
