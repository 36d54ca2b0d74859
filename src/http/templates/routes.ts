import { type Context, Hono } from "hono";
import type { z } from "zod";
import type { Project } from "../../domain/projects/projects.ts";
import { requireSameIds } from "../../domain/shared/versioned.ts";
import { createFromLibrary } from "../../domain/templates/library/create.ts";
import {
  changeTemplate,
  createTemplate,
  removeTemplate,
  type Template as StoredTemplate,
} from "../../domain/templates/templates.ts";
import { previewTemplate } from "../../domain/templates/use.ts";
import type { Services } from "../../services.ts";
import { json, noContent, page as pageOf, resource, versioned } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { loadProject, loadTemplate } from "../middleware/load-resource.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate, validateChanges } from "../request/validate.ts";
import { expectedRevision, withEtag } from "../response/etag.ts";
import { PageQuery } from "../schemas/common.ts";
import { DocumentedNewTemplate, NewTemplateBody, TemplateApplication, TemplateChanges } from "./schemas.ts";
import { AppliedTemplate, Template, TemplateList, templateView } from "./views.ts";

export const templateRoutes = (services: Services) => {
  const { templates, assets } = services;
  const canRead = requireScopes("projects:read");
  const canWrite = requireScopes("projects:write");
  const inProject = operationsOf("Templates", loadProject(services));
  const ofTemplate = operationsOf("Templates", loadTemplate(services));

  return new Hono<AppEnv>()
    .get(
      "/",
      inProject(canRead, {
        id: "listTemplates",
        summary: "List the templates",
        about: "Returns the project's templates, last changed first, with counts instead of their content.",
        answers: { 200: pageOf(TemplateList, "The templates.") },
      }),
      validate("query", PageQuery),
      async (c) => {
        const page = await templates.list(c.var.project.id, pageRequest(c.req.valid("query")));
        const views = withNextLink(c, page, (template) => templateView(c.var.project.id, template));
        return c.json({ templates: views, count: page.count }, 200);
      },
    )
    .post(
      "/",
      inProject(canWrite, {
        id: "createTemplate",
        summary: "Create a template",
        about:
          "Stores overlays with relative or absolute times. Their texts may have placeholders such as {{price}}. With `fromLibrary` it copies a template of the library.",
        answers: { 201: resource(Template, "The template.") },
        errors: ["limit_reached"],
      }),
      validate("json", NewTemplateBody, DocumentedNewTemplate),
      async (c) => c.json(shown(c, await createOrCopy(services, c.var.project, c.req.valid("json"))), 201),
    )
    .get(
      "/:templateId",
      ofTemplate(canRead, {
        id: "getTemplate",
        summary: "Read a template",
        about: "Returns the whole template.",
        answers: versioned(Template, "The template."),
      }),
      (c) => c.json(shown(c, c.var.template), 200),
    )
    .put(
      "/:templateId",
      ofTemplate(canWrite, {
        id: "updateTemplate",
        summary: "Change a template",
        about:
          "Changes the fields that the request names; `content` is replaced as a whole. Works that it was applied to do not change.",
        answers: { 200: resource(Template, "The changed template.") },
        errors: ["id_mismatch", "precondition_failed", "limit_reached"],
      }),
      validateChanges(TemplateChanges, (c) => c.var.template),
      async (c) => {
        const { id, projectId } = c.var.template;
        const changes = requireSameIds(c.req.valid("json"), { id, projectId });
        return c.json(shown(c, await changeTemplate(templates, c.var.template, changes, expectedRevision(c))), 200);
      },
    )
    .delete(
      "/:templateId",
      ofTemplate(canWrite, {
        id: "deleteTemplate",
        summary: "Delete a template",
        about: "Removes the template. Works that it was applied to do not change.",
        answers: noContent("The template is deleted."),
        errors: ["precondition_failed"],
      }),
      async (c) => {
        await removeTemplate(templates, c.var.template, expectedRevision(c));
        return c.body(null, 204);
      },
    )
    .post(
      "/:templateId/apply",
      ofTemplate(canRead, {
        id: "previewTemplate",
        summary: "Apply a template without saving",
        about:
          "Resolves times and placeholders for a video of this duration and returns the overlays. A key without a value stays in its text.",
        answers: { 200: json(AppliedTemplate, "The overlays by id, and the times of their tracks.") },
      }),
      validate("json", TemplateApplication),
      async (c) => {
        const { videoDuration: durationSeconds, placeholderValues: values, resolution: canvas } = c.req.valid("json");
        return c.json(await previewTemplate(assets, c.var.template, { durationSeconds, values, canvas }), 200);
      },
    );
};

const shown = (c: Context<AppEnv>, template: StoredTemplate) => templateView(template.projectId, withEtag(c, template));

const createOrCopy = (services: Services, project: Project, body: z.output<typeof NewTemplateBody>) =>
  "fromLibrary" in body
    ? createFromLibrary(services, project, body)
    : createTemplate(services.templates, project.id, body);
