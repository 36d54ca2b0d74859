import { Hono } from "hono";
import { z } from "zod";
import { projectTypes } from "../../domain/projects/default-prompts.ts";
import { changeProject, createProject, removeProject } from "../../domain/projects/projects.ts";
import type { Services } from "../../domain/services.ts";
import { requireSameIds, withoutRevision } from "../../domain/shared/versioned.ts";
import type { AppEnv } from "../app-env.ts";
import { loadProject } from "../middleware/load-resource.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { pageItems, pageRequest } from "../request/paging.ts";
import { Name, PageQuery, Prompt, readonlyBody, SameId, StyleGuide, textUpTo } from "../request/schemas.ts";
import { validate } from "../request/validate.ts";
import { expectedRevision } from "../response/etag.ts";
import { shown } from "../response/with-etag.ts";

const clearable = {
  projectType: z.enum(projectTypes).nullish(),
  systemPrompt: Prompt.nullish(),
  analyzerPrompt: Prompt.nullish(),
  imageSystemPrompt: Prompt.nullish(),
  videoSystemPrompt: Prompt.nullish(),
  knowledge: textUpTo(200_000).nullish(),
  styleGuide: StyleGuide.nullish(),
};

const NewProject = readonlyBody(z.object({ name: Name, ...clearable }));
const ProjectChanges = readonlyBody(z.object({ name: Name.optional(), ...clearable, id: SameId, userId: SameId }));

export const projectRoutes = (services: Services) => {
  const { projects } = services;
  const own = loadProject(services);
  return new Hono<AppEnv>()
    .get("/", requireScopes("projects:read"), validate("query", PageQuery), async (c) => {
      const page = await projects.list(c.var.caller.user.id, pageRequest(c.req.valid("query")));
      return c.json(pageItems(c, page).map(withoutRevision), 200);
    })
    .post("/", requireScopes("projects:write"), validate("json", NewProject), async (c) => {
      const project = await createProject(projects, c.var.caller.user.id, c.req.valid("json"));
      return c.json(shown(c, project), 201);
    })
    .get("/:projectId", requireScopes("projects:read"), own, (c) => c.json(shown(c, c.var.project), 200))
    .put("/:projectId", requireScopes("projects:write"), own, validate("json", ProjectChanges), async (c) => {
      const { id, userId } = c.var.project;
      const changes = requireSameIds(c.req.valid("json"), { id, userId });
      return c.json(shown(c, await changeProject(projects, c.var.project, changes, expectedRevision(c))), 200);
    })
    .delete("/:projectId", requireScopes("projects:write"), own, async (c) => {
      await removeProject(services, c.var.project, expectedRevision(c));
      return c.body(null, 204);
    });
};
