import type { FileStore } from "../files/file-store.ts";
import type { Prompts } from "../projects/default-prompts.ts";
import type { Project } from "../projects/projects.ts";
import { newId } from "../shared/ids.ts";
import type { Page, PageRequest } from "../shared/paging.ts";
import {
  type Changes,
  type ExpectedRevision,
  editAtRevision,
  requireFound,
  requireRevision,
  type Versioned,
  withChanges,
} from "../shared/versioned.ts";
import { completeEditorState, type EditorState, type EditorStateDraft } from "./editor-state.ts";
import type { GeneratedScene } from "./scene-state.ts";

export const workModes = ["style_transfer", "content_remix"] as const;
export type WorkMode = (typeof workModes)[number];

/** Selected assets only guide the generation ("reference"), or appear in the video themselves ("direct"). */
export const assetUsageModes = ["reference", "direct"] as const;

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
    /** 0 to 4. */
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

/** A work as lists show it. A whole work can have megabytes of editor state. */
export type WorkSummary = Pick<
  Work,
  "id" | "projectId" | "name" | "currentStep" | "mode" | "hasReferenceVideo" | "createdAt" | "updatedAt"
>;

export type WorkStore = {
  /** Most recently changed first. */
  list(projectId: string, page: PageRequest): Promise<Page<WorkSummary>>;
  find(projectId: string, workId: string): Promise<Work | undefined>;
  /** Returns undefined if the project no longer exists. */
  add(work: Work): Promise<Work | undefined>;
  change(projectId: string, workId: string, edit: (found: Work) => Work): Promise<Work | undefined>;
  /** Works with a scene in a generating status that have not changed since `before`. */
  findGenerating(before: number): Promise<readonly Pick<Work, "projectId" | "id">[]>;
  /** Removes the work and its media. Returns the keys of the files to remove. */
  remove(projectId: string, workId: string, check: (found: Work) => void): Promise<readonly string[] | undefined>;
};

type ReadOnlyField = "id" | "projectId" | "revision" | "createdAt" | "updatedAt" | "hasReferenceVideo";

/** The fields that callers can set. `hasReferenceVideo` follows from the upload alone. */
export type WorkChanges = Changes<Omit<Work, ReadOnlyField | "editorState">> & {
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
  mode: "style_transfer" as const,
  productName: "",
  productDescription: "",
  targetAudience: "",
  language: "",
  analysis: null,
  scenes: [],
  generatedScenes: [],
});

function applyWorkChanges(work: Work, project: Project, { editorState, ...changes }: WorkChanges): Work {
  const changed = withChanges(work, changes, defaultsOf(project));
  const completeState = editorState && completeEditorState(editorState, changed.resolution);
  return withChanges(changed, { editorState: completeState });
}

export async function createWork(works: WorkStore, project: Project, changes: WorkChanges): Promise<Work> {
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
  return requireFound(await works.add(applyWorkChanges(blank, project, changes)));
}

export async function changeWork(
  works: WorkStore,
  { project, work }: { readonly project: Project; readonly work: Work },
  changes: WorkChanges,
  expected: ExpectedRevision,
): Promise<Work> {
  const edit = editAtRevision<Work>(expected, (found) => applyWorkChanges(found, project, changes));
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
