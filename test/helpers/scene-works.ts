import { asking } from "./answers.ts";
import type { TestUser } from "./service.ts";
import { formOf, newProject } from "./uploads.ts";

/** A work in a project of its own, what is uploaded to it, and what it shows of each scene. */
export async function workWithScenes(user: TestUser, fields: object = {}) {
  const ask = asking(user);
  const projectId = await newProject(user);
  const { body } = await ask("POST", `/api/projects/${projectId}/works`, fields);
  const base = `/api/projects/${projectId}/works/${body.id}`;
  const upload = (path: string, file: File) =>
    user.request(`${base}/media/${path}`, { method: "POST", body: formOf({ file }) });
  const scene = async (index = 0) => (await ask("GET", base)).body.generatedScenes[index];
  return { projectId, workId: body.id as string, base, upload, scene };
}
