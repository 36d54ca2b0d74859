import type { Box } from "../../../engine/timeline/overlay.ts";
import { isFullScreen, safeZoneOf } from "../../../engine/timeline/safe-zone.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { toTenths, toThousandths } from "../../../platform/values.ts";
import type { EditorOverlay } from "../../works/editor-state.ts";
import type { ScenarioScene } from "../../works/works.ts";
import type { SceneColors } from "./design.ts";
import { boxes, type Piece } from "./layouts.ts";
import { lineHeight, lineHeightOf, type Room, setLarge } from "./lines.ts";

/** An overlay of the editor with its times, in seconds. */
export type Placed = {
  readonly id: string;
  readonly start: number;
  readonly end: number;
  readonly overlay: EditorOverlay;
};

/** The ground of a film's words, and facts besides its scenario. */
export type FilmWords = {
  readonly name: string;
  /** The host of the product's page. */
  readonly address: string;
  readonly price: string;
  /** An image of the project, in place of the initial. */
  readonly logo?: { readonly assetId: string; readonly ratio: number };
  /** True for pictures that were not made for words: words then stand in boxes. */
  readonly onPictures: boolean;
  readonly isCaptioned: boolean;
  readonly hasObject: boolean;
  /** True if a label at the top says that a machine made parts of the film. */
  readonly isLabelled: boolean;
  /** True if other targets show the same words in less height. */
  readonly isShared: boolean;
};

export type WordsOfScene = {
  readonly scene: ScenarioScene;
  readonly place: "opening" | "middle" | "end";
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly colors: SceneColors;
};

/** The frame of the words: the work's own. Other targets position each group of words separately. */
export type TitleFrame = {
  readonly canvas: Canvas;
  readonly zone: Box;
  readonly unit: number;
  readonly isTall: boolean;
};

/** The words' share of the width of a wide frame; shapes have the rest. */
const wideShare = 0.62;

/** The frame of words that begin at a side, to which they keep in a wide frame. */
export function sideFrame(frame: TitleFrame, side: "left" | "right"): TitleFrame {
  const { canvas } = frame;
  if (canvas.width < 1.2 * canvas.height) return frame;
  const safe = safeZoneOf(canvas);
  const width = Math.round(safe.width * wideShare);
  return { ...frame, zone: { ...safe, width, x: side === "left" ? safe.x : safe.x + safe.width - width } };
}

export function titleFrame(canvas: Canvas): TitleFrame {
  const zone = safeZoneOf(canvas);
  const unit = Math.min(canvas.width, canvas.height) / 1080;
  const width = Math.min(zone.width, 1300 * unit);
  const centered = { ...zone, x: zone.x + (zone.width - width) / 2, width };
  return { canvas, zone: centered, unit, isTall: isFullScreen(canvas) };
}

/** A line or a block of words; `top` counts from the top of its group. */
export type Line = {
  readonly text: string;
  readonly fontSize: number;
  readonly height: number;
  readonly top: number;
  readonly start: number;
  readonly look: EditorOverlay;
};

type Group = {
  readonly id: string;
  readonly end: number;
  /** The top of the group, in pixels of the frame. */
  readonly top: number;
  readonly lines: readonly Line[];
  readonly stays: boolean;
};

const plain = { fontWeight: 800, align: "center", lineHeight, shadowColor: "transparent", shadowBlur: 0 } as const;

/** Words leave with the picture, while the next scene appears. */
export const leavingSeconds = 0.2;

/** Positions words that keep their relative positions in every target. */
export const placeGroup = ({ canvas, zone }: TitleFrame, { id, end, top, lines, stays }: Group): readonly Placed[] =>
  lines.map(({ text, fontSize, height, top: below, start, look }, at) => {
    const padding = typeof look.padding === "number" ? look.padding : 0;
    // with free space beside them words stay at their side of any frame
    const side = look.align === "left" ? -1 : look.align === "right" ? 1 : 0;
    const width = zone.width - 2 * Math.abs(side);
    return {
      id: `${id}-${at}`,
      start: toThousandths(Math.min(start, latestStart(lines, end))),
      end: stays ? end : toThousandths(end + leavingSeconds),
      overlay: {
        ...plain,
        ...{ text, fontSize: toTenths(fontSize), group: id },
        ...{ maxWidth: toTenths(width - 2 * padding), maxHeight: toTenths(height - 2 * padding) },
        centerX: toTenths(zone.x + zone.width / 2 + side - canvas.width / 2),
        centerY: toTenths(top + below + height / 2 - canvas.height / 2),
        ...(!stays && { animateOut: "slideup" }),
        ...look,
      },
    };
  });

