import { invalid } from "../../../errors.ts";
import type { Asset, AssetStore } from "../../assets/assets.ts";
import type { Project } from "../../projects/projects.ts";
import { editing, requireFound } from "../../shared/versioned.ts";
import type { ScenarioScene, Work, WorkStore } from "../../works/works.ts";
import type { Brief, LanguageModel } from "../models.ts";
import type { ProviderCall } from "../provider-calls.ts";
import { maxFilmSeconds, maxScenes, normalizeScenario } from "./normalize.ts";
import { type ScenarioTask, scenarioPrompt } from "./prompt.ts";

type Writing = { readonly model: LanguageModel; readonly call: ProviderCall };

/** Has a model write a film scene by scene, held to the count and the length that were asked for. */
export async function writeScenario({ model, call }: Writing, task: ScenarioTask): Promise<readonly ScenarioScene[]> {
  const { brief } = task;
  const write = () => model.writeScenario({ prompt: scenarioPrompt(task), brief }, call);
  return normalizeScenario(await (model.isBilled ? call.once("scenario", write) : write()), brief);
}

type WorkPorts = { readonly works: WorkStore; readonly assets: AssetStore };

/** The same from what a work and its project say; the work keeps the scenes. */
export async function writeWorkScenario(
  { works, assets }: WorkPorts,
  writing: Writing,
  { project, work }: { readonly project: Project; readonly work: Work },
): Promise<readonly ScenarioScene[]> {
  const brief = briefOf(project, work);
  const chosen = await assets.findMany(project.id, work.selectedAssetIds ?? []);
  const scenes = await writeScenario(writing, {
    brief,
    systemPrompt: work.systemPrompt,
    knowledge: project.knowledge,
    assets: chosen.filter(({ type }) => type === "image" || type === "video").map(inWords),
    ...(project.projectType && { projectType: project.projectType }),
  });
  const edit = editing<Work>(undefined, (found) => ({ ...found, scenes }));
  requireFound(await works.change(work.projectId, work.id, edit));
  return scenes;
}

/** An editor may save longer films than can be written here. */
function briefOf({ styleGuide }: Project, work: Work): Brief {
  const { mode, productName, productDescription, targetAudience, language, analysis, videoDuration, sceneCount } = work;
  requireAtMost("sceneCount", sceneCount, maxScenes);
  requireAtMost("videoDuration", videoDuration, maxFilmSeconds);
  return {
    ...{ mode, productName, productDescription, targetAudience, language },
    ...(videoDuration !== undefined && { videoDurationSeconds: videoDuration }),
    ...(sceneCount !== undefined && { sceneCount }),
    ...(styleGuide && { styleGuide }),
    ...(analysis && { analysis }),
  };
}

function requireAtMost(field: string, value: number | undefined, most: number): void {
  if (value !== undefined && value > most) throw invalid(field, `Set the work's ${field} to at most ${most}.`);
}

const inWords = ({ name, type, description }: Asset): string =>
  description ? `${name} (${type}): ${description}` : `${name} (${type})`;
