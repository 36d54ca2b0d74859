import { DomainError } from "../../../errors.ts";
import { withoutUndefined } from "../../../platform/values.ts";
import { findModel, type Models } from "../../ai/models.ts";
import { brandOf } from "../../brand/brand.ts";
import { deliveriesOfExport } from "../../exports/deliveries/request.ts";
import { type ExportState, errorOf, followExport } from "../../exports/lifecycle/jobs.ts";
import { exportStep, requestExport } from "../../exports/lifecycle/request.ts";
import { validateExport } from "../../exports/request/validation/validate.ts";
import type { Warning } from "../../exports/request/warnings.ts";
import type { Looks } from "../../looks/looks.ts";
import { replacedModelMessage } from "../../operations/operations.ts";
import type { Project } from "../../projects/projects.ts";
import { applyTemplateToWork } from "../../templates/use.ts";
import type { Work } from "../../works/works.ts";
import { type Film, filmCategories, hasEffects } from "../film.ts";
import type { PlacedEffect } from "../look/scene-layers.ts";
import { filmBed } from "../sound/bed.ts";
import { effectSounds } from "../sound/effects.ts";
import { voiceLengthWarnings } from "../voice-length.ts";
import { rhythmUnder } from "./beats.ts";
import { briefWarnings } from "./brief-warnings.ts";
import { composeFilm } from "./compose.ts";
import { isEdited, isLaidOut } from "./edits.ts";
import { exportRequest } from "./export-request.ts";
import type { Made, MakePorts, Making } from "./making.ts";
import { matchWarnings } from "./match.ts";
import { findFocuses, findShown } from "./scene-pictures.ts";
import { filmTemplate, fromLastScene, partsOf, placeholderWarnings } from "./template.ts";

/** Lays out the scenes with their words and the template, unless a person has saved the work since. */
export async function composeStep(ports: MakePorts, making: Making, project: Project, found: Work): Promise<Made> {
  const { film, call } = making;
  const { template } = film.order;
  const used = template && (await filmTemplate(ports, project, template, film.order.language));
  const covers = used ? partsOf(used.content) : undefined;
  const { assets, looks, subject } = await findShown(ports, project, found);
  const ofFilm = (work: Work) => requestOf(ports, looks, film, project, work);
  const focuses = await findFocuses(ports, assets, project.id, call.taskOptions);
  const rhythm = await rhythmUnder(ports, making, project, found);
  const soundsOf = (placed: readonly PlacedEffect[]) => effectSounds(placed, ports.soundLibrary, ports.internalUrls);
  const composing = withoutUndefined({
    ...{ film, project, looks, assets, focuses, subject },
    ...{ requestOf: ofFilm, covers, rhythm, soundsOf: hasEffects(film.order) ? soundsOf : undefined },
  });
  const work = await composeFilm(ports, composing, found, call.taskOptions);
  const bed = filmBed({ ...ports, looks }, film, project, work)?.name;
  const made: Made = bed === undefined ? {} : { found: { bed } };
  if (!template || !used || isLaidOut(film, work)) return made;
  await applyTemplateToWork(ports, work, { ...used, content: fromLastScene(used.content, work) }, template.values);
  return made;
}

/** Plays music of a step, and a bed, like the order's own. */
function requestOf(ports: MakePorts, looks: Looks, film: Film, project: Project, work: Work) {
  const { internalUrls } = ports;
  const { audioUrl, found } = film.order;
  const made = found?.musicAssetId;
  const bed = filmBed({ ...ports, looks }, film, project, work);
  const ofBed = bed && internalUrls.madeSound("bed", bed.name);
  const music = audioUrl ?? (made ? internalUrls.asset(film.projectId, made) : ofBed);
  return exportRequest(film, project, looks, work, music);
}

/** A film's video is kept until the film is removed. */
const filmRetentionMs = 100 * 366 * 86_400_000;

export async function checkFilm(
  ports: MakePorts,
  { film, caller }: Making,
  project: Project,
  work: Work,
): Promise<Made> {
  const request = requestOf(ports, await ports.looks.of(project.id), film, project, work);
  // an estimate of the export would not be shown
  const quick = { ...ports, exports: { ...ports.exports, history: async () => ({}) } };
  const { warnings } = await validateExport(quick, caller, work, request);
  const { template, language } = film.order;
  const used = template && !isLaidOut(film, work) && (await filmTemplate(ports, project, template, language));
  const missing = used ? placeholderWarnings(used) : [];
  const ofOrder = film.warnings.filter(
    ({ path, code }) => ofOrderPaths.includes(path) && code === "placeholder_missing",
  );
  const ofModels = replacedModels(ports.models, film);
  const media = isEdited(film, work) ? [] : await ports.workMedia.list(work.id);
  const ofVoices = voiceLengthWarnings(film.order, work, media);
  const ofBrief = briefWarnings(film, work);
  const { logo } = brandOf(project.styleGuide) ?? {};
  const ofExport = warnings
    // the film requests the brand, but a missing logo is not the caller's mistake
    .filter(({ code }) => logo !== undefined || code !== "brand_logo_missing")
    .map((warning) => (warning.code === "silent_result" ? { ...warning, message: silentFilm } : warning));
  return {
    warnings: [...ofOrder, ...ofBrief, ...ofModels, ...ofVoices, ...missing, ...ofExport, ...matchWarnings(film)],
  };
}

const silentFilm = "The film has no sound: upload music to its work, or order it with music or a voice.";

const ofOrderPaths: readonly string[] = ["name", "brief.text"];

/** The retired models of the order, and their replacements. */
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
  const request = requestOf(ports, await ports.looks.of(project.id), film, project, work);
  const kept = { ...ports, settings: { ...ports.settings, exportRetentionMs: filmRetentionMs } };
  const requested = await requestExport(kept, { caller, checkpoints }, work, request);
  let last: ExportState = requested;
  for await (const job of followExport(ports, requested, call.clientSignal, "status")) last = job;
  call.clientSignal.throwIfAborted();
  if (last.status === "done") {
    // again after an interruption: each is queued once
    const deliveries = deliveriesOfExport(last, film.destinations ?? [], { filmId: film.id });
    await ports.deliveries.queue(deliveries, { isRetried: false });
    const isBroken = ({ code }: Warning) => code === "rule_broken";
    // the gate's findings in the video
    const warnings = [...film.warnings.filter((warning) => !isBroken(warning)), ...last.warnings.filter(isBroken)];
    return { exportId: requested.id, warnings };
  }
  await checkpoints.forgetCreated(exportStep);
  throw last.failure ? errorOf(last.failure) : new DomainError("not_found", {});
}
