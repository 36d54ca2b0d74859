import { Hono } from "hono";
import { z } from "zod";
import { PaletteColors } from "../../domain/brand/brand.ts";
import {
  drawLibraryTemplate,
  type LibraryAspect,
  type LibraryPicture,
  libraryAspects,
  libraryTemplates,
  requireLibraryTemplate,
} from "../../domain/templates/library/library.ts";
import type { Services } from "../../services.ts";
import { file, json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { taskOptions } from "../client-signal.ts";
import { noIdleTimeout } from "../middleware/no-idle-timeout.ts";
import { allowQueryToken, requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { validate } from "../request/validate.ts";
import { LibraryTemplate, sendPicture, TemplateLibrary } from "./views.ts";

const documented = operationsOf("Templates");

const pictureUrl = (id: string, picture: LibraryPicture, aspect: LibraryAspect) =>
  `/api/template-library/${id}/${picture}?aspect=${aspect}`;

const PictureQuery = z.object({
  aspect: z.enum(libraryAspects).default("9:16").describe("The aspect ratio of the frame; 9:16 by default."),
  ...PaletteColors.shape,
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
        const templates = libraryTemplates(services.templateDesigns, pictureUrl);
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
      (c) => c.json(requireLibraryTemplate(services.templateDesigns, c.req.param("libraryId"), pictureUrl), 200),
    )
    .get(
      "/:libraryId/thumbnail",
      allowQueryToken,
      documented(canRead, {
        id: "getLibraryThumbnail",
        summary: "Download a picture of a library template",
        about:
          "Draws the template with its examples over a neutral background, in colors of a palette if they are named.",
        answers: file(["image/webp"], "The picture."),
        errors: ["not_found", "range_not_satisfiable"],
      }),
      validate("query", PictureQuery),
      async (c) => {
        const id = c.req.param("libraryId");
        const { aspect, ...palette } = c.req.valid("query");
        const wanted = { id, picture: "thumbnail", aspect, palette } as const;
        return sendPicture(c, await drawLibraryTemplate(services, wanted, taskOptions(c)), id);
      },
    )
    .get(
      "/:libraryId/preview",
      allowQueryToken,
      documented(canRead, {
        id: "getLibraryPreview",
        summary: "Download a moving picture of a library template",
        about: "Draws how the template comes, rests and leaves, with its examples, as an animated WebP.",
        answers: file(["image/webp"], "The animation."),
        errors: ["not_found", "range_not_satisfiable"],
      }),
      noIdleTimeout,
      validate("query", PictureQuery),
      async (c) => {
        const id = c.req.param("libraryId");
        const { aspect, ...palette } = c.req.valid("query");
        const wanted = { id, picture: "preview", aspect, palette } as const;
        return sendPicture(c, await drawLibraryTemplate(services, wanted, taskOptions(c)), id);
      },
    );
};
