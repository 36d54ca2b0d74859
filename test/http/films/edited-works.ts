import { expect } from "bun:test";
import type { TestUser } from "../../support/service.ts";

// biome-ignore lint/suspicious/noExplicitAny: a work as JSON
export type Json = any;

/** The editor of a film's work, and a function that saves it. */
export async function editorOf(user: TestUser, projectId: string, { workId }: Json) {
  const path = `/api/projects/${projectId}/works/${workId}`;
  const { editorState } = await (await user.request(path)).json();
  return {
    state: editorState,
    save: async (changed: Json) => expect((await user.json("PUT", path, { editorState: changed })).status).toBe(200),
  };
}

/** The request of a film's export. */
export const requestOf = async (user: TestUser, { exportId }: Json) =>
  (await (await user.request(`/api/exports/${exportId}/film.json`)).json()).request;
