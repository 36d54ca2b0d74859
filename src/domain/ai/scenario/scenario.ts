import { invalid } from "../../../errors.ts";
import { cleanText } from "../../../platform/texts.ts";
import { withoutUndefined } from "../../../platform/values.ts";
import type { Asset, AssetStore } from "../../assets/assets.ts";
import type { Project } from "../../projects/projects.ts";
import { formatQuantity } from "../../shared/issue-messages.ts";
import { editAtRevision, requireFound } from "../../shared/versioned.ts";
import { directAssetIds, type ScenarioScene, type Work, type WorkStore } from "../../works/works.ts";
import type { Brief, LanguageModel } from "../models.ts";
import type { ProviderCall } from "../provider-calls.ts";
import { maxScenes, maxVideoSeconds, normalizeScenario } from "./normalize.ts";
import { type ScenarioTask, scenarioPrompt } from "./prompt.ts";

/** The model that writes the scenario, and the request that its calls belong to. */
type ScenarioContext = { readonly model: LanguageModel; readonly call: ProviderCall };

/** Lets a model write the scenes of a video, and normalizes them to the brief's scene count and duration. */
export async function writeScenario(
  { model, call }: ScenarioContext,
  task: ScenarioTask,
): Promise<readonly ScenarioScene[]> {
  const { brief } = task;
  const write = () => model.writeScenario({ prompt: scenarioPrompt(task), brief }, call);
  return normalizeScenario(await (model.isBilled ? call.runOnce("scenario", write) : write()), brief);
}

type WorkBrief = { readonly project: Project; readonly work: Work; readonly form?: Brief["form"] };

type WorkScenarioPorts = { readonly works: WorkStore; readonly assets: AssetStore };

/** Writes a scenario from the fields of a work and its project, and saves the scenes in the work. */
export async function writeWorkScenario(
  { works, assets }: WorkScenarioPorts,
  context: ScenarioContext,
  { project, work, form }: WorkBrief,
): Promise<readonly ScenarioScene[]> {
  const brief: Brief = { ...briefOf(project, work), ...(form && { form }) };
  const selected = await assets.findMany(project.id, work.selectedAssetIds ?? []);
  const scenes = await writeScenario(context, {
    brief,
    systemPrompt: work.systemPrompt,
    knowledge: project.knowledge,
    ...assetTexts(work, selected, brief),
    ...(project.projectType && { projectType: project.projectType }),
  });
  return await saveScenario({ works }, work, scenes);
}

/** Saves these scenes in the work. */
export async function saveScenario(
  { works }: Pick<WorkScenarioPorts, "works">,
  work: Work,
  scenes: readonly ScenarioScene[],
): Promise<readonly ScenarioScene[]> {
  const edit = editAtRevision<Work>(undefined, (found) => ({ ...found, scenes }));
  requireFound(await works.change(work.projectId, work.id, edit));
  return scenes;
}

/** The scenes that a rule-based model writes for a work without a call; undefined for other models. */
export function planWorkScenario(
  { plan }: Pick<LanguageModel, "plan">,
  { project, work, form }: WorkBrief,
): readonly ScenarioScene[] | undefined {
  const brief: Brief = { ...briefOf(project, work), ...(form && { form }) };
  return plan && normalizeScenario(plan(brief), brief);
}

function assetTexts(work: Work, selected: readonly Asset[], { sceneCount }: Brief) {
  const ids = directAssetIds(work);
  if (!ids || sceneCount === undefined) return { assets: assetLines(selected) };
  return { sceneAssets: sceneAssetLines(selected, ids, sceneCount) };
}

/** Checks the limits, because a work may exceed the scene count or duration of a scenario. */
function briefOf({ styleGuide }: Project, work: Work): Brief {
  const { analysis, videoDuration } = work;
  requireAtMost("sceneCount", work.sceneCount, maxScenes);
  const sceneCount = work.sceneCount ?? directSceneCount(work);
  requireAtMost("videoDuration", videoDuration, maxVideoSeconds, "seconds");
  return {
    mode: work.mode,
    productName: work.productName,
    productDescription: work.productDescription,
    targetAudience: work.targetAudience,
    language: work.language,
    ...withoutUndefined({
      videoDurationSeconds: videoDuration,
      sceneCount,
      styleGuide,
      analysis: analysis ?? undefined,
    }),
  };
}

/** One scene for each asset that scenes show directly. */
function directSceneCount(work: Work): number | undefined {
  const ids = directAssetIds(work);
  return ids && Math.min(ids.length, maxScenes);
}

function requireAtMost(field: string, value: number | undefined, max: number, unit?: string): void {
  if (value === undefined || value <= max) return;
  throw invalid(field, `Must be at most ${formatQuantity(max, unit)} for a scenario: change it in the work.`);
}

const assetLines = (assets: readonly Asset[]): readonly string[] => assets.filter(isVisible).map(lineOf);

/** One line of text for each scene of a work with direct assets. Skips assets that do not exist. */
function sceneAssetLines(assets: readonly Asset[], ids: readonly string[], sceneCount: number): readonly string[] {
  const byId = new Map(assets.filter(isVisible).map((asset) => [asset.id, asset]));
  return Array.from({ length: sceneCount }, (_, scene) => {
    const asset = byId.get(ids[scene % ids.length]!);
    return asset ? [`scene_index ${scene}: ${lineOf(asset)}`] : [];
  }).flat();
}

const isVisible = ({ type }: Asset) => type === "image" || type === "video";

/** No model writes longer descriptions. */
const maxDescriptionCharacters = 600;

function lineOf({ name, type, description = "" }: Asset): string {
  const subject = `${cleanText(name, 200)} (${type})`;
  return description ? `${subject}: ${cleanText(description, maxDescriptionCharacters)}` : subject;
}
