import { Hono } from "hono";
import { changeProject, createProject, removeProject } from "../../domain/projects/projects.ts";
import type { Services } from "../../domain/services.ts";
import { requireSameIds, withoutRevision } from "../../domain/shared/versioned.ts";
import type { AppEnv } from "../app-env.ts";
import { loadProject } from "../middleware/load-resource.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate } from "../request/validate.ts";
import { expectedRevision, withEtag } from "../response/etag.ts";
import { PageQuery } from "../schemas/common.ts";
import { NewProject, ProjectChanges } from "../schemas/projects.ts";

export const projectRoutes = (services: Services) => {
  const { projects } = services;
  const canRead = requireScopes("projects:read");
  const canWrite = requireScopes("projects:write");
  const withProject = loadProject(services);

  return new Hono<AppEnv>()
    .get("/", canRead, validate("query", PageQuery), async (c) => {
      const page = await projects.list(c.get("caller").user.id, pageRequest(c.req.valid("query")));
      return c.json(withNextLink(c, page, withoutRevision), 200);
    })
    .post("/", canWrite, validate("json", NewProject), async (c) => {
      const project = await createProject(projects, c.get("caller").user.id, c.req.valid("json"));
      return c.json(withEtag(c, project), 201);
    })
    .get("/:projectId", canRead, withProject, (c) => c.json(withEtag(c, c.get("project")), 200))
    .put("/:projectId", canWrite, withProject, validate("json", ProjectChanges), async (c) => {
      const { id, userId } = c.get("project");
      const changes = requireSameIds(c.req.valid("json"), { id, userId });
      return c.json(withEtag(c, await changeProject(projects, c.get("project"), changes, expectedRevision(c))), 200);
    })
    .delete("/:projectId", canWrite, withProject, async (c) => {
      await removeProject(services, c.get("project"), expectedRevision(c));
      return c.body(null, 204);
    });
};
