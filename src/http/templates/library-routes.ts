import { Hono } from "hono";
import { z } from "zod";
import {
  drawLibraryTemplate,
  type LibraryAspect,
  libraryAspects,
  libraryTemplates,
  requireLibraryTemplate,
} from "../../domain/templates/library/library.ts";
import type { Services } from "../../services.ts";
import { file, json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { taskOptions } from "../client-signal.ts";
import { allowQueryToken, requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { validate } from "../request/validate.ts";
import { LibraryTemplate, sendPicture, TemplateLibrary } from "./views.ts";

const documented = operationsOf("Templates");

const previewUrl = (id: string, aspect: LibraryAspect) => `/api/template-library/${id}/thumbnail?aspect=${aspect}`;

const ThumbnailQuery = z.object({
  aspect: z.enum(libraryAspects).default("9:16").describe("The aspect ratio of the frame; 9:16 by default."),
});

/** The built-in templates, which any project can copy. */
export const templateLibraryRoutes = (services: Services) => {
  const canRead = requireScopes("projects:read");

  return new Hono<AppEnv>()
    .get(
      "/",
      documented(canRead, {
        id: "listLibraryTemplates",
        summary: "List the template library",
        about: "Returns the built-in templates with their placeholders, an example for each, and pictures.",
        answers: { 200: json(TemplateLibrary, "The templates.") },
      }),
      (c) => {
        const templates = libraryTemplates(previewUrl);
        return c.json({ templates, count: templates.length }, 200);
      },
    )
    .get(
      "/:libraryId",
      documented(canRead, {
        id: "getLibraryTemplate",
        summary: "Read a template of the library",
        about: "Returns the template with its content, as for a project without a brand.",
        answers: { 200: json(LibraryTemplate, "The template.") },
        errors: ["not_found"],
      }),
      (c) => c.json(requireLibraryTemplate(c.req.param("libraryId"), previewUrl), 200),
    )
    .get(
      "/:libraryId/thumbnail",
      allowQueryToken,
      documented(canRead, {
        id: "getLibraryThumbnail",
        summary: "Download a picture of a library template",
        about: "Draws the template with its examples over a neutral background.",
        answers: file(["image/webp"], "The picture."),
        errors: ["not_found", "range_not_satisfiable"],
      }),
      validate("query", ThumbnailQuery),
      async (c) => {
        const id = c.req.param("libraryId");
        const { aspect } = c.req.valid("query");
        return sendPicture(c, await drawLibraryTemplate(services, { id, aspect }, taskOptions(c)), id);
      },
    );
};
