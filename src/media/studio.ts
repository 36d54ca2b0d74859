import { patientGate } from "../domain/gate.ts";
import type { Studio } from "../domain/studio.ts";
import { type CameraPorts, filmMove } from "./camera-move.ts";

const atOnce = 2;

/** Draws with Skia and films with ffmpeg. */
export function localStudio(ports: CameraPorts): Studio {
  const turn = patientGate(atOnce);
  return {
    drawStoryboard: async () => {
      throw new Error("not built");
    },
    moveCamera: (wish, signal) => turn(() => filmMove(ports, wish, signal), signal),
  };
}
