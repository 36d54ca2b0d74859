import { signal } from "@preact/signals";
import { api, type Project, unwrap } from "./api.ts";
import { asUser } from "./session.ts";

/** Those of the person, last changed first; undefined until they are known. */
export const projects = signal<readonly Project[] | undefined>(undefined);

export async function loadProjects(): Promise<readonly Project[]> {
  const found = await asUser(() => unwrap(api.projects.$get({ query: {} })));
  projects.value = found;
  return found;
}
