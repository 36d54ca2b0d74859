import { unwrap } from "../index.ts";
import { type Context, signedInClient } from "./context.ts";
import { table } from "./output.ts";
import { sizeText } from "./progress.ts";

type InProject = { readonly project: string };

export async function listProjects(context: Context): Promise<void> {
  const { api } = await signedInClient(context);
  const projects = await unwrap(api.projects.$get({ query: {} }, { init: { signal: context.signal } }));
  const rows = projects.map(({ id, name, updatedAt }) => [id, dayOf(updatedAt), name]);
  printTable(context, projects, ["ID", "CHANGED", "NAME"], rows, "projects create NAME");
}

export async function createProject(context: Context, name: string): Promise<void> {
  const { api } = await signedInClient(context);
  const project = await unwrap(api.projects.$post({ json: { name } }));
  context.output.result(project, () => project.id);
}

export async function listWorks(context: Context, { project: projectId }: InProject): Promise<void> {
  const { api } = await signedInClient(context);
  const route = api.projects[":projectId"].works;
  const works = await unwrap(route.$get({ param: { projectId }, query: {} }, { init: { signal: context.signal } }));
  const rows = works.map(({ id, name, updatedAt }) => [id, dayOf(updatedAt), name]);
  printTable(context, works, ["ID", "CHANGED", "NAME"], rows, `works create NAME --project ${projectId}`);
}

export async function createWork(context: Context, name: string | undefined, options: InProject): Promise<void> {
  const { api } = await signedInClient(context);
  const param = { projectId: options.project };
  const work = await unwrap(
    api.projects[":projectId"].works.$post({ param, json: name === undefined ? {} : { name } }),
  );
  context.output.result(work, () => work.id);
}

type AssetOptions = InProject & { readonly type?: "image" | "video" | "audio" | "font" };

export async function listAssets(context: Context, { project: projectId, type }: AssetOptions): Promise<void> {
  const { api } = await signedInClient(context);
  const query = type === undefined ? {} : { type };
  const route = api.projects[":projectId"].assets;
  const { assets } = await unwrap(route.$get({ param: { projectId }, query }, { init: { signal: context.signal } }));
  const rows = assets.map((asset) => [asset.id, asset.type, sizeText(asset.size), asset.name]);
  printTable(context, assets, ["ID", "TYPE", "SIZE", "NAME"], rows, `upload FILE --project ${projectId}`);
}

export async function listExports(context: Context): Promise<void> {
  const { api } = await signedInClient(context);
  const { exports } = await unwrap(api.exports.$get({ query: {} }, { init: { signal: context.signal } }));
  const rows = exports.map(({ id, status, createdAt, workId }) => [id, status, dayOf(createdAt), workId]);
  printTable(context, exports, ["ID", "STATUS", "STARTED", "WORK"], rows, "export REQUEST.json");
}

const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

type Cells = readonly string[];

/** Prints a table; for an empty list, the command that creates a first row. */
function printTable(context: Context, list: readonly unknown[], head: Cells, rows: readonly Cells[], command: string) {
  context.output.result(list, () =>
    rows.length === 0 ? `There are none yet: make one with "reelwright ${command}".` : table([head, ...rows]),
  );
}
