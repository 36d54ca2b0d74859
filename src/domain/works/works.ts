import type { FileStore } from "../../engine/ports.ts";
import type { Prompts } from "../projects/default-prompts.ts";
import type { Page, PageRequest } from "../shared/paging.ts";
import { type ExpectedRevision, requireFound, requireRevision, type Versioned } from "../shared/versioned.ts";
import type { EditorState } from "./editor-state.ts";
import type { GeneratedScene } from "./scene-state.ts";

export const workModes = ["style_transfer", "content_remix"] as const;
export type WorkMode = (typeof workModes)[number];

/** Selected assets only guide the generation ("reference"), or appear directly in the video ("direct"). */
export const assetUsageModes = ["reference", "direct"] as const;

/** A scene is identified by its index in the work's list, whatever its `scene_index`. */
export type ScenarioScene = {
  readonly scene_index: number;
  readonly duration_seconds: number;
  readonly image_prompt: string;
  readonly negative_prompt: string;
  readonly video_prompt: string;
  readonly text_overlay?: string;
  /** The words of the scene's voice. */
  readonly voice_text?: string;
  readonly transition: string;
  /** Images of the product, for models that take some. */
  readonly referenceAssetIds?: readonly string[];
  readonly [key: string]: unknown;
};

export type Work = Versioned &
  Prompts & {
    readonly id: string;
    readonly projectId: string;
    readonly name: string;
    /** From 0 to 4. */
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
    /** The time of a caller's last save of the editor state; absent for one that an earlier version stored. */
    readonly editorSavedAt?: number;
    readonly selectedAssetIds?: readonly string[];
    readonly assetUsageMode?: (typeof assetUsageModes)[number];
    readonly resolution?: { readonly width: number; readonly height: number };
    readonly createdAt: number;
    readonly updatedAt: number;
  };

/** A work in lists. A whole work can have megabytes of editor state. */
export type WorkSummary = Pick<
  Work,
  "id" | "projectId" | "name" | "currentStep" | "mode" | "hasReferenceVideo" | "createdAt" | "updatedAt"
> & {
  /** The film that made it. */
  readonly filmId?: string;
};

export type WorkStore = {
  /** Lists the most recently changed first. */
  list(projectId: string, page: PageRequest): Promise<Page<WorkSummary>>;
  find(projectId: string, workId: string): Promise<Work | undefined>;
  /** Returns undefined if the project was removed. Throws limit_reached; works of films are added with their films. */
  add(work: Work): Promise<Work | undefined>;
  change(projectId: string, workId: string, edit: (found: Work) => Work): Promise<Work | undefined>;
  /** Works with a scene in a generating status that have not changed since `before`. */
  findGenerating(before: number): Promise<readonly Pick<Work, "projectId" | "id">[]>;
  /** Removes the work and its media. Returns the keys of the files to remove. */
  remove(projectId: string, workId: string, check: (found: Work) => void): Promise<readonly string[] | undefined>;
};

export async function removeWork(
  { works, files }: { readonly works: WorkStore; readonly files: FileStore },
  { projectId, id }: Work,
  expected: ExpectedRevision,
): Promise<void> {
  const fileKeys = await works.remove(projectId, id, (found) => requireRevision(found, expected));
  await files.remove(requireFound(fileKeys));
}

/** In the mode "direct", scene i shows asset i % n. Undefined in the other mode, or if no asset is selected. */
export const directAssetIds = ({ assetUsageMode, selectedAssetIds = [] }: Work): readonly string[] | undefined =>
  assetUsageMode === "direct" && selectedAssetIds.length > 0 ? selectedAssetIds : undefined;
