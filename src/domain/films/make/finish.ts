import { DomainError, invalid, isUnavailable } from "../../../errors.ts";
import { findModel, type Models } from "../../ai/models.ts";
import { paletteOf } from "../../brand/brand.ts";
import type { Palette } from "../../brand/palette.ts";
import { followExport } from "../../exports/changes.ts";
import { errorOf } from "../../exports/jobs.ts";
import { exportStep, requestExport } from "../../exports/lifecycle/request.ts";
import { validateExport } from "../../exports/validation/validate.ts";
import type { Warning } from "../../exports/warnings.ts";
import { replacedModelMessage } from "../../operations/operations.ts";
import type { Project } from "../../projects/projects.ts";
import { requireLibraryDesign } from "../../templates/library/create.ts";
import { contentOf } from "../../templates/library/design.ts";
import { isPlain, placeholderFields } from "../../templates/placeholders.ts";
import { requireTemplate, type TemplateContent } from "../../templates/templates.ts";
import { applyTemplateToWork } from "../../templates/use.ts";
import type { Work } from "../../works/works.ts";
import { type Film, type FilmTemplate, filmCategories } from "../film.ts";
import { filmPalette } from "../look/palette.ts";
import { voiceLengthWarnings } from "../voice-length.ts";
import { composeFilm } from "./compose.ts";
import { isEdited, isLaidOut } from "./edits.ts";
import { exportRequest } from "./export-request.ts";
import type { Made, MakePorts, Making } from "./making.ts";
import { matchWarnings } from "./match.ts";

/** The scenes with their words, and the template over them, unless a person has saved the work since they were. */
export async function composeStep(ports: MakePorts, { film }: Making, project: Project, found: Work): Promise<Made> {
  const { template } = film.order;
  const used = template && (await filmTemplate(ports, project, template, film.order.language));
  const covers = used ? partsOf(used.content) : undefined;
  const ofFilm = (work: Work) => requestOf(ports, film, project, work);
  const work = await composeFilm(ports, { film, project, requestOf: ofFilm, ...(covers && { covers }) }, found);
  if (!template || !used || isLaidOut(film, work)) return {};
  await applyTemplateToWork(ports, work, used, template.values);
  return {};
}

/** The parts of a film that a template has words of its own for. */
function partsOf({ textOverlays }: TemplateContent) {
  return {
    opening: textOverlays.some(
      ({ endSeconds = Number.POSITIVE_INFINITY, startSeconds = 0 }) => endSeconds - startSeconds < 5,
    ),
    end: textOverlays.some(({ startPercent = 0 }) => startPercent >= 50),
  };
}

/** Without the texts that have a placeholder without a value, and these placeholders. Throws validation_error. */
export async function filmTemplate(
  ports: Pick<MakePorts, "templates">,
  project: Project,
  template: FilmTemplate,
  language: string | undefined,
) {
  const { id, projectId, content } = await findTemplate(ports, project, template, language);
  const missingIn = (text: string): readonly string[] =>
    placeholderFields({ text }).flatMap(({ keys }) =>
      keys.filter((key) => !Object.hasOwn(template.values, key) || !isPlain(template.values[key]!)),
    );
  const textOverlays = content.textOverlays.filter(({ text }) => missingIn(text).length === 0);
  const missing = new Set(content.textOverlays.flatMap(({ text }) => missingIn(text)));
  return { id, projectId, content: { ...content, textOverlays }, missing: [...missing] };
}

export const placeholderWarnings = (
  { missing }: { readonly missing: readonly string[] },
  path = "template.values",
  left = "the template's texts with it are",
): readonly Warning[] =>
  missing.map((key) => ({
    ...{ path, code: "placeholder_missing" as const },
    message: `Has no value for {{${key}}}: ${left} left out.`,
  }));

