import { newId } from "../../../src/domain/shared/ids.ts";
import { exportJobs } from "../../../src/storage/tables/exports.ts";
import { aProject } from "../../storage/samples.ts";
import type { TestService, TestUser } from "../../support/service.ts";

export const mebibyte = 1024 * 1024;

/** A user with a project. */
export async function userWithProject(service: TestService) {
  const user = await service.register();
  const project = await service.services.projects.add(aProject(user.user.id));
  return { user, userId: user.user.id, projectId: project.id, base: `/api/projects/${project.id}` };
}

type Item = { readonly id: string };

/** Every page of a list: its items, which may be a field of the body, and its size. */
export async function pagesOf(user: TestUser, path: string, field?: string) {
  const pages = [];
  for (let next: string | undefined = path; next; ) {
    const response = await user.request(next);
    const text = await response.text();
    const body = JSON.parse(text);
    const items: readonly Item[] = field ? body[field] : body;
    pages.push({ items, bytes: Buffer.byteLength(text) });
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return pages;
}

type ExportFields = { readonly name?: string; readonly text?: string; readonly createdAt?: number };

/** A finished export whose request has a text. */
export async function addExport(
  { db }: TestService,
  owner: { readonly userId: string; readonly projectId: string },
  { name = "Film", text = "", createdAt = 1_000 }: ExportFields,
) {
  await db.insert(exportJobs).values({
    ...owner,
    id: newId("exp"),
    workId: newId("work"),
    name,
    scopes: [],
    request: { clips: [], texts: [{ text, position: 0, end: 1 }], options: { width: 64, height: 64, fps: 30 } },
    status: "cancelled",
    frames: 0,
    framesDone: 0,
    framesRendered: 0,
    warnings: [],
    attempt: 0,
    revision: 0,
    createdAt,
    finishedAt: createdAt,
    expiresAt: 9e12,
  } as unknown as typeof exportJobs.$inferInsert);
}
