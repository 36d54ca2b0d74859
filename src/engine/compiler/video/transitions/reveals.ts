import { framesIn } from "../../../timeline/time.ts";
import type { Canvas } from "../../../timeline/timeline.ts";
import { extractPlane } from "../../filters/color.ts";
import { paintOver, type Size, scale } from "../../filters/geometry.ts";
import { addBrightness, applyMask, drawGray, mapGray } from "../../filters/mask.ts";
import { loopFirstFrame, resetTimestamps, trim } from "../../filters/time.ts";
import type { Video } from "../../graph/graph.ts";
import { printNumber } from "../../graph/print.ts";
import { type Blend, progressOf } from "./blend.ts";

/** A gray map as an expression of X, Y, W and H, its size, and the share of grays in the moving edge. */
type RevealMap = { readonly level: string; readonly size: (canvas: Canvas) => Size; readonly softness: number };

const shrunk =
  (divisor: number) =>
  ({ width, height }: Canvas): Size => ({ width: Math.ceil(width / divisor), height: Math.ceil(height / divisor) });

const circle = "hypot(X-W/2,Y-H/2)/hypot(W/2,H/2)";

export const maps = {
  circleOpen: { level: `255*${circle}`, size: shrunk(4), softness: 0.34 },
  circleClose: { level: `255-255*${circle}`, size: shrunk(4), softness: 0.34 },
  // the hash of common shaders and of xfade's dissolve: the fractional part of a very fast sine
  dissolve: { level: "255*mod(abs(sin(X*12.9898+Y*78.233)*43758.5453),1)", size: shrunk(2), softness: 0.02 },
  diagonal: { level: "255*(X/(W-1)+Y/(H-1))/2", size: shrunk(4), softness: 0.12 },
  // eight slats; their map has one column
  blinds: { level: "255*mod(Y*8/H,1)", size: ({ height }) => ({ width: 2, height }), softness: 0.02 },
} satisfies Record<string, RevealMap>;

/** Shows the new video first where the map is dark, and last where it is light. */
export function reveal(blend: Blend, { level, size, softness }: RevealMap): Video {
  const { canvas, rate } = blend;
  return revealBy(blend, scale(drawGray(size(canvas), rate, level), canvas, { smooth: softness > 0.1 }), softness);
}

/** Shows the new video first where the picture is dark: one opaque frame of the canvas's size in BT.709. */
export const revealByPicture = (blend: Blend, picture: Video): Video =>
  revealBy(blend, mapGray(extractPlane(picture, "y"), "clip((val-16)*255/219,0,255)"), 0.1);

/** Shows the new video by one frame of gray levels of the canvas's size. */
function revealBy(blend: Blend, map: Video, softness: number): Video {
  const { from, to, rate, shown } = blend;
  // half the range of levels leaves room for the brightness to move the whole map across the threshold
  const halved = mapGray(map, "64+(255-val)/2");
  const frames = resetTimestamps(trim(loopFirstFrame(halved), { start: 0, end: framesIn(shown) }), rate);

  const slope = softness / 2;
  const reach = 0.25 + slope;
  const moving = addBrightness(frames, `${printNumber(2 * reach)}*${progressOf(blend)}-${printNumber(reach)}`);
  const opacity = `clip((val/255-0.5)/${printNumber(slope)}+0.5,0,1)`;
  // eased as 3x² - 2x³, so that the edge has no hard lines
  const mask = mapGray(moving, `255*pow(${opacity},2)*(3-2*${opacity})`);
  return paintOver(from, resetTimestamps(applyMask(to, mask), rate), { x: 0, y: 0 });
}
