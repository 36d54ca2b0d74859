import type { CaptionStyle } from "../../timeline/captions/track.ts";
import type { Source } from "../../timeline/source.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import { parseColor } from "../shared/colors.ts";
import type { CaptionsRequest } from "./schema.ts";

/** `canvas` is the one that the request's pixels count on. */
export function captionStyle(request: CaptionsRequest, font: Source | undefined, canvas: Canvas): CaptionStyle {
  const { fontSize, colors } = request;
  // safe because the schema accepts valid colors only
  const color = (text: string | undefined) => (text === undefined ? undefined : parseColor(text)!);
  return {
    kind: request.style ?? "plain",
    position: request.position ?? "bottom",
    font,
    fontFamily: request.fontFamily,
    fontSize: fontSize === undefined ? undefined : fontSize / Math.min(canvas.width, canvas.height),
    fontWeight: request.fontWeight ?? 800,
    colors: {
      text: color(colors?.text),
      active: color(colors?.active),
      background: color(colors?.background),
      activeBackground: color(colors?.activeBackground),
      stroke: color(colors?.stroke),
    },
    isUppercase: request.uppercase ?? false,
    keepsSafeZone: request.safeZone ?? true,
  };
}
