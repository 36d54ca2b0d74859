import { type Context, Hono } from "hono";
import { z } from "zod";
import { type EditType, editTypes, importEdit, mediaOfEdit, typeOfEdit } from "../../domain/imports/import-edit.ts";
import { named, namedObject } from "../../domain/shared/schemas.ts";
import { requireSameIds } from "../../domain/shared/versioned.ts";
import { requireTemplate } from "../../domain/templates/templates.ts";
import { applyTemplateToWork, withAppliedStyles } from "../../domain/templates/use.ts";
import { importWork } from "../../domain/timelines/import-work.ts";
import { OtioTimeline, parseOtio } from "../../domain/timelines/read-otio.ts";
import { editorStateView } from "../../domain/works/editor-state.ts";
import { withLastingIds } from "../../domain/works/overlay-ids.ts";
import { changeWork, createWork } from "../../domain/works/save.ts";
import { restoreVersion } from "../../domain/works/versions.ts";
import { removeWork, type Work } from "../../domain/works/works.ts";
import type { Services } from "../../services.ts";
import { json, noContent, page as pageOf, resource, versioned } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { taskOptions } from "../client-signal.ts";
import { loadProject, loadWork } from "../middleware/load-resource.ts";
import { noIdleTimeout } from "../middleware/no-idle-timeout.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { requireStorageRoom } from "../middleware/storage-room.ts";
import { operationsOf } from "../openapi.ts";
import { respondAsync } from "../operations/respond-async.ts";
import { withoutNonFinite } from "../request/json-body.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { unvalidatedJson, validate, validateChanges } from "../request/validate.ts";
import { expectedRevision, withEtag } from "../response/etag.ts";
import { Id, PageQuery, PlaceholderValues } from "../schemas/common.ts";
import { openObject } from "../schemas/objects.ts";
import { NewWork, WorkChanges, withoutCopies } from "./schemas.ts";
import {
  ImportedWork as ImportedWorkView,
  WorkFromEdit as WorkFromEditView,
  Work as WorkSchema,
  WorkSummaries,
  WorkVersions,
  WorkWithTemplate,
} from "./views.ts";

const EditQuery = z.object({
  type: z.enum(editTypes).optional().describe("The service whose edit it is; by default known by its shape."),
});

const EditBody = named("Edit", openObject({}), { description: "An edit, as its service takes it." });

const TemplateChoice = namedObject("TemplateChoice", { templateId: Id, placeholderValues: PlaceholderValues });

