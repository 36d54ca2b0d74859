import { Hono } from "hono";
import type { Services } from "../../../domain/services.ts";
import { requireSameIds } from "../../../domain/shared/versioned.ts";
import { changeTemplate, createTemplate, removeTemplate } from "../../../domain/templates/templates.ts";
import { previewTemplate } from "../../../domain/templates/use.ts";
import { json, noContent, page as pageOf, resource, versioned } from "../../answers.ts";
import type { AppEnv } from "../../app-env.ts";
import { loadProject, loadTemplate } from "../../middleware/load-resource.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { operationsOf } from "../../openapi.ts";
import { pageRequest, withNextLink } from "../../request/paging.ts";
import { validate } from "../../request/validate.ts";
import { expectedRevision, withEtag } from "../../response/etag.ts";
import { PageQuery } from "../../schemas/common.ts";
import { AppliedTemplate, Template, TemplateList } from "../../schemas/responses/templates.ts";
import { NewTemplate, TemplateApplication, TemplateChanges } from "../../schemas/templates.ts";

const documented = operationsOf("Templates");

export const templateRoutes = (services: Services) => {
  const { templates, assets } = services;
  const canRead = requireScopes("projects:read");
  const canWrite = requireScopes("projects:write");
  const withProject = loadProject(services);
  const withTemplate = loadTemplate(services);

  return new Hono<AppEnv>()
    .get(
      "/",
      documented(canRead, {
        id: "listTemplates",
        summary: "List the templates",
        about: "Returns the project's templates, last changed first, with counts in place of their content.",
        answers: { 200: pageOf(TemplateList, "The templates.") },
      }),
      withProject,
      validate("query", PageQuery),
      async (c) => {
        const page = await templates.list(c.var.project.id, pageRequest(c.req.valid("query")));
        return c.json({ templates: withNextLink(c, page, (template) => template), count: page.count }, 200);
      },
    )
    .post(
      "/",
      documented(canWrite, {
        id: "createTemplate",
        summary: "Create a template",
        about: "Stores overlays with relative or absolute times. Their texts may have placeholders such as {{price}}.",
        answers: { 201: resource(Template, "The template.") },
      }),
      withProject,
      validate("json", NewTemplate),
      async (c) => {
        const template = await createTemplate(templates, c.var.project.id, c.req.valid("json"));
        return c.json(withEtag(c, template), 201);
      },
    )
    .get(
      "/:templateId",
      documented(canRead, {
        id: "getTemplate",
        summary: "Read a template",
        about: "Returns the whole template.",
        answers: versioned(Template, "The template."),
      }),
      withProject,
      withTemplate,
      (c) => c.json(withEtag(c, c.var.template), 200),
    )
    .put(
      "/:templateId",
      documented(canWrite, {
        id: "updateTemplate",
        summary: "Change a template",
        about:
          "Changes the fields that the request names; `content` is replaced whole. Works that it was applied to stay as they are.",
        answers: { 200: resource(Template, "The changed template.") },
        errors: ["id_mismatch", "precondition_failed"],
      }),
      withProject,
      withTemplate,
      validate("json", TemplateChanges),
      async (c) => {
        const { id, projectId } = c.var.template;
        const changes = requireSameIds(c.req.valid("json"), { id, projectId });
        return c.json(withEtag(c, await changeTemplate(templates, c.var.template, changes, expectedRevision(c))), 200);
      },
    )
    .delete(
      "/:templateId",
      documented(canWrite, {
        id: "deleteTemplate",
        summary: "Delete a template",
        about: "Removes the template. Works that it was applied to stay as they are.",
        answers: noContent("The template is gone."),
        errors: ["precondition_failed"],
      }),
      withProject,
      withTemplate,
      async (c) => {
        await removeTemplate(templates, c.var.template, expectedRevision(c));
        return c.body(null, 204);
      },
    )
    .post(
      "/:templateId/apply",
      documented(canRead, {
        id: "previewTemplate",
        summary: "Apply a template without saving",
        about:
          "Resolves times and placeholders for a video of this duration and returns the overlays. A key without a value stays in its text.",
        answers: { 200: json(AppliedTemplate, "The overlays by id, and the times of their tracks.") },
      }),
      withProject,
      withTemplate,
      validate("json", TemplateApplication),
      async (c) => {
        const { videoDuration: durationSeconds, placeholderValues: values, resolution: canvas } = c.req.valid("json");
        return c.json(await previewTemplate(assets, c.var.template, { durationSeconds, values, canvas }), 200);
      },
    );
};
