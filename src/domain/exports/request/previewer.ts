import type { TaskOptions } from "../../../platform/task-options.ts";
import type { FrameRange } from "../../../engine/timeline/time.ts";
import type { Timeline } from "../../../engine/timeline/timeline.ts";
import type { Quality } from "./schema.ts";

/** `high` takes too long to wait for. */
export const previewQualities = ["standard", "draft"] as const satisfies readonly Quality[];
export type PreviewQuality = (typeof previewQualities)[number];

/** A part of the video. Its id names its bytes: what is shown, and when. */
type PreviewSegment = { readonly id: string; readonly range: FrameRange; readonly isCached: boolean };

/** A video in parts that a player can put together, none of which is rendered before it is asked for. */
export type PreviewPlan = {
  readonly id: string;
  readonly segments: readonly PreviewSegment[];
  /** Names the bytes of the sound. */
  readonly soundId: string;
  /** As RFC 6381 names it. */
  readonly videoCodec: string;
  /** The fragments' times are later by so many frames. */
  readonly delayFrames: number;
};

type PlaceOfPreview = { readonly projectId: string; readonly workId: string };

/** A part of a preview: the sound, a segment, or what a player needs before that segment. */
export type PreviewPart = { readonly kind: "sound" } | { readonly kind: "fragment" | "init"; readonly segment: string };

type RenderPreviewOptions = Required<TaskOptions> & PlaceOfPreview;

/** Renders the parts of an export's video, each once, however many players and exports need it. Throws busy if its queue is full. */
export type Previewer = {
  /** `isSoundLost`: the files of the sound go when this is done. Then the sound is rendered at once. */
  plan(
    timeline: Timeline,
    options: RenderPreviewOptions & { readonly quality: PreviewQuality; readonly isSoundLost: boolean },
  ): Promise<PreviewPlan>;
  /** An MP4 file or a part of one; undefined if the preview is not known, or not any more. */
  read(previewId: string, part: PreviewPart, options: RenderPreviewOptions): Promise<Uint8Array | undefined>;
};
