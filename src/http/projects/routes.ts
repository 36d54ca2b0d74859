import { Hono } from "hono";
import { z } from "zod";
import { jobsOfFilms } from "../../domain/films/provider-jobs.ts";
import { projectTypes } from "../../domain/projects/default-prompts.ts";
import { changeProject, createProject } from "../../domain/projects/projects.ts";
import { removeProject } from "../../domain/removals/removal.ts";
import { named } from "../../domain/shared/schemas.ts";
import { requireSameIds, withoutRevision } from "../../domain/shared/versioned.ts";
import type { Services } from "../../services.ts";
import { noContent, page as pageOf, resource, versioned } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { loadProject } from "../middleware/load-resource.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate, validateChanges } from "../request/validate.ts";
import { expectedRevision, withEtag } from "../response/etag.ts";
import { Name, PageQuery, Prompt, SameId, StyleGuide, textUpTo } from "../schemas/common.ts";
import { isNotLarger, readonlyBody } from "../schemas/objects.ts";
import { Project, Projects, promptFields } from "./views.ts";

const maxKnowledgeBytes = 256 * 1024;

const Knowledge = textUpTo(200_000).refine(
  (text) => Buffer.byteLength(text) <= maxKnowledgeBytes || isNotLarger("knowledge", text),
  "Must not be larger than 256 KiB.",
);

/** Null clears the field or restores its default. */
const optionalFields = {
  projectType: z.enum(projectTypes).nullish().describe("Chooses the default prompts; `blank` by default."),
  ...promptFields((about) => Prompt.nullish().describe(about)),
  knowledge: Knowledge.nullish().describe("Background for the language model, at most 256 KiB."),
  styleGuide: StyleGuide.nullish(),
};

const NewProject = named("NewProject", readonlyBody(z.object({ name: Name, ...optionalFields })));

const ProjectChanges = named(
  "ProjectChanges",
  readonlyBody(z.object({ name: Name.optional(), ...optionalFields, id: SameId, userId: SameId })),
);

const documented = operationsOf("Projects");

export const projectRoutes = (services: Services) => {
  const { projects } = services;
  const canRead = requireScopes("projects:read");
  const canWrite = requireScopes("projects:write");
  const inProject = operationsOf("Projects", loadProject(services));

  return new Hono<AppEnv>()
    .get(
      "/",
      documented(canRead, {
        id: "listProjects",
        summary: "List the projects",
        about:
          "Returns the user's projects, last changed first. Texts longer than 2,000 characters are cut; read a single project for the full texts.",
        answers: { 200: pageOf(Projects, "The projects.") },
      }),
      validate("query", PageQuery),
      async (c) => {
        const page = await projects.list(c.get("caller").user.id, pageRequest(c.req.valid("query")));
        return c.json(withNextLink(c, page, withoutRevision), 200);
      },
    )
    .post(
      "/",
      documented(canWrite, {
        id: "createProject",
        summary: "Create a project",
        about:
          "Creates a project; only its name is required. Prompts that the request leaves out get defaults for the project type.",
        answers: { 201: resource(Project, "The project.") },
        errors: ["limit_reached"],
      }),
      validate("json", NewProject),
      async (c) => {
        const project = await createProject(projects, c.get("caller").user.id, c.req.valid("json"));
        return c.json(withEtag(c, project), 201);
      },
    )
    .get(
      "/:projectId",
      inProject(canRead, {
        id: "getProject",
        summary: "Read a project",
        about: "Returns the whole project.",
        answers: versioned(Project, "The project."),
      }),
      (c) => c.json(withEtag(c, c.get("project")), 200),
    )
    .put(
      "/:projectId",
      inProject(canWrite, {
        id: "updateProject",
        summary: "Change a project",
        about:
          "Changes the fields that the request names; null restores a default or clears the field. A project may be sent back unchanged.",
        answers: { 200: resource(Project, "The changed project.") },
        errors: ["id_mismatch", "precondition_failed", "limit_reached"],
      }),
      validateChanges(ProjectChanges, (c) => c.var.project),
      async (c) => {
        const { id, userId } = c.get("project");
        const changes = requireSameIds(c.req.valid("json"), { id, userId });
        return c.json(withEtag(c, await changeProject(projects, c.get("project"), changes, expectedRevision(c))), 200);
      },
    )
    .delete(
      "/:projectId",
      inProject(canWrite, {
        id: "deleteProject",
        summary: "Delete a project",
        about: "Removes the project with its works, templates, assets, exports and all their files.",
        answers: noContent("The project is deleted."),
        errors: ["precondition_failed"],
      }),
      async (c) => {
        const cancelJobs = await jobsOfFilms(services, { projectId: c.get("project").id });
        await removeProject(services, c.get("project"), expectedRevision(c), c.var.logError);
        await cancelJobs();
        return c.body(null, 204);
      },
    );
};
