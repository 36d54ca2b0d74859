import type { Models } from "../../ai/models.ts";
import { planWorkScenario } from "../../ai/scenario/scenario.ts";
import type { Warning } from "../../exports/request/warnings.ts";
import type { Project } from "../../projects/projects.ts";
import type { TemplateStore } from "../../templates/templates.ts";
import { newWork } from "../../works/save.ts";
import type { Work } from "../../works/works.ts";
import type { FilmOrder } from "../film.ts";
import { plannedBriefWarnings } from "../steps/brief-warnings.ts";
import { workFields } from "./work-fields.ts";

type Ports = { readonly models: Pick<Models, "llm">; readonly templates: TemplateStore };

/** The work of an order whose scenes rules write, from what is in the order; undefined for others. */
export function plannedWork(
  { models }: Pick<Ports, "models">,
  project: Project,
  { brief, ...order }: FilmOrder,
  name: string,
): Work | undefined {
  if (!brief.text || brief.url !== undefined || brief.reference || order.models.llm?.provider !== "local") return;
  const work = newWork(project, workFields({ brief, ...order }, name));
  const scenes = planWorkScenario(models.llm(order.models.llm), { project, work, form: "film" });
  return scenes && { ...work, scenes };
}

/** As far as it is known of an order, before anything is made. */
export async function orderedBriefWarnings(
  ports: Ports,
  project: Project,
  order: FilmOrder,
  name: string,
): Promise<readonly Warning[]> {
  const work = plannedWork(ports, project, order, name);
  return work ? plannedBriefWarnings(ports, project, { order, steps: [] }, work) : [];
}
