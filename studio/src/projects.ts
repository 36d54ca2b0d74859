import { signal } from "@preact/signals";
import { api, type Project, unwrap } from "./api.ts";
import { asUser } from "./session.ts";

/** The user's projects, last changed first; undefined until loaded. */
export const projects = signal<readonly Project[] | undefined>(undefined);

export async function loadProjects(): Promise<readonly Project[]> {
  const found = await asUser(() => unwrap(api.projects.$get({ query: {} })));
  projects.value = found;
  return found;
}
