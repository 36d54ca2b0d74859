import { DomainError } from "../../errors.ts";
import type { AssetStore } from "../assets/assets.ts";
import { isId } from "../shared/ids.ts";
import { editing, requireFound } from "../shared/versioned.ts";
import { completeEditorState } from "../works/editor-state.ts";
import type { Work, WorkStore } from "../works/works.ts";
import { type AppliedTemplate, applyTemplate, mergeApplied } from "./apply.ts";
import type { PlaceholderValues } from "./placeholders.ts";
import type { Template } from "./templates.ts";

/** What the template would look like over a video of this length; nothing is saved. */
export async function tryTemplate(
  assets: AssetStore,
  template: Template,
  durationSeconds: number,
  values: PlaceholderValues,
): Promise<AppliedTemplate & { readonly missingAssetIds: readonly string[] }> {
  const missingAssetIds = await missingAssets(assets, template);
  return { ...applyTemplate(template.content, durationSeconds, values), missingAssetIds };
}

/** Puts the template into the work's editor state. Overlays whose asset is gone come too, and are named. */
export async function applyToWork(
  { assets, works }: { readonly assets: AssetStore; readonly works: WorkStore },
  { projectId, id }: Work,
  template: Template,
  values: PlaceholderValues,
): Promise<{ readonly work: Work; readonly missingAssetIds: readonly string[] }> {
  const missingAssetIds = await missingAssets(assets, template);
  const edit = editing<Work>("any", (found) => withTemplate(found, template, values));
  return { work: requireFound(await works.change(projectId, id, edit)), missingAssetIds };
}

function withTemplate(work: Work, { content }: Template, values: PlaceholderValues): Work {
  const applied = applyTemplate(content, durationOf(work), values);
  const state = work.editorState ?? completeEditorState({}, work.resolution);
  return { ...work, editorState: mergeApplied(state, applied, content) };
}

function durationOf({ videoDuration, scenes }: Work): number {
  const durationSeconds = videoDuration ?? scenes.reduce((sum, scene) => sum + scene.duration_seconds, 0);
  if (durationSeconds > 0) return durationSeconds;
  throw new DomainError("no_duration", {});
}

async function missingAssets(assets: AssetStore, { projectId, content }: Template): Promise<readonly string[]> {
  const named = [...new Set(content.imageOverlays.map(({ assetId }) => assetId))];
  const found = await assets.findMany(
    projectId,
    named.filter((id) => isId("asset", id)),
  );
  const existing = new Set(found.map(({ id }) => id));
  return named.filter((id) => !existing.has(id));
}
