import { DomainError } from "../../errors.ts";
import type { AssetStore } from "../assets/assets.ts";
import { isId } from "../shared/ids.ts";
import { editAtRevision, requireFound } from "../shared/versioned.ts";
import { completeEditorState } from "../works/editor-state.ts";
import type { Work, WorkStore } from "../works/works.ts";
import { type AppliedTemplate, applyTemplate, mergeIntoEditor } from "./apply.ts";
import type { PlaceholderValues } from "./placeholders.ts";
import type { Template } from "./templates.ts";

/** Applies the template to a video of this duration without saving anything. */
export async function previewTemplate(
  assets: AssetStore,
  template: Template,
  durationSeconds: number,
  values: PlaceholderValues,
): Promise<AppliedTemplate & { readonly missingAssetIds: readonly string[] }> {
  const missingAssetIds = await findMissingAssetIds(assets, template);
  return { ...applyTemplate(template.content, durationSeconds, values), missingAssetIds };
}

/** Applies the template to the work's editor state. Overlays with a missing asset are included and reported. */
export async function applyTemplateToWork(
  { assets, works }: { readonly assets: AssetStore; readonly works: WorkStore },
  { projectId, id }: Work,
  template: Template,
  values: PlaceholderValues,
): Promise<{ readonly work: Work; readonly missingAssetIds: readonly string[] }> {
  const missingAssetIds = await findMissingAssetIds(assets, template);
  const edit = editAtRevision<Work>("any", (found) => withTemplate(found, template, values));
  return { work: requireFound(await works.change(projectId, id, edit)), missingAssetIds };
}

function withTemplate(work: Work, { content }: Template, values: PlaceholderValues): Work {
  const applied = applyTemplate(content, durationOf(work), values);
  const state = work.editorState ?? completeEditorState({}, work.resolution);
  return { ...work, editorState: mergeIntoEditor(state, applied, content) };
}

/** Throws no_duration for a work without a duration. */
function durationOf({ videoDuration, scenes }: Work): number {
  const durationSeconds = videoDuration ?? scenes.reduce((sum, scene) => sum + scene.duration_seconds, 0);
  if (durationSeconds > 0) return durationSeconds;
  throw new DomainError("no_duration", {});
}

async function findMissingAssetIds(assets: AssetStore, { projectId, content }: Template): Promise<readonly string[]> {
  const assetIds = [...new Set(content.imageOverlays.map(({ assetId }) => assetId))];
  const found = await assets.findMany(
    projectId,
    assetIds.filter((id) => isId("asset", id)),
  );
  const existing = new Set(found.map(({ id }) => id));
  return assetIds.filter((id) => !existing.has(id));
}
