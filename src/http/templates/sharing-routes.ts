import { Hono } from "hono";
import { drawTemplate } from "../../domain/templates/pictures/picture.ts";
import { exportTemplate, importTemplate } from "../../domain/templates/sharing.ts";
import type { Services } from "../../services.ts";
import { file, json, resource } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { taskOptions } from "../client-signal.ts";
import { loadProject, loadTemplate } from "../middleware/load-resource.ts";
import { allowQueryToken, requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { validate } from "../request/validate.ts";
import { withEtag } from "../response/etag.ts";
import { TemplateImport } from "./schemas.ts";
import { ImportedTemplate, sendPicture, TemplateFile, templateView } from "./views.ts";

/** Exports and imports of templates. */
export const templateSharingRoutes = (services: Services) => {
  const canRead = requireScopes("projects:read");
  const canWrite = requireScopes("projects:write");
  const inProject = operationsOf("Templates", loadProject(services));
  const ofTemplate = operationsOf("Templates", loadTemplate(services));

  return new Hono<AppEnv>()
    .get(
      "/:templateId/thumbnail",
      allowQueryToken,
      ofTemplate(canRead, {
        id: "getTemplateThumbnail",
        summary: "Download a template's thumbnail",
        about:
          "Draws the moment at which most overlays are visible, over a neutral background. Placeholders show their keys, and a missing image is an empty box.",
        answers: file(["image/webp"], "The thumbnail."),
        errors: ["range_not_satisfiable"],
      }),
      async (c) => {
        const { template } = c.var;
        return sendPicture(c, await drawTemplate(services, template, taskOptions(c)), template.name);
      },
    )
    .get(
      "/:templateId/export",
      ofTemplate(canRead, {
        id: "exportTemplate",
        summary: "Export a template",
        about:
          "Returns the template as a file for other projects and servers. It names the assets that the template needs and does not contain them.",
        answers: { 200: json(TemplateFile, "The file.") },
      }),
      async (c) => c.json(await exportTemplate(services.assets, c.var.template), 200),
    )
    .post(
      "/import",
      inProject(canWrite, {
        id: "importTemplate",
        summary: "Import a template",
        about:
          "Creates a template from an exported file, with assets of this project that the request names or that have the same bytes or name.",
        answers: { 201: resource(ImportedTemplate, "The template.") },
        errors: ["limit_reached"],
      }),
      validate("json", TemplateImport),
      async (c) => {
        const { template: file, assets: chosen = {} } = c.req.valid("json");
        const { id } = c.var.project;
        const { template, missingAssets } = await importTemplate(services, id, { file, chosen });
        return c.json({ ...templateView(id, withEtag(c, template)), missingAssets }, 201);
      },
    );
};
