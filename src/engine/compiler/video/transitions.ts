import type { Span } from "../../timeline/track.ts";
import { resetTimestamps } from "../filters/time.ts";
import type { Video } from "../graph/graph.ts";
import type { Blend } from "./transitions/blend.ts";
import { blurThrough, fade, fadeThrough } from "./transitions/fades.ts";
import { slide, spin, wipe, zoomThrough } from "./transitions/moves.ts";
import { maps, reveal, revealByPicture } from "./transitions/reveals.ts";

type DrawBlend = (blend: Blend) => Video;
type Kind = Extract<Span, { kind: "transition" }>["transition"];

const slides = {
  left: (blend) => slide(blend, "x", "backward"),
  right: (blend) => slide(blend, "x", "forward"),
  up: (blend) => slide(blend, "y", "backward"),
  down: (blend) => slide(blend, "y", "forward"),
} satisfies Record<string, DrawBlend>;

function wholeFade(blend: Blend): Video {
  return fade(blend, blend.from, blend.to, "in", { start: 0, end: blend.frames });
}

/** Only the frames of the transition pass these filters, and every version of ffmpeg outputs the same pixels. */
const transitions: Record<Kind, DrawBlend> = {
  fade: wholeFade,
  fadeblack: (blend) => fadeThrough(blend, "black"),
  fadewhite: (blend) => fadeThrough(blend, "white"),
  flash: (blend) => fadeThrough(blend, "white", 0.25),
  blur: blurThrough,
  wipeleft: (blend) => wipe(blend, "x", "backward"),
  wiperight: (blend) => wipe(blend, "x", "forward"),
  wipeup: (blend) => wipe(blend, "y", "backward"),
  wipedown: (blend) => wipe(blend, "y", "forward"),
  slideleft: slides.left,
  slideright: slides.right,
  slideup: slides.up,
  slidedown: slides.down,
  "push-left": slides.left,
  "push-right": slides.right,
  "push-up": slides.up,
  "push-down": slides.down,
  zoom: zoomThrough,
  spin,
  circleopen: (blend) => reveal(blend, maps.circleOpen),
  "circle-close": (blend) => reveal(blend, maps.circleClose),
  dissolve: (blend) => reveal(blend, maps.dissolve),
  diagonal: (blend) => reveal(blend, maps.diagonal),
  blinds: (blend) => reveal(blend, maps.blinds),
  luma: (blend) => (blend.luma ? revealByPicture(blend, blend.luma) : wholeFade(blend)),
};

export const drawTransition = (kind: Kind, blend: Blend): Video =>
  resetTimestamps(transitions[kind](blend), blend.rate);
