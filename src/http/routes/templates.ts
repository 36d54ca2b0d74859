import { Hono } from "hono";
import type { Services } from "../../domain/services.ts";
import { requireSameIds } from "../../domain/shared/versioned.ts";
import { changeTemplate, createTemplate, removeTemplate } from "../../domain/templates/templates.ts";
import { previewTemplate } from "../../domain/templates/use.ts";
import type { AppEnv } from "../app-env.ts";
import { loadProject, loadTemplate } from "../middleware/load-resource.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate } from "../request/validate.ts";
import { expectedRevision, withEtag } from "../response/etag.ts";
import { PageQuery } from "../schemas/common.ts";
import { NewTemplate, TemplateApplication, TemplateChanges } from "../schemas/templates.ts";

export const templateRoutes = (services: Services) => {
  const { templates, assets } = services;
  const canRead = requireScopes("projects:read");
  const canWrite = requireScopes("projects:write");
  const withProject = loadProject(services);
  const withTemplate = loadTemplate(services);

  return new Hono<AppEnv>()
    .get("/", canRead, withProject, validate("query", PageQuery), async (c) => {
      const page = await templates.list(c.var.project.id, pageRequest(c.req.valid("query")));
      return c.json({ templates: withNextLink(c, page, (template) => template), count: page.count }, 200);
    })
    .post("/", canWrite, withProject, validate("json", NewTemplate), async (c) => {
      const template = await createTemplate(templates, c.var.project.id, c.req.valid("json"));
      return c.json(withEtag(c, template), 201);
    })
    .get("/:templateId", canRead, withProject, withTemplate, (c) => c.json(withEtag(c, c.var.template), 200))
    .put("/:templateId", canWrite, withProject, withTemplate, validate("json", TemplateChanges), async (c) => {
      const { id, projectId } = c.var.template;
      const changes = requireSameIds(c.req.valid("json"), { id, projectId });
      return c.json(withEtag(c, await changeTemplate(templates, c.var.template, changes, expectedRevision(c))), 200);
    })
    .delete("/:templateId", canWrite, withProject, withTemplate, async (c) => {
      await removeTemplate(templates, c.var.template, expectedRevision(c));
      return c.body(null, 204);
    })
    .post(
      "/:templateId/apply",
      canRead,
      withProject,
      withTemplate,
      validate("json", TemplateApplication),
      async (c) => {
        const { videoDuration, placeholderValues } = c.req.valid("json");
        return c.json(await previewTemplate(assets, c.var.template, videoDuration, placeholderValues), 200);
      },
    );
};