async function findTemplate(
  { templates }: Pick<MakePorts, "templates">,
  { id: projectId, styleGuide }: Project,
  template: FilmTemplate,
  language: string | undefined,
): Promise<{ readonly id: string; readonly projectId: string; readonly content: TemplateContent }> {
  if (template.library === undefined) {
    return await requireTemplate(templates, projectId, template.templateId).catch((error) => {
      if (isUnavailable(error)) throw error;
      throw invalid("template.templateId", "Must be a template of the project.");
    });
  }
  const design = requireLibraryDesign(template.library, "template.library");
  const direction = /^(?:ar|he|fa|ur)\b/i.test(language ?? "") ? ("rtl" as const) : ("ltr" as const);
  const content = contentOf(design, { palette: designPalette(styleGuide), assets: {}, direction });
  return { id: `library-${design.id}`, projectId, content };
}

/** The brand's colors, else those that the film makes of the style guide's. */
function designPalette(styleGuide: Project["styleGuide"]): Palette {
  const ofBrand = paletteOf(styleGuide);
  if (ofBrand || !styleGuide?.color_palette?.length) return ofBrand ?? {};
  const { lead, accent, dark, light } = filmPalette(styleGuide, "");
  return { primary: lead, secondary: light, accent, background: dark };
}

/** Music that a step has made plays as the order's own would. */
function requestOf({ internalUrls }: MakePorts, film: Film, project: Project, work: Work) {
  const { audioUrl, found } = film.order;
  const made = found?.musicAssetId;
  return exportRequest(film, project, work, audioUrl ?? (made && internalUrls.asset(film.projectId, made)));
}

/** A film's video stays until the film is removed. */
const filmRetentionMs = 100 * 366 * 86_400_000;

export async function checkFilm(
  ports: MakePorts,
  { film, caller }: Making,
  project: Project,
  work: Work,
): Promise<Made> {
  const request = requestOf(ports, film, project, work);
  // nobody sees how long the export will take
  const quick = { ...ports, exports: { ...ports.exports, history: async () => ({}) } };
  const { warnings } = await validateExport(quick, caller, work, request);
  const { template, language } = film.order;
  const used = template && !isLaidOut(film, work) && (await filmTemplate(ports, project, template, language));
  const missing = used ? placeholderWarnings(used) : [];
  const ofOrder = film.warnings.filter(({ path }) => path === "name" || path === "brief.text");
  const ofModels = replacedModels(ports.models, film);
  const media = isEdited(film, work) ? [] : await ports.workMedia.list(work.id);
  const ofVoices = voiceLengthWarnings(film.order, work, media);
  return { warnings: [...ofOrder, ...ofModels, ...ofVoices, ...missing, ...warnings, ...matchWarnings(film)] };
}

/** The models of the order that have ended, and what was asked in their place. */
const replacedModels = (models: Models, { order }: Film): readonly Warning[] =>
  filmCategories.flatMap((category) => {
    const choice = order.models[category];
    const { id, replaces } = (choice && findModel(models, category, choice)) ?? {};
    if (!id || replaces === undefined) return [];
    return { path: `models.${category}`, code: "model_replaced", message: replacedModelMessage(id.model) };
  });

export async function exportFilm(
  ports: MakePorts,
  { film, caller, call, checkpoints }: Making,
  project: Project,
  work: Work,
): Promise<Made> {
  const request = requestOf(ports, film, project, work);
  const kept = { ...ports, settings: { ...ports.settings, exportRetentionMs: filmRetentionMs } };
  const requested = await requestExport(kept, { caller, checkpoints }, work, request);
  let last: Pick<typeof requested, "status" | "failure" | "warnings"> = requested;
  for await (const job of followExport(ports, requested, call.clientSignal, "status")) last = job;
  call.clientSignal.throwIfAborted();
  if (last.status === "done") {
    const isBroken = ({ code }: Warning) => code === "rule_broken";
    // what the gate found in the video
    const warnings = [...film.warnings.filter((warning) => !isBroken(warning)), ...last.warnings.filter(isBroken)];
    return { exportId: requested.id, warnings };
  }
  await checkpoints.forgetCreated(exportStep);
  throw last.failure ? errorOf(last.failure) : new DomainError("not_found", {});
}
