import type { Caller } from "../../accounts/caller.ts";
import type { Models } from "../../ai/models.ts";
import { planWorkScenario } from "../../ai/scenario/scenario.ts";
import { validateExport } from "../../exports/request/validation/validate.ts";
import type { Warning, WarningCode } from "../../exports/request/warnings.ts";
import type { LookLibrary } from "../../looks/looks.ts";
import type { Project } from "../../projects/projects.ts";
import type { Designs } from "../../templates/library/design.ts";
import type { TemplateStore } from "../../templates/templates.ts";
import { withTemplate } from "../../templates/use.ts";
import { completeEditorState } from "../../works/editor-state.ts";
import { newWork } from "../../works/save.ts";
import type { Work } from "../../works/works.ts";
import { defaultFilmSeconds, type FilmOrder } from "../film.ts";
import { plannedBriefWarnings } from "../steps/brief-warnings.ts";
import { filmTemplate, placeholderWarnings } from "../steps/template.ts";
import { workFields } from "./work-fields.ts";

export type TemplateFitPorts = Parameters<typeof validateExport>[0] & Parameters<typeof filmTemplate>[0];

/** The warnings before anything is made: template texts that do not fit, and parts of the brief that are not shown. */
export async function orderWarnings(
  ports: BriefPorts & TemplateFitPorts,
  { caller, project }: { readonly caller: Caller; readonly project: Project },
  order: FilmOrder,
  name: string,
): Promise<readonly Warning[]> {
  const ofTemplate = await templateWarnings(ports, { caller, project }, order);
  return [...ofTemplate, ...(await orderedBriefWarnings(ports, project, order, name))];
}

const fitCodes: readonly WarningCode[] = [
  "text_too_wide",
  "text_cut",
  "text_outside_safe_zone",
  "text_overlap",
  "glyph_missing",
];

/**
 * Finds texts of the order's template that do not fit into a target, for any scenes, and placeholders without a value.
 * Pays nothing. Throws validation_error if the template does not exist.
 */
async function templateWarnings(
  ports: TemplateFitPorts,
  { caller, project }: { readonly caller: Caller; readonly project: Project },
  order: FilmOrder,
): Promise<readonly Warning[]> {
  const { template, targets, language, seconds = defaultFilmSeconds } = order;
  if (!template) return [];
  const used = await filmTemplate(ports, project, template, language);
  const fields = workFields(order, "");
  const videoTrack = [{ id: "scene", start: 0, end: seconds, sceneIndex: 0 }];
  const editorState = completeEditorState({ editorData: { videoTrack } }, fields.resolution);
  const blank = newWork(project, { ...fields, editorState });
  const filled = withTemplate(blank, [], used, template.values);
  const work = { ...blank, editorState: filled };
  const request = { projectId: project.id, workId: work.id, options: { targets: [...targets] } };
  // the errors concern scenes that do not exist yet
  const { warnings } = await validateExport(ports, caller, work, request);
  const texts = filled.editorData.textTrack.map(({ id }) => String(filled.textOverlays[id]?.text ?? ""));
  const fits = warnings.flatMap(({ path, message, ...warning }) => {
    if (!fitCodes.includes(warning.code)) return [];
    const text = texts[Number(/^texts\.(\d+)/.exec(path)?.[1])];
    return [{ ...warning, path: "template", message: text ? `"${text}": ${message}` : message }];
  });
  return [...placeholderWarnings(used), ...fits];
}

type BriefPorts = {
  readonly models: Pick<Models, "llm">;
  readonly templates: TemplateStore;
  readonly templateDesigns: Designs;
  readonly looks: Pick<LookLibrary, "of">;
};

/** The work of an order that has its scenes, or whose scenes rules write from it alone; undefined for others. */
export function plannedWork(
  { models }: Pick<BriefPorts, "models">,
  project: Project,
  { brief, ...order }: FilmOrder,
  name: string,
): Work | undefined {
  const work = newWork(project, workFields({ brief, ...order }, name));
  if (order.scenario) return { ...work, scenes: order.scenario };
  if (!brief.text || brief.url !== undefined || brief.reference || order.models.llm?.provider !== "local") return;
  const scenes = planWorkScenario(models.llm(order.models.llm), { project, work, form: "film" });
  return scenes && { ...work, scenes };
}

/** The warnings that are known before anything is made. */
export async function orderedBriefWarnings(
  ports: BriefPorts,
  project: Project,
  order: FilmOrder,
  name: string,
): Promise<readonly Warning[]> {
  const work = plannedWork(ports, project, order, name);
  return work ? plannedBriefWarnings(ports, project, { order, steps: [] }, work) : [];
}
