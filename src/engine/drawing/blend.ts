import type { SKRSContext2D } from "@napi-rs/canvas";
import type { BlendMode } from "../timeline/motion.ts";

/** The canvas's name of a blend mode. */
export function compositeOf(mode: BlendMode): SKRSContext2D["globalCompositeOperation"] {
  if (mode === "normal") return "source-over";
  return mode === "plus-lighter" ? "lighter" : mode;
}
