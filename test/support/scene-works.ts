import { jsonClient } from "./json-client.ts";
import type { TestUser } from "./service.ts";
import { formOf, newProject } from "./uploads.ts";

/** A work in a project of its own, with functions that upload media and read the work's generated scenes. */
export async function workWithScenes(user: TestUser, fields: object = {}) {
  const request = jsonClient(user);
  const projectId = await newProject(user);
  const { body } = await request("POST", `/api/projects/${projectId}/works`, fields);
  const base = `/api/projects/${projectId}/works/${body.id}`;
  const upload = (path: string, file: File) =>
    user.request(`${base}/media/${path}`, { method: "POST", body: formOf({ file }) });
  const scene = async (index = 0) => (await request("GET", base)).body.generatedScenes[index];
  return { projectId, workId: body.id as string, base, upload, scene };
}
