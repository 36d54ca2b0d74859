import type { FileStore, StoredFile } from "../files/file-store.ts";
import type { Prompts } from "../projects/default-prompts.ts";
import type { Project } from "../projects/projects.ts";
import { newId } from "../shared/ids.ts";
import type { Page, PageRequest } from "../shared/paging.ts";
import {
  type Changes,
  type ExpectedRevision,
  editing,
  requireFound,
  requireRevision,
  type Versioned,
  withChanges,
} from "../shared/versioned.ts";
import { completeEditorState, type EditorState, type EditorStateDraft } from "./editor-state.ts";

export const workModes = ["style_transfer", "content_remix"] as const;
export type WorkMode = (typeof workModes)[number];

/** Whether chosen assets only guide what is generated, or are shown themselves. */
export const assetUsageModes = ["reference", "direct"] as const;

export const sceneStatuses = [
  "pending",
  "generating_image",
  "image_ready",
  "generating_video",
  "done",
  "error",
] as const;
export type SceneStatus = (typeof sceneStatuses)[number];

export type GeneratedScene = {
  readonly sceneIndex: number;
  readonly imageUrl?: string;
  readonly videoUrl?: string;
  readonly status: SceneStatus;
  readonly error?: string;
};

export type ScenarioScene = {
  readonly scene_index: number;
  readonly duration_seconds: number;
  readonly image_prompt: string;
  readonly negative_prompt: string;
  readonly video_prompt: string;
  readonly text_overlay: string | null;
  readonly transition: string;
  readonly [key: string]: unknown;
};

export type Work = Versioned &
  Prompts & {
    readonly id: string;
    readonly projectId: string;
    readonly name: string;
    /** 0..4 */
    readonly currentStep: number;
    readonly hasReferenceVideo: boolean;
    readonly mode: WorkMode;
    readonly productName: string;
    readonly productDescription: string;
    readonly targetAudience: string;
    readonly language: string;
    readonly videoDuration?: number;
    readonly sceneCount?: number;
    readonly analysis: { readonly [key: string]: unknown } | null;
    readonly scenes: readonly ScenarioScene[];
    readonly generatedScenes: readonly GeneratedScene[];
    readonly editorState?: EditorState;
    readonly selectedAssetIds?: readonly string[];
    readonly assetUsageMode?: (typeof assetUsageModes)[number];
    readonly resolution?: { readonly width: number; readonly height: number };
    readonly createdAt: number;
    readonly updatedAt: number;
  };

/** What a list shows of a work: its editor alone may hold megabytes. */
export type WorkSummary = Pick<
  Work,
  "id" | "projectId" | "name" | "currentStep" | "mode" | "hasReferenceVideo" | "createdAt" | "updatedAt"
>;

export type WorkStore = {
  /** Last changed first. */
  list(projectId: string, page: PageRequest): Promise<Page<WorkSummary>>;
  find(projectId: string, workId: string): Promise<Work | undefined>;
  /** Answers undefined when the project went away meanwhile. */
  add(work: Work): Promise<Work | undefined>;
  change(projectId: string, workId: string, edit: (found: Work) => Work): Promise<Work | undefined>;
  /** Works that show a scene as being made, and that nobody has changed since `before`. */
  findMaking(before: number): Promise<readonly Pick<Work, "projectId" | "id">[]>;
  /** Removes the work and its media; answers the keys of the files that nothing names any more. */
  remove(projectId: string, workId: string, check: (found: Work) => void): Promise<readonly string[] | undefined>;
};

/** The places for files in a work. */
export type MediaSlot = "reference" | "audio" | `scene/${number}/image` | `scene/${number}/video`;

export type WorkMedia = { readonly slot: MediaSlot; readonly file: StoredFile; readonly createdAt: number };

export type WorkMediaStore = {
  list(workId: string): Promise<readonly WorkMedia[]>;
  find(workId: string, slot: MediaSlot): Promise<WorkMedia | undefined>;
  /**
   * Puts a file into a slot and runs `edit` on its work, in one transaction.
   * `edit` is told what was in the slot; what it throws leaves all as it was.
   * Answers the changed work and the key of the file that was there before; undefined when the work is gone.
   */
  put(
    projectId: string,
    workId: string,
    media: WorkMedia,
    edit: (work: Work, replaced: WorkMedia | undefined) => Work,
  ): Promise<{ readonly work: Work; readonly replacedKey?: string } | undefined>;
  /** Empties a slot the same way; undefined when it was empty or the work is gone. */
  remove(
    projectId: string,
    workId: string,
    slot: MediaSlot,
    edit: (work: Work) => Work,
  ): Promise<{ readonly work: Work; readonly removedKey: string } | undefined>;
};

type Kept = "id" | "projectId" | "revision" | "createdAt" | "updatedAt" | "hasReferenceVideo" | "editorState";

/** What a caller may set; whether there is a reference video only an upload decides. */
export type WorkChanges = Changes<Omit<Work, Kept>> & { readonly editorState?: EditorStateDraft | null };

/** A work begins with copies of its project's prompts, and later changes of those leave it alone. */
const defaultsOf = ({ systemPrompt, analyzerPrompt, imageSystemPrompt, videoSystemPrompt }: Prompts) => ({
  name: "New Work",
  ...{ systemPrompt, analyzerPrompt, imageSystemPrompt, videoSystemPrompt },
  currentStep: 0,
  mode: "style_transfer" as const,
  productName: "",
  productDescription: "",
  targetAudience: "",
  language: "",
  analysis: null,
  scenes: [],
  generatedScenes: [],
});

function edited(work: Work, project: Project, { editorState, ...changes }: WorkChanges): Work {
  const changed = withChanges(work, changes, defaultsOf(project));
  const state = editorState && completeEditorState(editorState, changed.resolution);
  return withChanges(changed, { editorState: state });
}

export async function createWork(works: WorkStore, project: Project, wanted: WorkChanges): Promise<Work> {
  const now = Date.now();
  const blank: Work = {
    id: newId("work"),
    projectId: project.id,
    ...defaultsOf(project),
    hasReferenceVideo: false,
    createdAt: now,
    updatedAt: now,
    revision: 1,
  };
  return requireFound(await works.add(edited(blank, project, wanted)));
}

export async function changeWork(
  works: WorkStore,
  { project, work }: { readonly project: Project; readonly work: Work },
  changes: WorkChanges,
  expected: ExpectedRevision,
): Promise<Work> {
  const edit = editing<Work>(expected, (found) => edited(found, project, changes));
  return requireFound(await works.change(work.projectId, work.id, edit));
}

export async function removeWork(
  { works, files }: { readonly works: WorkStore; readonly files: FileStore },
  { projectId, id }: Work,
  expected: ExpectedRevision,
): Promise<void> {
  const fileKeys = await works.remove(projectId, id, (found) => requireRevision(found, expected));
  await files.remove(requireFound(fileKeys));
}
