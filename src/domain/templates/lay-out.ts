import type { Box } from "../../engine/timeline/overlay.ts";
import { boxAroundAll, type Placement, placeBox } from "../../engine/timeline/place.ts";
import type { Canvas } from "../../engine/timeline/timeline.ts";
import { layersFor } from "./layers.ts";
import { scaledLook, scaledSpans } from "./scaled-look.ts";
import type { TemplateContent, TemplateImageOverlay, TemplateTextOverlay } from "./templates.ts";

type AnyOverlay = TemplateTextOverlay | TemplateImageOverlay;

/** Sides are even numbers of pixels, which changes the ratio of a scaled frame by up to this much. */
const ratioTolerance = 0.01;

/** Scales between frames of the same shape, which show the same picture. */
function placed(box: Box, from: Canvas, to: Canvas): Placement {
  const isSameShape = Math.abs((from.width * to.height) / (from.height * to.width) - 1) < ratioTolerance;
  if (!isSameShape) return placeBox(box, from, to);
  const [across, down] = [to.width / from.width, to.height / from.height];
  return { scale: Math.min(across, down), move: ({ x, y }) => ({ x: x * across, y: y * down }) };
}

/**
 * Lays out the content for another canvas than its layout size. In the same shape everything scales; in another one
 * groups, and overlays without one, move and scale as a whole.
 */
export function layOutFor(content: TemplateContent, canvas: Canvas): TemplateContent {
  const { layoutSize: from, textOverlays, imageOverlays, layers } = content;
  if (!from || (from.width === canvas.width && from.height === canvas.height)) return content;
  const overlays: readonly AnyOverlay[] = [...textOverlays, ...imageOverlays];
  const groups = Map.groupBy(overlays, groupOf);
  const placements = new Map(
    [...groups].map(([group, members]) => {
      const box = boxAroundAll(members.map((overlay) => boxOf(overlay, from)));
      return [group, placed(box, from, canvas)] as const;
    }),
  );
  const centerOf = (overlay: AnyOverlay, { move }: Placement) => {
    const { x, y } = move({ x: from.width / 2 + overlay.centerX, y: from.height / 2 + overlay.centerY });
    return { centerX: x - canvas.width / 2, centerY: y - canvas.height / 2 };
  };
  // safe because every overlay is in a group
  const placementOf = (overlay: AnyOverlay) => placements.get(groupOf(overlay))!;
  return {
    ...content,
    layoutSize: { width: canvas.width, height: canvas.height },
    ...(layers && {
      layers: layersFor(layers, { from, to: canvas }, placed({ x: 0, y: 0, ...from }, from, canvas)),
    }),
    textOverlays: textOverlays.map((text) => {
      const placement = placementOf(text);
      const { scale } = placement;
      const look = scaledLook(text, placement, { from, to: canvas });
      const spans = text.spans !== undefined && { spans: scaledSpans(text.spans, scale) };
      return { ...look, ...spans, ...scaledLengths(text, scale), ...centerOf(text, placement) };
    }),
    imageOverlays: imageOverlays.map((image) => {
      const placement = placementOf(image);
      const { scale } = placement;
      return {
        ...scaledLook(image, placement, { from, to: canvas }),
        ...{ width: image.width * scale, height: image.height * scale, ...centerOf(image, placement) },
        ...(image.radius !== undefined && { radius: image.radius * scale }),
      };
    }),
  };
}

/** Ids are unique across texts and images, and groups have another prefix. */
const groupOf = ({ id, group }: AnyOverlay): string => (group === undefined ? `id ${id}` : `group ${group}`);

/** Lines of a text without limits have no known width. */
function boxOf(overlay: AnyOverlay, canvas: Canvas): Box {
  const { width, height } = "assetId" in overlay ? overlay : sizeOfText(overlay);
  const x = (canvas.width - width) / 2 + overlay.centerX;
  const y = (canvas.height - height) / 2 + overlay.centerY;
  return { x, y, width, height };
}

function sizeOfText({ fontSize, lineHeight = 1.2, maxWidth = 0, maxHeight, padding = 0 }: TemplateTextOverlay): Canvas {
  return { width: maxWidth + 2 * padding, height: (maxHeight ?? fontSize * lineHeight) + 2 * padding };
}

const lengths = [
  ...(["fontSize", "maxWidth", "maxHeight", "letterSpacing", "strokeWidth"] as const),
  ...(["shadowBlur", "shadowOffsetX", "shadowOffsetY", "padding", "radius", "paddingX", "paddingY"] as const),
];

const scaledLengths = (text: TemplateTextOverlay, scale: number): Partial<TemplateTextOverlay> =>
  Object.fromEntries(lengths.flatMap((name) => (text[name] === undefined ? [] : [[name, text[name] * scale]])));
