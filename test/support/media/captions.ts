import type { CaptionStyle, CaptionTrack, CaptionWord } from "../../../src/engine/timeline/captions/track.ts";

/** A word with its first frame and the first frame after it. A word that begins with `~` has no space before it. */
export const spoken = (text: string, start: number, end: number): CaptionWord => ({
  text: text.replace(/^~/, ""),
  glued: text.startsWith("~"),
  range: { start, end },
});

const captionStyle = (style: Partial<CaptionStyle> = {}): CaptionStyle => ({
  kind: "plain",
  position: "bottom",
  fontWeight: 800,
  colors: {},
  isUppercase: false,
  keepsSafeZone: true,
  ...style,
});

export const captionTrack = (
  words: readonly CaptionWord[],
  style: Partial<CaptionStyle> = {},
  more: Partial<CaptionTrack> = {},
): CaptionTrack => ({
  content: { kind: "words", words },
  style: captionStyle(style),
  maxLines: 2,
  isEmbedded: false,
  ...more,
});
