import type { LottieContent } from "../../../../engine/timeline/overlay.ts";
import type { Source } from "../../../../engine/timeline/source.ts";
import type { Canvas } from "../../../../engine/timeline/timeline.ts";
import { invalid } from "../../../../errors.ts";
import type { LottieLayerRequest } from "../layers/schema.ts";
import type { Report } from "./report.ts";
import { boxIn } from "./shapes.ts";

type LottieStage = { readonly canvas: Canvas; readonly path: string; readonly report: Report };

/** A Lottie animation; without a size it has its own. Frames outside of it are cut off. */
export function lottieContent(
  layer: LottieLayerRequest,
  source: Source,
  { canvas, path, report }: LottieStage,
): LottieContent | undefined {
  const { animation } = source.facts;
  if (!animation) return undefined;
  const { frameRate, firstFrame, endFrame } = animation;
  const from = Math.max(firstFrame, layer.from ?? firstFrame);
  const to = Math.min(endFrame, layer.to ?? endFrame);
  if (from >= to) {
    report(
      invalid(`${path}.from`, `Has no frame of the animation, which has those from ${firstFrame} to ${endFrame}.`),
    );
    return undefined;
  }
  return {
    kind: "lottie",
    source,
    box: boxIn(canvas, layer, sizeOf(layer, source)),
    fit: layer.fit ?? "contain",
    frameRate: frameRate * (layer.speed ?? 1),
    ...{ from, to, repeats: layer.repeat ?? false, colors: layer.colors ?? {}, texts: layer.texts ?? {} },
  };
}

/** Its own size by default; in proportion if one side is given. */
function sizeOf({ width, height }: LottieLayerRequest, { facts }: Source): Canvas {
  const { width: ownWidth = 1, height: ownHeight = 1 } = facts;
  if (width !== undefined) return { width, height: height ?? (width * ownHeight) / ownWidth };
  return height === undefined
    ? { width: ownWidth, height: ownHeight }
    : { width: (height * ownWidth) / ownHeight, height };
}
