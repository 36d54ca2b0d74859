import { DomainError } from "../../../errors.ts";
import { sum, withoutUndefined } from "../../../platform/values.ts";
import { generateScene } from "../../ai/generation/generate-scene.ts";
import { maxReferenceAssets } from "../../ai/generation/references.ts";
import type { SceneModels } from "../../ai/generation/scene-plan.ts";
import type { ModelChoice, Models } from "../../ai/models.ts";
import { generateMusic } from "../../ai/music/generate-music.ts";
import { saveScenario, writeWorkScenario } from "../../ai/scenario/scenario.ts";
import { generateSceneVoices } from "../../ai/speech/scene-voices.ts";
import { makeCaptions } from "../../exports/lifecycle/caption-files.ts";
import type { Project } from "../../projects/projects.ts";
import { putCopy } from "../../works/media.ts";
import type { Work } from "../../works/works.ts";
import type { Film, FilmStep, FilmTarget } from "../film.ts";
import { secondsOf } from "../voice-length.ts";
import { rhythmUnder } from "./beats.ts";
import { isOfBrief, plannedBriefWarnings } from "./brief-warnings.ts";
import { composeFilm } from "./compose.ts";
import { exportRequest } from "./export-request.ts";
import { checkFilm, composeStep, exportFilm } from "./finish.ts";
import type { Made, MakePorts, Making } from "./making.ts";
import { matchPicture } from "./match.ts";
import { readBrief } from "./read.ts";
import { findFocuses, findShown, scenePicture, withPageStyle } from "./scene-pictures.ts";
import { hasCaptions, isSpoken } from "./scene-titles.ts";

/** Makes a step with the use cases that the routes call. */
export async function makeStep(
  ports: MakePorts,
  making: Making,
  { project: stored, work }: Pick<FilmTarget, "project" | "work">,
): Promise<Made> {
  const { film, step } = making;
  const project = withPageStyle(stored, film.order.found?.styleGuide);
  const target = { project, work };
  switch (step.kind) {
    case "read":
      return await readBrief(ports, making, work);
    case "scenario":
      return await writeScenario(ports, making, target);
    case "image":
    case "video":
      return await makeSceneFile(ports, making, target, step.kind);
    case "match":
      return await matchPicture(ports, making, work);
    case "voice":
      return await speak(ports, making, work);
    case "music":
      return await makeMusic(ports, making, work);
    case "captions":
      return await placeCaptions(ports, making, project, work);
    case "compose":
      return await composeStep(ports, making, project, work);
    case "check":
      return await checkFilm(ports, making, project, work);
    case "export":
      return await exportFilm(ports, making, project, work);
  }
}

async function writeScenario(
  ports: MakePorts,
  { film, call, choiceOf, step }: Making,
  { project, work }: { readonly project: Project; readonly work: Work },
): Promise<Made> {
  const { scenario } = film.order;
  const model = () => ports.models.llm({ ...choiceOf("llm"), ...modelWish(step) });
  const scenes = scenario
    ? await saveScenario(ports, work, scenario)
    : await writeWorkScenario(ports, { model: model(), call }, { project, work, form: "film" });
  await nameReferences(ports, film, work);
  const warned = await plannedBriefWarnings(ports, project, film, { ...work, scenes });
  const warnings = [...film.warnings.filter((warning) => !isOfBrief(warning)), ...warned];
  return { sceneCount: scenes.length, found: { sceneSeconds: secondsOf(scenes) }, warnings };
}

/** Names pictures of the product for models that take some, in each scene. */
async function nameReferences(ports: MakePorts, { order }: Film, work: Work): Promise<void> {
  const { selectedAssetIds = [], assetUsageMode } = work;
  if (order.references === false || assetUsageMode !== "reference") return;
  const assets = await ports.assets.findMany(work.projectId, selectedAssetIds);
  const images = selectedAssetIds.filter((id) => assets.some((asset) => asset.id === id && asset.type === "image"));
  const referenceAssetIds = images.slice(0, maxReferenceAssets);
  if (referenceAssetIds.length === 0) return;
  await ports.works.change(work.projectId, work.id, (found) => ({
    ...found,
    scenes: found.scenes.map((scene) => ({ ...scene, referenceAssetIds })),
  }));
}

const modelWish = ({ wish }: FilmStep): ModelChoice => (wish?.model === undefined ? {} : { modelId: wish.model });

async function makeSceneFile(
  ports: MakePorts,
  making: Making,
  { project, work }: { readonly project: Project; readonly work: Work },
  file: "image" | "video",
): Promise<Made> {
  const { step, call } = making;
  const sceneIndex = step.scene ?? 0;
  if (step.assetId !== undefined) {
    await useAsset(ports, work, `scene/${sceneIndex}/${file}`, step.assetId);
    return {};
  }
  const shown = await findShown(ports, project, work);
  const picture = scenePicture(making.film, shown, sceneIndex);
  const models = sceneModels(ports.models, making);
  const force = step.force ?? false;
  await generateScene(ports, call, { project, ...picture, sceneIndex, models, force, files: [file] });
  return {};
}

