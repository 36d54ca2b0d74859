import { clipSecondsAt, type FocusFinder, sourceSecondsAt } from "../../../engine/ports.ts";
import {
  type FocusPoint,
  type FocusShot,
  type FocusTrack,
  focusAt,
  type SubjectBox,
} from "../../../engine/timeline/focus.ts";
import type { Source } from "../../../engine/timeline/source.ts";
import { toSeconds } from "../../../engine/timeline/time.ts";
import type { Timeline } from "../../../engine/timeline/timeline.ts";
import type { Clip } from "../../../engine/timeline/track.ts";
import { runAll } from "../../../platform/async.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import { toThousandths } from "../../../platform/values.ts";
import type { Asset, AssetStore } from "../../assets/assets.ts";
import type { Work } from "../../works/works.ts";
import type { ClipRequest } from "./schema.ts";

export type FindFocusPorts = {
  readonly focusFinder: { readonly find: FocusFinder["findSoon"] };
  readonly assets: Pick<AssetStore, "findAlike">;
};

/** The focus of clips with `auto`, by index: a track, `unknown` if it cannot be measured, or `measuring`. */
export type FoundFocus = readonly (FocusTrack | "unknown" | "measuring" | undefined)[];

/** For requests that need no pictures: the export measures them. */
export const laterFocus: FindFocusPorts["focusFinder"] = {
  find: async () => [{ startSeconds: 0, reason: "center", points: [center] }],
};

const center = { atSeconds: 0, x: 0.5, y: 0.5 };

/** Finds the focus of the clips that ask for it and are cropped. Measures each source once. */
export async function findFocus(
  { focusFinder, assets }: FindFocusPorts,
  { projectId }: Pick<Work, "projectId">,
  clips: readonly ClipRequest[],
  sources: readonly (Source | undefined)[],
  { signal = new AbortController().signal, owner }: TaskOptions,
): Promise<FoundFocus> {
  const wanted = clips.map(({ focus, fit }, index) =>
    focus === "auto" && fit === "cover" ? sources[index] : undefined,
  );
  const different = [...new Map(wanted.flatMap((source) => (source ? [[source.hash, source]] : []))).values()];
  if (different.length === 0) return [];
  const hashes = different.map(({ hash }) => hash);
  const analyzed = focusFinder === laterFocus ? [] : await assets.findAlike(projectId, { hashes, names: [] });
  const found = await runAll(
    different.map((source) => (linked: AbortSignal) => {
      const boxes = boxesOf(source, analyzed);
      return focusFinder.find(source, { projectId, owner, signal: linked, boxes });
    }),
    { concurrency: 2, signal },
  );
  const tracks = new Map(different.map(({ hash }, index) => [hash, found[index]]));
  return wanted.map((source) => source && (tracks.get(source.hash) ?? "unknown"));
}

/** The boxes of the most recently changed asset with the same file. Undefined if none has any. */
const boxesOf = ({ hash }: Source, assets: readonly Asset[]): readonly SubjectBox[] | undefined =>
  assets
    .filter(({ file, subjectBoxes = [] }) => file.sha256 === hash && subjectBoxes.length > 0)
    .sort((one, other) => other.updatedAt - one.updatedAt || (one.id < other.id ? -1 : 1))[0]?.subjectBoxes;

type Part = Pick<FocusShot, "reason"> & {
  /** In seconds on the timeline. */
  readonly position: number;
  readonly end: number;
  readonly from: FocusPoint;
  readonly to: FocusPoint;
};

type FollowedClips = {
  readonly focus: FoundFocus;
  readonly clips: readonly Clip[];
  readonly timeline: Pick<Timeline, "rate">;
};

/** The subject that the frame follows in a clip, for the author of the request. */
export type FocusChoice = { readonly path: string; readonly parts: readonly Part[] };

/** The measured focus of each clip that asked for it, in parts between its cuts and its turns. */
export const focusChoices = ({ focus, clips, timeline: { rate } }: FollowedClips): readonly FocusChoice[] =>
  clips.flatMap((clip, index) => {
    const { range } = clip;
    const track = focus[index];
    if (!track || typeof track === "string") return [];
    const position = toSeconds(range.start, rate);
    const toTimeline = (seconds: number) => position + clipSecondsAt(clip, seconds, rate);
    const toSource = (seconds: number) => sourceSecondsAt(clip, seconds - position, rate);
    const parts = track.flatMap((shot, at): readonly Part[] => {
      const from = toTimeline(at === 0 ? Number.NEGATIVE_INFINITY : shot.startSeconds);
      const to = toTimeline(track[at + 1]?.startSeconds ?? Number.POSITIVE_INFINITY);
      const [first, last] = [Math.min(from, to), Math.max(from, to)];
      const turns = shot.points
        .map(({ atSeconds }) => toTimeline(atSeconds))
        .filter((turn) => turn > first && turn < last);
      const times = [...new Set([first, ...turns, last])].sort((one, other) => one - other);
      const pointAt = (seconds: number) => rounded(focusAt(shot, toSource(seconds)));
      return times.slice(1).map((until, turn) => {
        const since = times[turn]!;
        const { reason } = shot;
        return {
          position: toThousandths(since),
          end: toThousandths(until),
          from: pointAt(since),
          to: pointAt(until),
          reason,
        };
      });
    });
    const shown = parts.filter((part) => part.end > part.position);
    return [{ path: `clips.${index}.focus`, parts: clip.reverses ? shown.toReversed() : shown }];
  });

const rounded = ({ x, y }: FocusPoint): FocusPoint => ({ x: toThousandths(x), y: toThousandths(y) });
