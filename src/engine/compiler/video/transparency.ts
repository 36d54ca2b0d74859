import type { Color } from "../../../platform/colors.ts";
import { declareRec709, extractPlane, format } from "../filters/color.ts";
import { applyMask, difference, mapGray, toStraightAlpha } from "../filters/mask.ts";
import type { Video } from "../graph/graph.ts";

export const blackGround = { red: 0, green: 0, blue: 0, alpha: 1 } as const;
export const whiteGround = { red: 255, green: 255, blue: 255, alpha: 1 } as const;

/** True for the two grounds themselves, not for the same color as a film's background. */
export const isGroundOfAlpha = (background: Color | undefined): boolean =>
  background === blackGround || background === whiteGround;

/**
 * What a film over black and over white has in common, with straight alpha as yuva444p: where both differ by the whole
 * range, nothing is. So everything that is drawn over a ground works over none.
 */
export function withoutGround(overBlack: Video, overWhite: Video): Video {
  const missing = difference(extractPlane(overWhite, "y"), extractPlane(overBlack, "y"));
  // the luma of limited range has 219 levels
  const alpha = mapGray(missing, "clip(255.5-val*255/219,0,255)");
  return toStraightAlpha(applyMask(declareRec709(format(overBlack, "yuv444p")), alpha));
}
