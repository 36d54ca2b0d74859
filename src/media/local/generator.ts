import type { LocalGenerator } from "../../domain/ai/generation/local-generator.ts";
import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import { type CameraMovePorts, renderCameraMove } from "./camera-move.ts";
import { drawStoryboard } from "./storyboard.ts";

const slots = { concurrency: 4, perOwner: 2, maxQueuedPerOwner: 100, retryAfterSeconds: 10 };

/** Draws storyboards with Skia and renders camera moves with ffmpeg. */
export function localGenerator(ports: CameraMovePorts): LocalGenerator {
  const limit = concurrencyLimit(slots);
  return {
    drawStoryboard: (request, options) => limit(() => drawStoryboard(request, options.signal), options),
    moveCamera: (request, options) => limit(() => renderCameraMove(ports, request, options.signal), options),
  };
}
