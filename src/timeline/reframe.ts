import type { Box, ImagePicture, Overlay, TextPicture } from "./overlay.ts";
import { safeZoneOf } from "./safe-zone.ts";
import type { Canvas, Timeline } from "./timeline.ts";
import { type Clip, mapClips } from "./track.ts";

/** How one canvas becomes another: where a point goes, and how many times larger things get. */
type Change = { readonly place: (at: Point) => Point; readonly scale: number };
type Point = { readonly x: number; readonly y: number };

/** The same picture at half its size, so that everything is drawn for a quarter of the pixels. */
export function halved(timeline: Timeline): Timeline {
  const { canvas: whole } = timeline;
  const canvas = halfOf(whole);
  const scale = 0.5;
  const place = ({ x, y }: Point) => ({
    x: canvas.width / 2 + (x - whole.width / 2) * scale,
    y: canvas.height / 2 + (y - whole.height / 2) * scale,
  });
  const overlays = timeline.overlays.map((overlay) => {
    const { within } = overlay;
    const picture = placed(overlay.picture, { place, scale });
    return { ...overlay, picture, ...(within && { within: scaledAbout(within, { place, scale }) }) };
  });
  return { ...timeline, canvas, overlays };
}

export const halfOf = ({ width, height }: Canvas): Canvas => ({
  width: 2 * Math.round(width / 4),
  height: 2 * Math.round(height / 4),
});

/**
 * The same edit for a frame of other proportions. Overlays keep their size and their share of the way from the middle
 * to the edge, but stay within the safe zone; an image that filled the frame fills it again.
 */
export function reframed(timeline: Timeline, canvas: Canvas): Timeline {
  const { canvas: asked } = timeline;
  if (canvas.width === asked.width && canvas.height === asked.height) return timeline;

  const across = canvas.width / asked.width;
  const down = canvas.height / asked.height;
  const place = ({ x, y }: Point) => ({ x: x * across, y: y * down });
  const scale = shorterSide(canvas) / shorterSide(asked);
  const within = safeZoneOf(canvas);
  const overlays = timeline.overlays.map((overlay): Overlay => {
    const { picture } = overlay;
    if (picture.kind === "image" && fills(picture.box, asked)) {
      const { width, height } = picture.box;
      const box = { ...place(picture.box), width: width * across, height: height * down };
      return { ...overlay, picture: { ...picture, box } };
    }
    return { ...overlay, picture: placed(picture, { place, scale }), within };
  });
  return { ...timeline, canvas, overlays, track: mapClips(timeline.track, aroundFocus) };
}

const aroundFocus = (clip: Clip): Clip => ({ ...clip, focus: clip.focus ?? { x: 0.5, y: 0.5 } });

const shorterSide = ({ width, height }: Canvas): number => Math.min(width, height);

const fills = ({ x, y, width, height }: Box, canvas: Canvas): boolean =>
  x <= 0 && y <= 0 && x + width >= canvas.width && y + height >= canvas.height;

function placed<Picture extends TextPicture | ImagePicture>(picture: Picture, change: Change): Picture {
  if (picture.kind === "image") return { ...picture, box: scaledAbout(picture.box, change) };
  const anchor = { ...picture.anchor, ...change.place(picture.anchor) };
  return { ...picture, anchor, scale: (picture.scale ?? 1) * change.scale };
}

/** A box goes where its middle goes. */
function scaledAbout(box: Box, { place, scale }: Change): Box {
  const middle = place({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  const [width, height] = [box.width * scale, box.height * scale];
  return { x: middle.x - width / 2, y: middle.y - height / 2, width, height };
}
