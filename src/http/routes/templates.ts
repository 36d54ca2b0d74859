import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import type { Services } from "../../domain/services.ts";
import { requireSameIds } from "../../domain/shared/versioned.ts";
import { changeTemplate, createTemplate, removeTemplate, requireTemplate } from "../../domain/templates/templates.ts";
import { tryTemplate } from "../../domain/templates/use.ts";
import type { AppEnv } from "../app-env.ts";
import { loadProject } from "../middleware/load-resource.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { pageItems, pageRequest } from "../request/paging.ts";
import {
  Duration,
  Name,
  PageQuery,
  PlaceholderValues,
  readonlyBody,
  SameId,
  Tags,
  textUpTo,
} from "../request/schemas.ts";
import { TemplateContent } from "../request/template-schema.ts";
import { validate } from "../request/validate.ts";
import { expectedRevision } from "../response/etag.ts";
import { shown } from "../response/with-etag.ts";

const clearable = { description: textUpTo(500).nullish(), tags: Tags.nullish() };

const NewTemplate = readonlyBody(z.object({ name: Name, content: TemplateContent, ...clearable }));
const TemplateChanges = readonlyBody(
  z.object({
    name: Name.optional(),
    content: TemplateContent.optional(),
    ...clearable,
    id: SameId,
    projectId: SameId,
  }),
);
const Application = z.object({ videoDuration: Duration, placeholderValues: PlaceholderValues });

/** After `ownProject`: finds the project's template named in the path. */
const ownTemplate = ({ templates }: Services) =>
  createMiddleware<AppEnv>(async (c, next) => {
    c.set("template", await requireTemplate(templates, c.var.project.id, c.req.param("templateId") ?? ""));
    await next();
  });

export const templateRoutes = (services: Services) => {
  const { templates, assets } = services;
  const [ownParent, own] = [loadProject(services), ownTemplate(services)];
  return new Hono<AppEnv>()
    .get("/", requireScopes("projects:read"), ownParent, validate("query", PageQuery), async (c) => {
      const page = await templates.list(c.var.project.id, pageRequest(c.req.valid("query")));
      return c.json({ templates: pageItems(c, page), count: page.count }, 200);
    })
    .post("/", requireScopes("projects:write"), ownParent, validate("json", NewTemplate), async (c) => {
      const template = await createTemplate(templates, c.var.project.id, c.req.valid("json"));
      return c.json(shown(c, template), 201);
    })
    .get("/:templateId", requireScopes("projects:read"), ownParent, own, (c) => c.json(shown(c, c.var.template), 200))
    .put(
      "/:templateId",
      requireScopes("projects:write"),
      ownParent,
      own,
      validate("json", TemplateChanges),
      async (c) => {
        const { id, projectId } = c.var.template;
        const changes = requireSameIds(c.req.valid("json"), { id, projectId });
        return c.json(shown(c, await changeTemplate(templates, c.var.template, changes, expectedRevision(c))), 200);
      },
    )
    .delete("/:templateId", requireScopes("projects:write"), ownParent, own, async (c) => {
      await removeTemplate(templates, c.var.template, expectedRevision(c));
      return c.body(null, 204);
    })
    .post(
      "/:templateId/apply",
      requireScopes("projects:read"),
      ownParent,
      own,
      validate("json", Application),
      async (c) => {
        const { videoDuration, placeholderValues } = c.req.valid("json");
        return c.json(await tryTemplate(assets, c.var.template, videoDuration, placeholderValues), 200);
      },
    );
};
