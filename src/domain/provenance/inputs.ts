import type { Source } from "../../engine/timeline/source.ts";
import type { Timeline } from "../../engine/timeline/timeline.ts";
import { sha256Of } from "../../platform/values.ts";
import { canonicalJson } from "../shared/canonical-json.ts";

/** The files that a request stands for: the hash of each, by the field that names it. */
export type Inputs = { readonly [path: string]: string };

type Placed = { readonly path: string; readonly source: Pick<Source, "hash"> | undefined };

export const inputsOf = (placed: readonly Placed[]): Inputs =>
  Object.fromEntries(placed.flatMap(({ path, source }) => (source ? [[path, source.hash]] : [])));

/** Equal for two timelines that show and sound the same, wherever their files are stored. */
export const timelineHash = (timeline: Timeline): string => sha256Of(canonicalJson(withoutKeys(timeline)));

const withoutKeys = (timeline: Timeline): unknown =>
  JSON.parse(
    JSON.stringify(timeline, (key, value) =>
      // of a source, its hash says all that counts
      key === "source" || key === "font" ? value?.hash : value,
    ),
  );