export const workRoutes = (services: Services) => {
  const { works, workVersions, templates } = services;
  const canRead = requireScopes("works:read");
  const canWrite = requireScopes("works:write");
  const inProject = operationsOf("Works", loadProject(services));
  const ofWork = operationsOf("Works", loadWork(services));

  return new Hono<AppEnv>()
    .get(
      "/",
      inProject(canRead, {
        id: "listWorks",
        summary: "List the works",
        about: "Returns the project's works, last changed first, without scenes and editor states.",
        answers: { 200: pageOf(WorkSummaries, "The works.") },
      }),
      validate("query", PageQuery),
      async (c) => {
        const page = await works.list(c.var.project.id, pageRequest(c.req.valid("query")));
        return c.json(
          withNextLink(c, page, (work) => work),
          200,
        );
      },
    )
    .post(
      "/",
      inProject(canWrite, {
        id: "createWork",
        summary: "Create a work",
        about:
          "Creates a work; every field is optional. Its prompts are copies of the project's; later changes of the project do not affect them.",
        answers: { 201: resource(WorkSchema, "The work.") },
        errors: ["limit_reached"],
      }),
      validate("json", NewWork),
      async (c) => {
        const work = await createWork(works, c.var.project, c.req.valid("json"));
        return c.json(workView(c, work), 201);
      },
    )
    .post(
      "/from-otio",
      inProject(canWrite, {
        id: "importOtio",
        summary: "Create a work from OpenTimelineIO",
        about:
          "Creates a work from the cuts, gaps, transitions and titles of a file of OpenTimelineIO, which is the body. Its media are assets of the project, or files of its works, with the same bytes, else the only asset with the same name; URLs in the file are never opened. The answer lists what a work cannot show.",
        answers: { 201: resource(ImportedWorkView, "The work.") },
        errors: ["limit_reached"],
      }),
      withoutNonFinite,
      unvalidatedJson(OtioTimeline),
      async (c) => {
        const timeline = await parseOtio(c.req.valid("json"));
        const { work, lost, missingMedia } = await importWork(services, c.var.project, timeline);
        return c.json({ ...workView(c, work), lost, missingMedia }, 201);
      },
    )
    .post(
      "/from-edit",
      inProject(requireScopes("projects:write", "works:write"), {
        id: "importEdit",
        summary: "Create a work from an edit of another service",
        about:
          "Creates a work from the JSON of Shotstack, Creatomate or editly, or from OpenTimelineIO, which is the body. Files are fetched once, as assets of the project; merge fields, modifications and dynamic elements become placeholders, whose values the work keeps. The report names each property of the edit: used, changed or ignored, and why. Generated media are never ordered.",
        answers: { 201: resource(WorkFromEditView, "The work.") },
        errors: ["limit_reached", "busy"],
      }),
      noIdleTimeout,
      withoutNonFinite,
      validate("query", EditQuery),
      validate("json", EditBody),
      requireStorageRoom(services),
      respondAsync(services, { whenLong: (c) => mediaOfEdit(...editOf(c)).length > 0 }),
      async (c) => {
        const [body, type] = editOf(c);
        const { caller, project } = c.var;
        const imported = await importEdit(services, { caller, project }, { body, type }, taskOptions(c));
        const { work, report, missingMedia } = imported;
        return c.json({ ...workView(c, work), report, missingMedia }, 201);
      },
    )
    .get(
      "/:workId",
      ofWork(canRead, {
        id: "getWork",
        summary: "Read a work",
        about:
          "Returns the whole work with its scenes and the state of its editor. Overlays that an editor has numbered, such as `text-1`, get new ids, so that after a reload the editor does not reuse theirs.",
        answers: versioned(WorkSchema, "The work."),
      }),
      (c) => c.json(workView(c, c.var.work), 200),
    )
    .put(
      "/:workId",
      ofWork(canWrite, {
        id: "updateWork",
        summary: "Change a work",
        about:
          "Changes the fields that the request names; `editorState` and `scenes` are replaced as a whole, except for fields that an editor may not know: fields left out of overlays with a known id, of clips, of `exportSettings`, and of sounds and captions stay; null removes one. A body with `createdAt` is a whole work: a `videoDuration` or `sceneCount` that it lacks is cleared.",
        answers: { 200: resource(WorkSchema, "The changed work.") },
        errors: ["id_mismatch", "precondition_failed", "limit_reached"],
      }),
      validateChanges(WorkChanges, (c) => workView(c, c.var.work), storedWork),
      async (c) => {
        const { id, projectId } = c.var.work;
        const { editorState: sent, ...others } = requireSameIds(c.req.valid("json"), { id, projectId });
        const editorState = sent && (await withAppliedStyles(services, c.var.work, sent));
        const changes = { ...others, ...(sent !== undefined && { editorState }) };
        return c.json(workView(c, await changeWork(services, c.var, changes, expectedRevision(c))), 200);
      },
    )
    .delete(
      "/:workId",
      ofWork(canWrite, {
        id: "deleteWork",
        summary: "Delete a work",
        about: "Removes the work and its media. Exports that have ended stay until they expire.",
        answers: noContent("The work is deleted."),
        errors: ["precondition_failed"],
      }),
      async (c) => {
        await removeWork(services, c.var.work, expectedRevision(c));
        return c.body(null, 204);
      },
    )
    .get(
      "/:workId/versions",
      ofWork(canRead, {
        id: "listWorkVersions",
        summary: "List the saves of a work",
        about:
          "Returns the last 20 states that saves of scenes or of the editor stored, newest first, and what they replaced where a film or a template had written it. Fewer are kept once they are larger than 8 MiB together.",
        answers: { 200: json(WorkVersions, "The versions.") },
      }),
      async (c) => {
        const { id, projectId } = c.var.work;
        const versions = await workVersions.list(id);
        const base = `/api/projects/${projectId}/works/${id}/versions`;
        const views = versions.map((version) => ({ ...version, thumbnail: `${base}/${version.id}/thumbnail` }));
        return c.json({ versions: views, count: views.length }, 200);
      },
    )
    .post(
      "/:workId/versions/:versionId/restore",
      ofWork(canWrite, {
        id: "restoreWorkVersion",
        summary: "Restore a save of a work",
        about:
          "Replaces the scenes and the editor state by those of the version. Files of the work stay as they are. The restored state is a save itself: the one that it replaces stays in the list.",
        answers: { 200: resource(WorkSchema, "The changed work.") },
        errors: ["precondition_failed", "limit_reached"],
      }),
      async (c) => {
        const work = await restoreVersion(services, c.var.work, c.req.param("versionId"), expectedRevision(c));
        return c.json(workView(c, work), 200);
      },
    )
    .post(
      "/:workId/apply-template",
      ofWork(canWrite, {
        id: "applyTemplate",
        summary: "Apply a template to a work",
        about:
          "Resolves the template for the work's duration and merges it into the saved editor state. Applying it again replaces its earlier overlays.",
        answers: { 200: resource(WorkWithTemplate, "The changed work.") },
        errors: ["no_duration", "limit_reached"],
      }),
      validate("json", TemplateChoice),
      async (c) => {
        const { templateId, placeholderValues } = c.req.valid("json");
        const template = await requireTemplate(templates, c.var.project.id, templateId);
        const { work, missingAssetIds } = await applyTemplateToWork(services, c.var.work, template, placeholderValues);
        return c.json({ ...workView(c, work), missingAssetIds }, 200);
      },
    );
};

/** The edit of a request, and its service. Throws validation_error for an unknown one. */
function editOf(c: Context): [body: unknown, type: EditType] {
  const body: unknown = c.req.valid("json" as never);
  const { type } = c.req.valid("query" as never) as z.output<typeof EditQuery>;
  return [body, type ?? typeOfEdit(body)];
}

/** A work as callers see it; sets its ETag. */
function workView(c: Context<AppEnv>, work: Work) {
  const { editorState, editorSavedAt = work.createdAt, ...fields } = withEtag(c, work);
  const lasting = editorState && withLastingIds(editorState, editorSavedAt);
  return { ...fields, ...(lasting && { editorState: editorStateView(lasting) }) };
}

/** Removes the copies that a work shows. */
const storedWork = (work: { readonly editorState?: unknown }) => ({
  ...work,
  editorState: withoutCopies(work.editorState),
});
