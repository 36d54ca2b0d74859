import { isDeepStrictEqual } from "node:util";
import { newId } from "../shared/ids.ts";
import { type ExpectedRevision, editAtRevision, requireFound } from "../shared/versioned.ts";
import type { EditorState } from "./editor-state.ts";
import type { WorkMediaStore } from "./media.ts";
import type { ScenarioScene, Work } from "./works.ts";

/** What a save of a work's editor stored. */
export type WorkVersion = {
  readonly id: string;
  readonly savedAt: number;
  readonly scenes: readonly ScenarioScene[];
  readonly editorState: EditorState;
};

export type WorkVersionSummary = Pick<WorkVersion, "id" | "savedAt">;

/** A work keeps this many of its last saves, with fewer once they are larger together; the last one always. */
export const maxVersions = 20;
export const maxVersionsBytes = 8 * 1024 ** 2;

export type WorkVersionStore = {
  /** The newest first. */
  list(workId: string): Promise<readonly WorkVersionSummary[]>;
  find(workId: string, versionId: string): Promise<WorkVersion | undefined>;
};

type Saved = Pick<Work, "scenes" | "editorState">;

const isSame = (one: Saved, other: Saved): boolean =>
  isDeepStrictEqual([one.scenes, one.editorState], [other.scenes, other.editorState]);

const versionOf = ({ scenes, editorState }: Saved, savedAt: number): readonly WorkVersion[] =>
  editorState ? [{ id: newId("version"), savedAt, scenes, editorState }] : [];

/**
 * The versions that a save adds: what it stored, and before it what it replaced, if no save had stored that. A film
 * and a template write into a work, too.
 */
export function versionsOfSave(before: Work, after: Work, newest: WorkVersion | undefined): readonly WorkVersion[] {
  if (isSame(before, after)) return [];
  const replaced = newest && isSame(before, newest) ? [] : versionOf(before, before.updatedAt);
  return [...replaced, ...versionOf(after, after.updatedAt)];
}

type VersionPorts = { readonly workMedia: WorkMediaStore; readonly workVersions: WorkVersionStore };

/** Throws not_found. */
export async function requireVersion(
  { workVersions }: Pick<VersionPorts, "workVersions">,
  { id }: Pick<Work, "id">,
  versionId: string,
): Promise<WorkVersion> {
  return requireFound(await workVersions.find(id, versionId));
}

/** Replaces the scenes and the editor state by those of a version. It is a save itself, which can be undone. */
export async function restoreVersion(
  ports: VersionPorts,
  { projectId, id }: Work,
  versionId: string,
  expected: ExpectedRevision,
): Promise<Work> {
  const { scenes, editorState } = await requireVersion(ports, { id }, versionId);
  const edit = editAtRevision<Work>(expected, (found) => ({
    ...found,
    ...{ scenes, editorState, editorSavedAt: Date.now() },
  }));
  return requireFound(await ports.workMedia.changeWork(projectId, id, edit, { keepsVersions: true }));
}
