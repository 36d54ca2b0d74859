import { DomainError, invalid } from "../../errors.ts";
import { sum } from "../../platform/values.ts";
import type { AssetStore } from "../assets/assets.ts";
import { assetIdsIn } from "../exports/request/layers/asset-ids.ts";
import { isId } from "../shared/ids.ts";
import { hasAtMostKibibytes, sizeInWords } from "../shared/json.ts";
import { requireFound } from "../shared/versioned.ts";
import {
  defaultResolution,
  type EditorOverlay,
  type EditorState,
  type EditorStateDraft,
  maxEditorStateKibibytes,
} from "../works/editor-state.ts";
import { withKept } from "../works/kept-fields.ts";
import type { WorkMedia, WorkMediaStore } from "../works/media.ts";
import { editorStateWithTrack } from "../works/scene-track.ts";
import { showing } from "../works/shown-scenes.ts";
import type { Work } from "../works/works.ts";
import { type AppliedTemplate, applyTemplate, mergeIntoEditor, type TemplateUse } from "./apply.ts";
import type { PlaceholderValues } from "./placeholders.ts";
import type { Template, TemplateContent, TemplateStore } from "./templates.ts";

/** Applies the template without saving anything. */
export async function previewTemplate(
  assets: AssetStore,
  template: Template,
  use: TemplateUse,
): Promise<AppliedTemplate & { readonly missingAssetIds: readonly string[] }> {
  const missingAssetIds = await findMissingAssetIds(assets, template);
  return {
    ...applyTemplate(template, { ...use, canvas: use.canvas ?? template.content.exportSettings }),
    missingAssetIds,
  };
}

/**
 * Applies the template to the work's editor state, with the scenes' media in an empty video track. Overlays with a
 * missing asset are included and reported. Throws no_duration, and validation_error if the state becomes too large.
 */
export async function applyTemplateToWork(
  { assets, workMedia }: { readonly assets: AssetStore; readonly workMedia: WorkMediaStore },
  { projectId, id }: Work,
  template: Pick<Template, "id" | "projectId" | "content">,
  values: PlaceholderValues,
): Promise<{ readonly work: Work; readonly missingAssetIds: readonly string[] }> {
  const missingAssetIds = await findMissingAssetIds(assets, template);
  const changed = await workMedia.changeWork(projectId, id, (work, media) => {
    const editorState = requireSmall(withTemplate(work, media, template, values));
    return { ...work, editorState, updatedAt: Date.now() };
  });
  return { work: requireFound(changed), missingAssetIds };
}

/** The editor state of a work with a template laid over it. Throws no_duration. */
export function withTemplate(
  work: Work,
  media: readonly WorkMedia[],
  template: Pick<Template, "id" | "content">,
  values: PlaceholderValues,
): EditorState {
  const state = editorStateWithTrack(work, media);
  const canvas = template.content.exportSettings ?? state.exportSettings;
  const applied = applyTemplate(template, { durationSeconds: durationOf(work), values, canvas });
  const merged = mergeIntoEditor(state, applied, template);
  // a track written now shows the current scenes
  return state === work.editorState ? merged : showing(merged, work.scenes);
}

/** Used for a template without a video: every overlay is visible in it. */
const anySeconds = 3600;
const maxTemplates = 20;

/**
 * Adds the styles of a template's texts to the state of an editor that has applied the template itself and knows few of
 * their fields. A text that it moved or enlarged before its first save stays unchanged.
 */
export async function withAppliedStyles(
  { templates }: { readonly templates: Pick<TemplateStore, "find"> },
  { projectId, editorState, resolution }: Work,
  draft: EditorStateDraft,
): Promise<EditorStateDraft> {
  const { textOverlays = {} } = draft;
  const known = editorState?.textOverlays ?? {};
  const templateOf = (id: string) => (Object.hasOwn(known, id) ? undefined : /^(tmpl_\w+)-/.exec(id)?.[1]);
  const ids = new Set(Object.keys(textOverlays).flatMap((id) => templateOf(id) ?? []));
  const wanted = [...ids].filter((id) => isId("tmpl", id)).slice(0, maxTemplates);
  const found = await Promise.all(wanted.map((id) => templates.find(projectId, id)));
  const applied = found.flatMap((template) => {
    if (!template) return [];
    // an editor may name its frame
    const canvases = [template.content.exportSettings, resolution ?? defaultResolution];
    return canvases.map((canvas) => applyTemplate(template, { durationSeconds: anySeconds, values: {}, canvas }));
  });
  if (applied.length === 0) return draft;
  const styles = (id: string, overlay: EditorOverlay) =>
    applied.flatMap(({ textOverlays: all }) => (Object.hasOwn(all, id) ? all[id]! : [])).find(isAt(overlay));
  const filled = Object.entries(textOverlays).map(([id, overlay]) => {
    const style = templateOf(id) === undefined ? undefined : styles(id, overlay);
    return [id, style ? withKept(style, overlay) : overlay];
  });
  return { ...draft, textOverlays: Object.fromEntries(filled) };
}

/** Editors round positions. */
const isAt =
  (overlay: EditorOverlay) =>
  (style: { readonly fontSize: number; readonly centerX: number; readonly centerY: number }): boolean =>
    (["fontSize", "centerX", "centerY"] as const).every(
      (field) => Math.abs(Number(overlay[field]) - style[field]) <= 1,
    );

function requireSmall(state: EditorState): EditorState {
  if (hasAtMostKibibytes(maxEditorStateKibibytes, state)) return state;
  const largest = sizeInWords(maxEditorStateKibibytes);
  throw invalid("editorState", `Must not be larger than ${largest} with the template's overlays.`);
}

/** Throws no_duration for a work without a duration. */
function durationOf({ videoDuration, scenes, editorState }: Work): number {
  const durationSeconds =
    (videoDuration ?? sum(scenes.map((scene) => scene.duration_seconds))) ||
    (editorState ? shownSeconds(editorState) : 0);
  if (durationSeconds > 0) return durationSeconds;
  throw new DomainError("no_duration", {});
}

/** The length of what an editor or an import has arranged without scenes that have durations. */
function shownSeconds({ editorData, exportSettings }: EditorState): number {
  const { duration }: Readonly<Record<string, unknown>> = exportSettings;
  return typeof duration === "number" ? duration : Math.max(0, ...editorData.videoTrack.map(({ end }) => end));
}

/** The files that the overlays and layers name, each once. */
export const assetIdsOf = ({ imageOverlays, textOverlays, layers = [] }: TemplateContent): readonly string[] => [
  ...new Set([
    ...[imageOverlays, textOverlays, layers].flatMap((list) => assetIdsIn(list, "").flatMap(({ id }) => id || [])),
  ]),
];

async function findMissingAssetIds(
  assets: Pick<AssetStore, "findMany">,
  { projectId, content }: Pick<Template, "projectId" | "content">,
): Promise<readonly string[]> {
  const assetIds = assetIdsOf(content);
  const found = await assets.findMany(
    projectId,
    assetIds.filter((id) => isId("asset", id)),
  );
  const existing = new Set(found.map(({ id }) => id));
  return assetIds.filter((id) => !existing.has(id));
}
