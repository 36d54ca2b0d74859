import type { Canvas } from "../canvas.ts";
import type { CaptionContent, CaptionLook, Overlay } from "../overlay.ts";
import { frameZoneOf } from "../safe-zone.ts";
import { type FrameRate, intersection } from "../time.ts";
import { captionColumns, captionWidth, captionZone } from "./columns.ts";
import { captionLook } from "./look.ts";
import { captionPages } from "./pages.ts";
import { captionStates } from "./states.ts";
import type { CaptionPage, CaptionStyle, CaptionTrack } from "./track.ts";

type Film = { readonly canvas: Canvas; readonly rate: FrameRate; readonly frames: number };

/** The pages of captions as overlays on a canvas, each in the lines that fit there. */
export function captionOverlays(track: CaptionTrack, film: Film): readonly Overlay[] {
  const look = captionLook(track, film.canvas);
  return captionPagesOn(track, film).map((page) => pageOverlay(page, track, look, film));
}

/** The pages of captions on a canvas. */
export function captionPagesOn(track: CaptionTrack, { canvas, rate, frames }: Film): readonly CaptionPage[] {
  const pages = captionPages(track, { ...track, columns: captionColumns(track.style, canvas), rate, frames });
  return pages.flatMap((page) => {
    const range = intersection(page.range, { start: 0, end: frames });
    return range ? [{ ...page, range }] : [];
  });
}

function pageOverlay(
  page: CaptionPage,
  { style, language }: CaptionTrack,
  look: CaptionLook,
  { canvas, rate }: Film,
): Overlay {
  const show = (text: string) => (style.isUppercase ? text.toLocaleUpperCase(language) : text);
  const content: CaptionContent = {
    kind: "caption",
    lines: page.lines.map((line) => line.map(({ text, glued }) => ({ text: show(text), glued }))),
    states: captionStates(page, style.kind, rate),
    look,
    ...captionPlace(style, canvas),
  };
  return { range: page.range, content, opacity: 1, rotationDegrees: 0, animateIn: "none", animateOut: "none" };
}

/** A place in the middle of the frame is kept in the zone; one that the request measured out is kept in the frame. */
export function captionPlace(style: CaptionStyle, canvas: Canvas): Pick<CaptionContent, "box" | "edge"> {
  const { position } = style;
  const width = captionWidth(style, canvas);
  const { y, height } = typeof position === "object" ? frameZoneOf(canvas) : captionZone(style, canvas);
  const box = { x: (canvas.width - width) / 2, y, width, height };
  if (position === "top" || position === "bottom") return { box, edge: position };
  return { box, edge: { centerY: canvas.height * (position === "middle" ? 0.5 : position.y) } };
}
