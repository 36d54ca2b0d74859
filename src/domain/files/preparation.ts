import type { Source } from "../../timeline/source.ts";
import { type StoredFile, sourceOf } from "./file-store.ts";

/** A source of a project, and the user who shows it. */
export type ProjectSource = {
  readonly source: Source;
  /** What is prepared is removed with it. */
  readonly projectId: string;
  /** User id. */
  readonly owner: string;
};

/** Makes, in the background, what drafts, frames and contact sheets read in place of a stored video. */
export type Preparation = {
  /**
   * Asks for what a source lacks, and returns at once. Never throws. Asks for nothing if there is nothing to prepare, and
   * forgets the source if too many wait, or if the process stops: the next request that misses it asks again.
   */
  prepare(source: ProjectSource): void;
  /** Resolves when nothing waits. */
  untilIdle(): Promise<void>;
};

export type PreparationPorts = { readonly preparation: Pick<Preparation, "prepare"> };

/** Asks for a file that has just become part of a project. */
export const prepareStored = (
  { preparation }: PreparationPorts,
  file: StoredFile,
  place: Omit<ProjectSource, "source">,
): void => preparation.prepare({ ...place, source: sourceOf(file) });
