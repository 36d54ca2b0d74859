import type { Caller } from "../../accounts/caller.ts";
import { validateExport } from "../../exports/request/validation/validate.ts";
import type { Warning, WarningCode } from "../../exports/request/warnings.ts";
import type { Project } from "../../projects/projects.ts";
import { withTemplate } from "../../templates/use.ts";
import { completeEditorState } from "../../works/editor-state.ts";
import { newWork } from "../../works/save.ts";
import { defaultFilmSeconds, type FilmOrder } from "../film.ts";
import { filmTemplate, placeholderWarnings } from "../steps/template.ts";
import { workFields } from "./work-fields.ts";

export type TemplateFitPorts = Parameters<typeof validateExport>[0] & Parameters<typeof filmTemplate>[0];

const fitCodes: readonly WarningCode[] = [
  "text_too_wide",
  "text_cut",
  "text_outside_safe_zone",
  "text_overlap",
  "glyph_missing",
];

/**
 * The texts of the order's template that do not fit into a target, whatever its scenes will be, and placeholders without a
 * value: nothing is paid yet. Throws validation_error if there is no such template.
 */
export async function templateWarnings(
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
  // the errors are of scenes that do not exist yet
  const { warnings } = await validateExport(ports, caller, work, request);
  const texts = filled.editorData.textTrack.map(({ id }) => String(filled.textOverlays[id]?.text ?? ""));
  const fits = warnings.flatMap(({ path, message, ...warning }) => {
    if (!fitCodes.includes(warning.code)) return [];
    const text = texts[Number(/^texts\.(\d+)/.exec(path)?.[1])];
    return [{ ...warning, path: "template", message: text ? `"${text}": ${message}` : message }];
  });
  return [...placeholderWarnings(used), ...fits];
}
