import { makeCaptions } from "../exports/captions/files.ts";
import type { Project } from "../projects/projects.ts";
import type { Work } from "../works/works.ts";
import { composeFilm, hasCaptions } from "./compose.ts";
import { exportRequest } from "./export-request.ts";
import type { Made, MakePorts, Making } from "./making.ts";

/** Sets the words of the scenes: as titles in the editor, or as captions, whose pages and times are made here. */
export async function placeCaptions(
  ports: MakePorts,
  { film, caller }: Making,
  project: Project,
  found: Work,
): Promise<Made> {
  const work = await composeFilm(ports, { film, project }, found);
  const request = exportRequest(film, project, work, undefined);
  if (!hasCaptions(film.order) || !("captions" in request)) return {};
  const { warnings } = await makeCaptions(ports, { caller, work }, { request });
  return { warnings };
}
