import type { LocalGenerator } from "../../domain/ai/generation/local-generator.ts";
import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import { type CameraMovePorts, renderCameraMove } from "./camera-move.ts";
import { drawStoryboard } from "./storyboard.ts";

const concurrency = 2;

/** Draws storyboards with Skia and renders camera moves with ffmpeg. */
export function localGenerator(ports: CameraMovePorts): LocalGenerator {
  const limit = concurrencyLimit({ concurrency });
  return {
    drawStoryboard: (request, options) => limit(() => drawStoryboard(request, options.signal), options),
    moveCamera: (request, options) => limit(() => renderCameraMove(ports, request, options.signal), options),
  };
}
