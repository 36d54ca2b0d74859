import type { ReceivedFile } from "../../../engine/ports.ts";
import type { MediaFacts } from "../../../engine/timeline/source.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import type { DirectImage } from "../models.ts";
import type { SceneDesign } from "../scene-design.ts";

export const cameraMoves = ["push_in", "pull_out", "pan_left", "pan_right", "tilt_up", "tilt_down"] as const;
export type CameraMove = (typeof cameraMoves)[number];

export type StoryboardRequest = {
  readonly resolution: Canvas;
  /** A description of the content of the frame. */
  readonly prompt: string;
  readonly avoid: string;
  /** CSS colors, the main one first; may be empty. */
  readonly palette: readonly string[];
  readonly tone: string;
  /** Drawn without a caption, in place of the design that the prompt suggests. */
  readonly design?: SceneDesign | undefined;
};

type CameraMoveRequest = {
  readonly path: string;
  readonly facts: MediaFacts;
  readonly resolution: Canvas;
  readonly durationSeconds: number;
  readonly move: CameraMove;
  readonly direct?: DirectImage | undefined;
  /** The design of the image: a drawn ground moves less than a picture. */
  readonly design?: SceneDesign | undefined;
};

/** Generates images and videos on this machine without a model. Equal requests give equal pixels. */
export type LocalGenerator = {
  /** Draws a typeset storyboard frame as PNG. */
  drawStoryboard(request: StoryboardRequest, options: Required<TaskOptions>): Promise<Uint8Array>;
  /** Renders a camera move over a still image as H.264 in MP4, without sound. The caller owns the file. */
  moveCamera(request: CameraMoveRequest, options: Required<TaskOptions>): Promise<ReceivedFile>;
};
