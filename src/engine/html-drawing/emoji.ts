import { newCanvas } from "../drawing/new-canvas.ts";
import { emoji, loadBundledFont } from "../text/fonts/files.ts";

const startsAsPicture = /^\p{Extended_Pictographic}/u;
const isPictureByDefault = /^\p{Emoji_Presentation}/u;
const isModified = /^\p{Emoji_Modifier_Base}\p{Emoji_Modifier}/u;
const isFlag = /^(?:\p{Regional_Indicator}){2}$/u;
const isKeycap = /^[#*0-9]\uFE0F?\u20E3$/u;
const mayContain = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u;

/** True for a grapheme that is shown in colors. */
function isEmoji(grapheme: string): boolean {
  if (grapheme.includes("\uFE0E")) return false;
  if (isFlag.test(grapheme) || isKeycap.test(grapheme)) return true;
  const asksForPicture = grapheme.includes("\uFE0F") || grapheme.includes("\u200D");
  return (
    startsAsPicture.test(grapheme) && (asksForPicture || isPictureByDefault.test(grapheme) || isModified.test(grapheme))
  );
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

type Part = { readonly text: string; readonly isEmoji: boolean };

/** A text as words and single emoji. */
export function splitEmoji(text: string): readonly Part[] {
  if (!mayContain.test(text)) return [{ text, isEmoji: false }];
  const parts: { text: string; isEmoji: boolean }[] = [];
  for (const { segment } of graphemes.segment(text)) {
    const last = parts.at(-1);
    const isPicture = isEmoji(segment);
    if (isPicture || !last || last.isEmoji) parts.push({ text: segment, isEmoji: isPicture });
    else last.text += segment;
  }
  return parts;
}

/** The address of an emoji in a card. */
export const emojiAddress = (text: string): string => `emoji:${text}`;

/** The size of the font's own pictures. */
const size = { width: 136, height: 128, font: 109 };

/** Draws one emoji as PNG. */
export async function drawEmoji(text: string): Promise<Uint8Array> {
  const context = newCanvas(size.width, size.height).getContext("2d");
  context.font = `${size.font}px "${loadBundledFont(emoji, 400)}"`;
  context.textAlign = "center";
  context.fillText(text, size.width / 2, 101);
  return await context.canvas.encode("png");
}
