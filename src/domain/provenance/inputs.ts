import type { Source } from "../../engine/timeline/source.ts";
import type { Timeline } from "../../engine/timeline/timeline.ts";
import { sha256Of } from "../../platform/values.ts";
import { canonicalJson } from "../shared/json.ts";

/** The files of a request: the hash of each, by the field that names it. */
export type Inputs = { readonly [path: string]: string };

type Placed = { readonly path: string; readonly source: Pick<Source, "hash"> | undefined };

export const inputsOf = (placed: readonly Placed[]): Inputs =>
  Object.fromEntries(placed.flatMap(({ path, source }) => (source ? [[path, source.hash]] : [])));

/** Equal for two timelines with the same pictures and sounds, wherever their files are stored. */
export const timelineHash = (timeline: Timeline): string => sha256Of(canonicalJson(withoutKeys(timeline)));

const withoutKeys = (timeline: Timeline): unknown =>
  JSON.parse(
    JSON.stringify(timeline, (_, value) =>
      // only the hash of a source counts
      typeof value?.hash === "string" && value.facts ? value.hash : value,
    ),
  );
