import type { Context } from "hono";
import { Hono } from "hono";
import { z } from "zod";
import type { Services } from "../../domain/services.ts";
import { requireSameIds } from "../../domain/shared/versioned.ts";
import { requireTemplate } from "../../domain/templates/templates.ts";
import { applyTemplateToWork } from "../../domain/templates/use.ts";
import { editorStateView } from "../../domain/works/editor-state.ts";
import { changeWork, createWork } from "../../domain/works/save.ts";
import { removeWork, type Work } from "../../domain/works/works.ts";
import type { AppEnv } from "../app-env.ts";
import { loadProject, loadWork } from "../middleware/load-resource.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate } from "../request/validate.ts";
import { expectedRevision, withEtag } from "../response/etag.ts";
import { Id, PageQuery, PlaceholderValues } from "../schemas/common.ts";
import { NewWork, WorkChanges } from "../schemas/works.ts";

const TemplateChoice = z.object({ templateId: Id, placeholderValues: PlaceholderValues });

export const workRoutes = (services: Services) => {
  const { works, templates } = services;
  const canRead = requireScopes("works:read");
  const canWrite = requireScopes("works:write");
  const withProject = loadProject(services);
  const withWork = loadWork(services);

  return new Hono<AppEnv>()
    .get("/", canRead, withProject, validate("query", PageQuery), async (c) => {
      const page = await works.list(c.var.project.id, pageRequest(c.req.valid("query")));
      return c.json(
        withNextLink(c, page, (work) => work),
        200,
      );
    })
    .post("/", canWrite, withProject, validate("json", NewWork), async (c) => {
      const work = await createWork(works, c.var.project, c.req.valid("json"));
      return c.json(workView(c, work), 201);
    })
    .get("/:workId", canRead, withWork, (c) => c.json(workView(c, c.var.work), 200))
    .put("/:workId", canWrite, withWork, validate("json", WorkChanges), async (c) => {
      const { id, projectId } = c.var.work;
      const changes = requireSameIds(c.req.valid("json"), { id, projectId });
      return c.json(workView(c, await changeWork(services, c.var, changes, expectedRevision(c))), 200);
    })
    .delete("/:workId", canWrite, withWork, async (c) => {
      await removeWork(services, c.var.work, expectedRevision(c));
      return c.body(null, 204);
    })
    .post("/:workId/apply-template", canWrite, withWork, validate("json", TemplateChoice), async (c) => {
      const { templateId, placeholderValues } = c.req.valid("json");
      const template = await requireTemplate(templates, c.var.project.id, templateId);
      const { work, missingAssetIds } = await applyTemplateToWork(services, c.var.work, template, placeholderValues);
      return c.json({ ...workView(c, work), missingAssetIds }, 200);
    });
};

/** A work as callers see it; sets its ETag. */
function workView(c: Context<AppEnv>, work: Work) {
  const { editorState, ...fields } = withEtag(c, work);
  return { ...fields, ...(editorState && { editorState: editorStateView(editorState) }) };
}