/** Replaces a generated file by the caller's own one, which stays whatever the scene says. */
async function useAsset(
  ports: MakePorts,
  work: Work,
  slot: `scene/${number}/${"image" | "video"}`,
  assetId: string,
): Promise<void> {
  const asset = await ports.assets.find(work.projectId, assetId);
  if (!asset) throw new DomainError("asset_missing", { path: "assetId", what: "The asset" });
  const seen = await ports.workMedia.find(work.id, slot);
  await putCopy(ports, { work, slot, seen }, asset.file);
}

function sceneModels(models: Models, { choiceOf, step }: Making): SceneModels {
  const choices = {
    image: { ...choiceOf("image"), ...(step.kind === "image" && modelWish(step)) },
    video: { ...choiceOf("video"), ...(step.kind === "video" && modelWish(step)) },
  };
  const chosen = (file: "image" | "video") => ({ model: models.select(file, choices[file]).id, isNamed: false });
  return {
    choices: { image: chosen("image"), video: chosen("video") },
    forFiles: () => ({ image: () => models.image(choices.image), video: () => models.video(choices.video) }),
  };
}

async function speak(ports: MakePorts, { film, step, call, choiceOf }: Making, work: Work): Promise<Made> {
  const sceneIndex = step.scene ?? 0;
  const scene = work.scenes[sceneIndex];
  // a silent scene needs no voice
  if (!scene || !isSpoken(scene)) return {};
  const choice = { ...choiceOf("speech"), ...modelWish(step) };
  const { voice, style = "" } = film.order.voice ?? {};
  const { language } = film.order;
  await generateSceneVoices(ports, call, {
    work,
    sceneIndex,
    manner: { speed: 1, instructions: style, ...(voice && { voice }), ...(language && { language }) },
    choice: { model: ports.models.select("speech", choice).id, isNamed: false },
    models: { speech: () => ports.models.speech(choice), transcription: () => undefined },
    fitsScenes: "longer",
    force: step.force ?? false,
  });
  return {};
}

/** Sets the words of the scenes: as titles in the editor, or as captions with their pages and times. */
async function placeCaptions(ports: MakePorts, making: Making, project: Project, found: Work): Promise<Made> {
  const { film, caller, call } = making;
  const { assets, looks, subject } = await findShown(ports, project, found);
  const focuses = await findFocuses(ports, assets, project.id, call.taskOptions);
  const rhythm = await rhythmUnder(ports, making, project, found);
  const composing = withoutUndefined({ film, project, looks, assets, focuses, subject, rhythm });
  const work = await composeFilm(ports, composing, found, call.taskOptions);
  const request = exportRequest(film, project, looks, work, undefined);
  if (!hasCaptions(film.order) || !("captions" in request)) return {};
  const { warnings } = await makeCaptions(ports, { caller, work }, { request });
  return { warnings: [...film.warnings, ...warnings] };
}

/** Makes music as long as the film, as an asset of the project. */
async function makeMusic(ports: MakePorts, { film, step, caller, call, choiceOf }: Making, work: Work): Promise<Made> {
  const { musicPrompt } = film.order;
  if (musicPrompt === undefined) return {};
  const wish = step.wish?.model === undefined ? {} : { modelId: step.wish.model };
  const model = ports.models.music({ ...choiceOf("music"), ...wish });
  const seconds = sum(work.scenes.map((scene) => scene.duration_seconds));
  const task = { prompt: musicPrompt, seconds: Math.ceil(seconds), kind: "music" as const };
  const { assetId } = await generateMusic(ports, { call, model }, { caller, task, projectId: film.projectId });
  if (assetId === undefined) return {};
  await replaceInEditor(ports, work, film.order.found?.musicAssetId, assetId);
  return { found: { musicAssetId: assetId } };
}

/** Replaces the earlier music in an editor that has it. */
async function replaceInEditor(
  { works, internalUrls }: MakePorts,
  { projectId, id }: Work,
  earlier: string | undefined,
  assetId: string,
): Promise<void> {
  if (earlier === undefined) return;
  const url = internalUrls.asset(projectId, earlier);
  const audioUrl = internalUrls.asset(projectId, assetId);
  await works.change(projectId, id, (found) => {
    const { editorState } = found;
    const audio = editorState?.audio as { readonly audioUrl?: unknown } | null | undefined;
    const changes = {
      ...(editorState?.audioUrl === url && { audioUrl }),
      ...(audio?.audioUrl === url && { audio: { ...audio, audioUrl } }),
    };
    if (!editorState || Object.keys(changes).length === 0) return found;
    return { ...found, editorState: { ...editorState, ...changes }, updatedAt: Date.now() };
  });
}
