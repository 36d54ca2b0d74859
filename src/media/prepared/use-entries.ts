import type { ProjectSource } from "../../domain/files/preparation.ts";
import type { Source } from "../../timeline/source.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import { clipsOf } from "../../timeline/track.ts";
import type { PreparedKind } from "./kind.ts";
import type { Prepared } from "./prepared.ts";

/** Places the entry points of a source at a path, and returns true, if there are some. */
export type PlaceEntries = (source: Source, path: string) => Promise<boolean>;

type Tools = { readonly prepared: Prepared; readonly entries: PreparedKind };

/** Links the entry points of an edit's own sources, but not of copies, which need none. What is missing is asked for. */
export function entriesOf(
  { prepared, entries }: Tools,
  { track }: Timeline,
  place: Pick<ProjectSource, "projectId" | "owner">,
): PlaceEntries {
  const files = new Set(track.spans.flatMap(clipsOf).map(({ source }) => source.file));
  return async (source, path) => files.has(source.file) && (await prepared.linkTo(entries, { ...place, source }, path));
}