/** In a short scene all late words appear together, so that they can be read. */
const latestStart = (lines: readonly Line[], end: number): number =>
  Math.max(Math.min(end - 0.1, ...lines.map(({ start }) => start)), end - 0.6);

export const heightOf = (lines: readonly Pick<Line, "top" | "height">[]): number =>
  Math.max(0, ...lines.map(({ top, height }) => top + height));

/** Lines of one text, which appear one after another; one with a number, or else the last, has the emphasis color. */
export function settledLines(
  text: string,
  room: Room,
  { ink, emphasis, start, gap }: { ink: string; emphasis: string; start: number; gap: number },
): readonly Line[] {
  const { lines, fontSize } = setLarge(text, room);
  const height = fontSize * lineHeight;
  const numbered = lines.findLastIndex((line) => /\p{N}/u.test(line));
  const main = lines.length > 1 ? (numbered >= 0 ? numbered : lines.length - 1) : -1;
  return lines.map((line, at) => {
    const look = { fontColor: at === main ? emphasis : ink, animateIn: at === main ? "pop" : "slideup" };
    return { text: line, fontSize, height, top: at * height, start: start + at * gap, look };
  });
}

type PieceLook = {
  readonly colors: SceneColors;
  readonly align: "left" | "right" | "center";
  readonly start: number;
  readonly gap: number;
};

/** Pieces below each other, which appear one after another. */
export function pieceLines(pieces: readonly Piece[], { colors, align, start, gap }: PieceLook): readonly Line[] {
  let top = 0;
  return pieces.map(({ text, fontSize, role, lines }, at) => {
    const isBox = role === "boxed" || role === "tile";
    const padding = isBox ? Math.round(fontSize * boxes.padding) : 0;
    const height = fontSize * lineHeightOf(text) * lines + 2 * padding;
    const before = isBox && at > 0 ? fontSize * boxes.gap : 0;
    const box = {
      background: role === "boxed" ? colors.emphasis : colors.shape,
      fontColor: role === "boxed" ? colors.ground : colors.onShape,
      ...{ padding, radius: Math.round(fontSize * boxes.radius) },
    };
    const plainLook = { fontColor: role === "main" ? colors.emphasis : colors.ink };
    const look = {
      align,
      animateIn: role === "main" || role === "boxed" ? "pop" : "slideup",
      ...(isBox ? { ...box, lineHeight: lineHeightOf(text) } : plainLook),
    };
    const line = { text, fontSize, height, top: top + before, start: start + at * gap, look };
    top += before + height;
    return line;
  });
}

type BoxLook = {
  readonly start: number;
  readonly colors: SceneColors;
  readonly unit: number;
  readonly isMain: boolean;
  readonly align?: "left" | "right";
};

/** A block of words on a ground of its own. */
export function boxed(text: string, room: Room, { start, colors, unit, isMain, align }: BoxLook): Line {
  const padding = (isMain ? 30 : 20) * unit;
  const row = lineHeightOf(text);
  const height = ((room.height - 2 * padding) / row) * lineHeight;
  const inner = { ...room, width: room.width - 2 * padding, height };
  const lines = settledLines(text, inner, { ink: "", emphasis: "", start, gap: 0 });
  const { fontSize = room.maxFontSize } = lines[0] ?? {};
  const look = {
    ...{
      background: colors.ground,
      fontColor: colors.ink,
      padding: Math.round(padding),
      radius: Math.round(18 * unit),
    },
    ...{ animateIn: "slideup", fontWeight: isMain ? 800 : 700, verticalAlign: "top", ...(align && { align }) },
    lineHeight: row,
  };
  return { text, fontSize, height: lines.length * fontSize * row + 2 * padding, top: 0, start, look };
}
