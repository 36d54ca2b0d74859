import type { Studio } from "../../domain/ai/generation/local-generator.ts";
import { patientGate } from "../../platform/concurrency-limit.ts";
import { type CameraPorts, filmMove } from "./camera-move.ts";
import { drawFrame } from "./storyboard.ts";

const atOnce = 2;

/** Draws with Skia and films with ffmpeg. */
export function localStudio(ports: CameraPorts): Studio {
  const turn = patientGate(atOnce);
  return {
    drawStoryboard: (wish, signal) => turn(() => drawFrame(wish, signal), signal),
    moveCamera: (wish, signal) => turn(() => filmMove(ports, wish, signal), signal),
  };
}
