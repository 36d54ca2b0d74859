import type { Area } from "./inks.ts";

export type Size = { readonly width: number; readonly height: number };

/** Where the local provider's pictures are plain: below the horizon, and above what players cover with their buttons. */
export const titleArea: Area = { x: 0.085, y: 0.645, width: 0.83, height: 0.15 };

/** The sky of the last picture. */
export const endCardArea: Area = { x: 0.2, y: 0.14, width: 0.6, height: 0.16 };

/** In seconds. */
export type TimeRange = { readonly start: number; readonly end: number };

type Look = { readonly fontAssetId: string; readonly size: Size };

type TitleStyle = Look & { readonly ink: string };

/** A text overlay of the editor and when it is seen. */
export type TimedText = { readonly range: TimeRange; readonly text: Record<string, unknown> };

// lengths are in pixels of a video 1080 pixels wide
const largestFont = 138;
const lineHeight = 1.06;
const secondsBetweenLines = 0.16;
const flat = { shadowColor: "transparent", shadowBlur: 0 };

/** The title's lines come in one after the other, below the horizon. */
export function titleLines(title: string, range: TimeRange, { fontAssetId, size, ink }: TitleStyle): TimedText[] {
  const unit = size.width / 1080;
  const { lines, fontSize } = fitTitle(title);
  return lines.map((line, index) => ({
    range: { start: range.start + index * secondsBetweenLines, end: range.end },
    text: {
      text: line,
      fontAssetId,
      fontWeight: 800,
      fontSize: fontSize * unit,
      letterSpacing: -0.02 * fontSize * unit,
      fontColor: ink,
      ...flat,
      lineHeight,
      align: "left",
      x: titleArea.x * size.width,
      y: titleArea.y * size.height + index * fontSize * lineHeight * unit,
      animateIn: "slideup",
      animateOut: "fade",
    },
  }));
}

/** How the end card's button looks. */
export function buttonLook({ fontAssetId, size, ink, background }: TitleStyle & { readonly background: string }) {
  const unit = size.width / 1080;
  const text = { fontAssetId, fontWeight: 800, fontSize: 52 * unit, fontColor: ink, ...flat };
  return { ...text, background, padding: 34 * unit, radius: 70 * unit, animateIn: "pop" };
}

/** As few lines as allow a large font, at most three, of about equal length. */
export function fitTitle(title: string): { lines: readonly string[]; fontSize: number } {
  const fits = [1, 2, 3].map((count) => {
    const lines = splitEvenly(title, count);
    const widest = Math.max(...lines.map(widthInEms));
    const room = titleArea.height * 1920;
    return {
      lines,
      fontSize: Math.min(largestFont, (titleArea.width * 1080) / widest, room / (lines.length * lineHeight)),
    };
  });
  return fits.reduce((best, fit) => (fit.fontSize > best.fontSize * 1.05 ? fit : best));
}

/** Splits at the spaces that make the longest line shortest. */
function splitEvenly(title: string, count: number): readonly string[] {
  const words = title.trim().split(/\s+/u);
  if (count === 1 || words.length === 1) return [words.join(" ")];
  const splits = words.slice(1).map((_, index) => {
    const first = words.slice(0, index + 1).join(" ");
    return [first, ...splitEvenly(words.slice(index + 1).join(" "), count - 1)];
  });
  const widest = (lines: readonly string[]) => Math.max(...lines.map(widthInEms));
  return splits.reduce((best, lines) => (widest(lines) < widest(best) ? lines : best));
}

/** Estimated width in ems: East Asian characters and emoji are 1 em wide, others about 0.6. */
const widthInEms = (text: string): number => {
  const wide = text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Extended_Pictographic}、。ー]/gu);
  return (wide?.length ?? 0) + 0.6 * ([...text].length - (wide?.length ?? 0));
};
