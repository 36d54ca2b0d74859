import type { MediaFacts } from "../../../timeline/source.ts";
import type { Canvas } from "../../../timeline/timeline.ts";
import type { ReceivedFile } from "../../files/file-store.ts";

export const cameraMoves = ["push_in", "pull_out", "pan_left", "pan_right", "tilt_up", "tilt_down"] as const;
export type CameraMove = (typeof cameraMoves)[number];

/** Makes pictures and clips on this machine, without any model. The same wishes give the same pixels. */
export type Studio = {
  /** A typeset storyboard frame, as PNG. */
  drawStoryboard(
    wish: {
      readonly resolution: Canvas;
      /** What the frame shows, in words. */
      readonly prompt: string;
      readonly avoid: string;
      /** CSS colors, the leading one first; may be empty. */
      readonly palette: readonly string[];
      readonly tone: string;
    },
    signal: AbortSignal,
  ): Promise<Uint8Array>;
  /** A camera move over a still picture, as H.264 in MP4, silent. The file belongs to the caller. */
  moveCamera(
    wish: {
      readonly path: string;
      readonly facts: MediaFacts;
      readonly resolution: Canvas;
      readonly durationSeconds: number;
      readonly move: CameraMove;
    },
    signal: AbortSignal,
  ): Promise<ReceivedFile>;
};
