import type { Box, CaptionContent, ImageContent, Overlay, TextContent } from "./overlay.ts";

/** The mean width of a letter, as a share of the font size: exact bounds are known only when a text is drawn. */
const letterShare = 0.56;
const wideLetters = /[\u1100-\u11ff\u2e80-\ud7a3\uf900-\ufaff\uff00-\uff60]/u;

/** The approximate box of an overlay on its canvas, without its rotation. */
export function estimatedBox({ content, within }: Pick<Overlay, "content" | "within">): Box {
  if (content.kind === "caption") return captionBox(content);
  if (content.kind !== "text" && content.kind !== "image") return content.box;
  const box = content.kind === "text" ? textBox(content) : pictureBox(content);
  return within ? movedInto(box, within) : box;
}

export function movedInto(box: Box, within: Box): Box {
  const into = (start: number, length: number, from: number, room: number) =>
    Math.max(from, Math.min(start, from + room - length));
  return {
    ...box,
    x: into(box.x, box.width, within.x, within.width),
    y: into(box.y, box.height, within.y, within.height),
  };
}

/** The part of the box that the picture fills. */
function pictureBox({ source, box, fit }: ImageContent): Box {
  const { width: across, height: down } = source.facts;
  if (fit !== "contain" || !across || !down) return box;
  const scale = Math.min(box.width / across, box.height / down);
  return centeredIn(box, across * scale, down * scale);
}

const centeredIn = (box: Box, width: number, height: number): Box => ({
  ...{ x: box.x + (box.width - width) / 2, y: box.y + (box.height - height) / 2, width, height },
});

const widthOf = (line: string, fontSize: number): number =>
  [...line].reduce((sum, letter) => sum + (wideLetters.test(letter) ? 1 : letterShare), 0) * fontSize;

function textBox({ text, style, anchor, scale = 1 }: TextContent): Box {
  const { fontSize, lineHeight, maxWidth = Number.POSITIVE_INFINITY, maxHeight, background, icon } = style;
  const widths = text.split("\n").map((line) => widthOf(line, fontSize));
  const lines = widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / maxWidth)), 0);
  const padding = background?.padding ?? 0;
  const room = icon ? icon.size + padding : 0;
  const width = (Math.min(maxWidth, Math.max(...widths)) + room + 2 * padding) * scale;
  const height = (Math.max(maxHeight ?? lines * fontSize * lineHeight, icon?.size ?? 0) + 2 * padding) * scale;
  const corner = anchor.at === "center" ? { x: anchor.x - width / 2, y: anchor.y - height / 2 } : anchor;
  return { x: corner.x, y: corner.y, width, height };
}

function captionBox({ lines, look: { fontSize, lineHeight }, box, edge }: CaptionContent): Box {
  const height = lines.length * fontSize * lineHeight;
  const longest = Math.max(0, ...lines.map((words) => widthOf(words.map(({ text }) => text).join(" "), fontSize)));
  const positions = { top: box.y, bottom: box.y + box.height - height };
  const wanted = typeof edge === "object" ? edge.centerY - height / 2 : positions[edge];
  const y = Math.max(box.y, Math.min(box.y + box.height - height, wanted));
  return { ...centeredIn(box, Math.min(box.width, longest), height), y };
}

/** The common area of two boxes, in square pixels. */
export function overlapOf(one: Box, other: Box): number {
  const along = (start: number, length: number, otherStart: number, otherLength: number) =>
    Math.max(0, Math.min(start + length, otherStart + otherLength) - Math.max(start, otherStart));
  return along(one.x, one.width, other.x, other.width) * along(one.y, one.height, other.y, other.height);
}
