import { isDeepStrictEqual } from "node:util";
import type { InternalUrls } from "../files/internal-urls.ts";
import type { Prompts } from "../projects/default-prompts.ts";
import type { Project } from "../projects/projects.ts";
import { newId } from "../shared/ids.ts";
import { type Changes, type ExpectedRevision, editAtRevision, requireFound, withChanges } from "../shared/versioned.ts";
import { completeEditorState, type EditorState, type EditorStateDraft } from "./editor-state.ts";
import { followedScenes } from "./fit-scenes.ts";
import { withKeptFields } from "./kept-fields.ts";
import type { WorkMedia, WorkMediaStore } from "./media.ts";
import { withLastingIds } from "./overlay-ids.ts";
import { toSceneIndexes } from "./scene-indexes.ts";
import { type SceneFile, withFileUrls } from "./scene-state.ts";
import { showing } from "./shown-scenes.ts";
import type { Work, WorkStore } from "./works.ts";

type ReadOnlyField = "editorSavedAt" | "id" | "projectId" | "revision" | "createdAt" | "updatedAt";

/** The fields that callers can set. */
type WorkChanges = Changes<Omit<Work, ReadOnlyField | "editorState">> & {
  readonly editorState?: EditorStateDraft | null;
};

/** A work starts with copies of its project's prompts; later changes of the project do not affect it. */
const defaultsOf = ({ systemPrompt, analyzerPrompt, imageSystemPrompt, videoSystemPrompt }: Prompts) => ({
  name: "New Work",
  systemPrompt,
  analyzerPrompt,
  imageSystemPrompt,
  videoSystemPrompt,
  currentStep: 0,
  hasReferenceVideo: false,
  mode: "style_transfer" as const,
  productName: "",
  productDescription: "",
  targetAudience: "",
  language: "",
  analysis: null,
  scenes: [],
  generatedScenes: [],
});

function applyWorkChanges(work: Work, project: Project, { editorState: draft, ...changes }: WorkChanges): Work {
  const changed = withChanges(work, changes, defaultsOf(project));
  if (draft === null) return withChanges(changed, { editorState: null, editorSavedAt: null });
  if (!draft) return withChanges(changed, { editorState: followedScenes(work, changed.scenes) });
  const { editorState: stored, editorSavedAt: savedAt = work.createdAt } = work;
  const sent = completeEditorState(stored ? withKeptFields(draft, stored, savedAt) : draft, changed.resolution);
  const isEdited = !stored || !isSame(sent, stored, savedAt);
  // an unedited state follows the scenes
  const editorState = isEdited
    ? showing(sent, changed.scenes)
    : followedScenes({ ...work, editorState: { ...sent, shownScenes: stored.shownScenes } }, changed.scenes);
  return withChanges(changed, { editorState, editorSavedAt: Date.now() });
}

/** True if a state equals the stored one, as works show it. */
function isSame(sent: EditorState, { shownScenes: _, ...stored }: EditorState, savedAt: number): boolean {
  // safe because a state need not have the internal fields
  return isDeepStrictEqual(sent, stored) || isDeepStrictEqual(sent, withLastingIds(stored as EditorState, savedAt));
}

export const createWork = async (
  works: WorkStore,
  project: Project,
  changes: WorkChanges,
  id = newId("work"),
): Promise<Work> => requireFound(await works.add(newWork(project, changes, id)));

/** Creates a work without storing it. */
export function newWork(project: Project, changes: WorkChanges, id = newId("work")): Work {
  const now = Date.now();
  const blank: Work = {
    id,
    projectId: project.id,
    ...defaultsOf(project),
    createdAt: now,
    updatedAt: now,
    revision: 1,
  };
  return applyWorkChanges(blank, project, changes);
}

type ChangeWorkPorts = { readonly workMedia: WorkMediaStore; readonly internalUrls: InternalUrls };

/** Scenes in `changes.generatedScenes` that name no URL get the URLs of their media. */
export async function changeWork(
  { workMedia, internalUrls }: ChangeWorkPorts,
  { project, work }: { readonly project: Project; readonly work: Work },
  changes: WorkChanges,
  expected: ExpectedRevision,
): Promise<Work> {
  const edit = (found: Work, media: readonly WorkMedia[]) => {
    const changed = editAtRevision<Work>(expected, () => applyWorkChanges(found, project, changes))(found);
    return changes.generatedScenes ? withMediaUrls(changed, media, internalUrls) : changed;
  };
  return requireFound(await workMedia.changeWork(work.projectId, work.id, edit, { keepsVersions: true }));
}

function withMediaUrls(work: Work, media: readonly WorkMedia[], internalUrls: InternalUrls): Work {
  const slots = new Set(media.map(({ slot }) => slot));
  const numbers = work.generatedScenes.map(({ sceneIndex }) => sceneIndex);
  const indexes = toSceneIndexes(work, numbers);
  const urlOf = (at: number, file: SceneFile | "voice") => {
    const slot = `scene/${indexes[at]!}/${file}` as const;
    return slots.has(slot) ? internalUrls.workMedia(work, slot) : undefined;
  };
  return { ...work, generatedScenes: withFileUrls(work.generatedScenes, urlOf) };
}
