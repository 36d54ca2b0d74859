import type { Context } from "hono";
import { Hono } from "hono";
import { z } from "zod";
import type { Services } from "../../domain/services.ts";
import { requireSameIds } from "../../domain/shared/versioned.ts";
import { requireTemplate } from "../../domain/templates/templates.ts";
import { applyToWork } from "../../domain/templates/use.ts";
import { shownEditorState } from "../../domain/works/editor-state.ts";
import { changeWork, createWork, removeWork, type Work } from "../../domain/works/works.ts";
import type { AppEnv } from "../app-env.ts";
import { loadProject, loadWork } from "../middleware/load-resource.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { pageItems, pageRequest } from "../request/paging.ts";
import { Id, PageQuery, PlaceholderValues } from "../request/schemas.ts";
import { validate } from "../request/validate.ts";
import { NewWork, WorkChanges } from "../request/work-schema.ts";
import { expectedRevision } from "../response/etag.ts";
import { shown } from "../response/with-etag.ts";

const TemplateChoice = z.object({ templateId: Id, placeholderValues: PlaceholderValues });

function shownWork(c: Context<AppEnv>, work: Work) {
  const { editorState, ...rest } = shown(c, work);
  return { ...rest, ...(editorState && { editorState: shownEditorState(editorState) }) };
}

export const workRoutes = (services: Services) => {
  const { works, templates } = services;
  const [ownParent, own] = [loadProject(services), loadWork(services)];
  return new Hono<AppEnv>()
    .get("/", requireScopes("works:read"), ownParent, validate("query", PageQuery), async (c) => {
      const page = await works.list(c.var.project.id, pageRequest(c.req.valid("query")));
      return c.json(pageItems(c, page), 200);
    })
    .post("/", requireScopes("works:write"), ownParent, validate("json", NewWork), async (c) => {
      const work = await createWork(works, c.var.project, c.req.valid("json"));
      return c.json(shownWork(c, work), 201);
    })
    .get("/:workId", requireScopes("works:read"), own, (c) => c.json(shownWork(c, c.var.work), 200))
    .put("/:workId", requireScopes("works:write"), own, validate("json", WorkChanges), async (c) => {
      const { id, projectId } = c.var.work;
      const changes = requireSameIds(c.req.valid("json"), { id, projectId });
      return c.json(shownWork(c, await changeWork(works, c.var, changes, expectedRevision(c))), 200);
    })
    .delete("/:workId", requireScopes("works:write"), own, async (c) => {
      await removeWork(services, c.var.work, expectedRevision(c));
      return c.body(null, 204);
    })
    .post("/:workId/apply-template", requireScopes("works:write"), own, validate("json", TemplateChoice), async (c) => {
      const { templateId, placeholderValues } = c.req.valid("json");
      const template = await requireTemplate(templates, c.var.project.id, templateId);
      const { work, missingAssetIds } = await applyToWork(services, c.var.work, template, placeholderValues);
      return c.json({ ...shownWork(c, work), missingAssetIds }, 200);
    });
};
