import type { Context } from "hono";
import { z } from "zod";
import type { AppEnv } from "../app-env.ts";
import type { CallRoute } from "../call-route.ts";
import { projectNamed, RouteFailed, sendTo } from "./renders.ts";

const templatesProject = "Imported templates";

const Created = z.looseObject({ id: z.string() });

/**
 * Templates of another service: works of one project, which keep an edit that `Edit` accepts. Those of other services
 * are not found.
 */
export function editTemplates<Edit extends z.ZodType>(callRoute: CallRoute, Edit: Edit) {
  const TemplateWork = z.looseObject({
    ...{ id: z.string(), name: z.string(), createdAt: z.number(), updatedAt: z.number() },
    editorState: z.looseObject({ editTemplate: z.unknown() }),
  });
  const worksOf = async (c: Context<AppEnv>) =>
    `/api/projects/${await projectNamed(c, callRoute, templatesProject)}/works`;
  const get = async (c: Context<AppEnv>, id: string) => {
    const work = await sendTo(c, callRoute, "GET", `${await worksOf(c)}/${encodeURIComponent(id)}`);
    const { data } = TemplateWork.safeParse(work);
    const edit = Edit.safeParse(data?.editorState.editTemplate);
    // safe because it was parsed
    return data && edit.success ? { ...data, edit: edit.data as z.output<Edit> } : undefined;
  };
  /** Throws RouteFailed. */
  const find = async (c: Context<AppEnv>, id: string) => {
    const template = await get(c, id);
    if (!template) throw new RouteFailed(404, { error: "Not Found" });
    return template;
  };
  return {
    find,
    async list(c: Context<AppEnv>) {
      const works = z.array(Created).parse(await sendTo(c, callRoute, "GET", `${await worksOf(c)}?limit=1000`));
      const templates = await Promise.all(works.map(({ id }) => get(c, id)));
      return templates.filter((template) => template !== undefined);
    },
    async create(c: Context<AppEnv>, name: string, editTemplate: unknown): Promise<string> {
      const work = { name, editorState: { editTemplate } };
      return Created.parse(await sendTo(c, callRoute, "POST", await worksOf(c), work)).id;
    },
    async update(c: Context<AppEnv>, id: string, name: string, editTemplate: unknown): Promise<void> {
      await find(c, id);
      await sendTo(c, callRoute, "PUT", `${await worksOf(c)}/${id}`, { name, editorState: { editTemplate } });
    },
    async remove(c: Context<AppEnv>, id: string): Promise<void> {
      await find(c, id);
      await sendTo(c, callRoute, "DELETE", `${await worksOf(c)}/${id}`);
    },
  };
}
