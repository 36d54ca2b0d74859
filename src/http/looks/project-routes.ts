import { readFile } from "node:fs/promises";
import { type Context, Hono } from "hono";
import { z } from "zod";
import {
  drawLookSheet,
  LookName,
  lookFilesIn,
  requireZipSize,
  uploadLook,
} from "../../domain/films/look/uploaded-look.ts";
import { lookOf } from "../../domain/looks/looks.ts";
import { aspectRatios } from "../../domain/shared/schemas.ts";
import { requireFound } from "../../domain/shared/versioned.ts";
import type { Services } from "../../services.ts";
import { file, json, noContent, resource } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { taskOptions } from "../client-signal.ts";
import { loadProject } from "../middleware/load-resource.ts";
import { noIdleTimeout } from "../middleware/no-idle-timeout.ts";
import { allowQueryToken, requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { type Upload, upload } from "../request/upload.ts";
import { validate } from "../request/validate.ts";
import { sendBytes } from "../response/send-file.ts";
import { formField } from "../schemas/common.ts";
import { namedObject } from "../schemas/responses.ts";
import { LookView, lookView } from "./routes.ts";

const ProjectLooks = namedObject("ProjectLooks", { looks: z.array(LookView), count: z.int() });

const formats = aspectRatios;

const SheetQuery = z.object({
  format: z.enum(formats).default("9:16").describe("The aspect ratio of the frames; 9:16 by default."),
});

const LookForm = z.object({
  name: formField(LookName)
    .optional()
    .meta({
      description: "Its name: small letters, digits and hyphens. By default, the name of the file.",
      examples: ["harvest"],
    }),
});

const zipped = "The zip has the folder of a look: look.json, look.css, and a page of HTML for each layout of its own.";

const nameOfFile = (filename: string): string =>
  filename
    .replace(/\.zip$/iu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^-|-$/gu, "")
    .slice(0, 40) || "look";

/** The files of an uploaded zip, and the name of its look. */
async function received({ file: { path, sizeBytes }, filename, fields }: Upload<typeof LookForm>) {
  requireZipSize(sizeBytes);
  return { files: lookFilesIn(await readFile(path)), name: fields.name ?? nameOfFile(filename) };
}

const send = (c: Context<AppEnv>, bytes: Uint8Array, name: string) =>
  sendBytes(c, { bytes, mimeType: "image/png", filename: `${name}.png` });

/** The looks that a project has uploaded. */
export const projectLookRoutes = (services: Services) => {
  const { projectLooks, looks } = services;
  const canRead = requireScopes("projects:read");
  const canWrite = requireScopes("projects:write");
  const inProject = operationsOf("Films", loadProject(services));

  const previewOf = (projectId: string, name: string) => `/api/projects/${projectId}/looks/${name}/preview`;

  return new Hono<AppEnv>()
    .get(
      "/",
      inProject(canRead, {
        id: "listProjectLooks",
        summary: "List the looks of a project",
        about:
          "Returns the looks that the project has uploaded, by name. `look` in the order of a film takes them, too.",
        answers: { 200: json(ProjectLooks, "The looks.") },
      }),
      async (c) => {
        const { id } = c.var.project;
        const found = await projectLooks.list(id);
        const views = found.map(({ name, files }) => lookView(lookOf(name, files, looks.shared), previewOf(id, name)));
        return c.json({ looks: views, count: views.length }, 200);
      },
    )
    .post(
      "/",
      inProject(canWrite, {
        id: "uploadLook",
        summary: "Upload a look",
        about: `Adds a look to the project, or replaces its look of that name. ${zipped} Each layout is tried with words first.`,
        answers: { 201: resource(LookView, "The look.") },
        errors: ["limit_reached"],
      }),
      noIdleTimeout,
      upload(services, "file", LookForm),
      async (c) => {
        const { id: projectId } = c.var.project;
        const uploaded = await received(c.req.valid("form"));
        const look = await uploadLook(services, { projectId, ...uploaded }, taskOptions(c));
        return c.json(lookView(look, previewOf(projectId, look.name)), 201);
      },
    )
    .post(
      "/preview",
      inProject(canWrite, {
        id: "previewLook",
        summary: "Draw a look without storing it",
        about: `Draws each layout of a look as one picture. ${zipped}`,
        answers: file(["image/png"], "The sheet."),
      }),
      noIdleTimeout,
      validate("query", SheetQuery),
      upload(services, "file", LookForm),
      async (c) => {
        const uploaded = await received(c.req.valid("form"));
        const sheet = { project: c.var.project, ...uploaded, ...c.req.valid("query") };
        return send(c, await drawLookSheet(services, sheet, taskOptions(c)), uploaded.name);
      },
    )
    .get(
      "/:name/preview",
      allowQueryToken,
      inProject(canRead, {
        id: "getProjectLookPreview",
        summary: "Draw a look of a project",
        about: "Draws each layout of an uploaded look as one picture.",
        answers: file(["image/png"], "The sheet."),
        errors: ["not_found", "range_not_satisfiable"],
      }),
      noIdleTimeout,
      validate("query", SheetQuery),
      async (c) => {
        const { project } = c.var;
        const name = c.req.param("name");
        const { files } = requireFound((await projectLooks.list(project.id)).find((look) => look.name === name));
        const sheet = { project, name, files, ...c.req.valid("query") };
        return send(c, await drawLookSheet(services, sheet, taskOptions(c)), name);
      },
    )
    .delete(
      "/:name",
      inProject(canWrite, {
        id: "removeLook",
        summary: "Remove a look of a project",
        about:
          "Films that are made keep how they are set; a scene that is made again has the look that fits the brief.",
        answers: noContent("The look is removed."),
        errors: ["not_found"],
      }),
      async (c) => {
        const isRemoved = await projectLooks.remove(c.var.project.id, c.req.param("name"));
        requireFound(isRemoved || undefined);
        return c.body(null, 204);
      },
    );
};
