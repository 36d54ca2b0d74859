import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Color, TextStyle } from "../../timeline/overlay.ts";
import { type Box, grow, type Point } from "../drawing/box.ts";
import { paintDrawing } from "../drawing/drawing.ts";
import { fontsFor, type TextFont } from "../text/fonts/fonts.ts";
import { layOut, type TextLayout } from "../text/layout.ts";
import { clustersOf } from "../text/line-breaks.ts";
import { drawText } from "../text/text.ts";
import { black, contrast, css, type Scheme, white } from "./colors.ts";
import type { Stage } from "./stage.ts";
import type { FrameWords } from "./words.ts";

const maxLines = 5;

/** Texts below this height are dust. */
const smallestSize = 5;

const readable = 4.5;

type Fitted = {
  readonly text: string;
  readonly style: TextStyle;
  readonly layout: TextLayout;
  readonly fonts: TextFont;
};

/** Sets words into the stage's place for them, in the color that is read best there. */
export async function paintCaption(
  context: SKRSContext2D,
  stage: Stage,
  scheme: Scheme,
  { label, caption }: FrameWords,
): Promise<void> {
  const words = caption === "" ? undefined : await fit(caption, stage, label !== "");
  if (!words) return;
  const { fontSize } = words.style;
  const isRightToLeft = words.layout.lines[0]?.direction === "rtl";
  const name = label === "" ? undefined : await nameOf(label, fontSize * nameShare);
  const left = (width: number) => (isRightToLeft ? stage.width - stage.caption.x - width : stage.caption.x);

  const bar = Math.max(1, Math.round(fontSize * 0.16));
  const nameTop = stage.caption.y + bar * 4.5;
  const top = nameTop + (name ? name.layout.height + bar * 1.5 : 0);
  const { width, height } = words.layout;
  const whole = { x: left(width), y: nameTop, width, height: top + height - nameTop };
  const area = grow(whole, fontSize * 0.35);
  const ink = inkOver(context, area, scheme) ?? paintCard(context, area, scheme, fontSize);
  context.fillStyle = css(ink);
  context.fillRect(left(fontSize * 1.6), stage.caption.y, fontSize * 1.6, bar);
  if (name) paintText(context, { x: left(name.layout.width), y: nameTop }, name, ink);
  const align = isRightToLeft ? "right" : "left";
  paintText(context, { x: left(width), y: top }, { ...words, style: { ...words.style, align } }, ink);
}

function paintText(context: SKRSContext2D, { x, y }: Point, { text, style, fonts }: Fitted, fontColor: Color): void {
  const anchor = { at: "top_left" as const, x, y };
  const drawing = drawText({ kind: "text", text, style: { ...style, fontColor }, anchor }, fonts);
  const { width, height } = context.canvas;
  const placed = paintDrawing(drawing, 0, { x: 0, y: 0, width, height });
  if (placed) context.drawImage(placed.bitmap, placed.box.x, placed.box.y);
}

/** Of the size of the words. */
const nameShare = 0.66;

/** Small and spaced out, but for letters that are joined. */
async function nameOf(label: string, fontSize: number): Promise<Fitted> {
  const text = label.toUpperCase();
  const isSpaced = /^[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Common}]+$/u.test(text);
  const style = { ...plain, fontSize, fontWeight: 700, letterSpacing: isSpaced ? fontSize * 0.12 : 0 };
  const fonts = await fontsFor(text, style, noFile);
  return { text, style, fonts, layout: layOut(text, style, fonts) };
}

const noFile = async (): Promise<string> => {
  throw new Error("No font of a project is asked for.");
};

const plain = {
  fontColor: white,
  fontWeight: 600,
  align: "left",
  lineHeight: 1.28,
  letterSpacing: 0,
} as const;

/** The largest size at which the text has its place; what is too long for the smallest one is shortened. */
async function fit(text: string, stage: Stage, isNamed: boolean): Promise<Fitted | undefined> {
  const scale = Math.sqrt(stage.width * stage.height);
  const [largest, smallest] = [Math.max(8, scale * 0.041), Math.max(smallestSize, scale * 0.024)];
  const { width: maxWidth, height: room } = stage.caption;
  const fonts = await fontsFor(text, { ...plain, fontSize: largest }, noFile);
  const at = (fontSize: number, words: string): Fitted => {
    const style = { ...plain, fontSize, maxWidth };
    return { text: words, style, fonts, layout: layOut(words, style, fonts) };
  };
  const above = 0.75 + (isNamed ? nameShare * plain.lineHeight + 0.25 : 0);
  const fits = ({ layout, style }: Fitted) =>
    layout.lines.length <= maxLines && layout.height + style.fontSize * above <= room;
  for (let size = largest; size >= smallest; size *= 0.94) {
    const fitted = at(size, text);
    if (fits(fitted)) return balanced(fitted);
  }
  return shortened(text, (words) => at(smallest, words), fits);
}

/** Lines of about one length: no word is left alone on the last one. */
function balanced(fitted: Fitted): Fitted {
  const { text, style, fonts, layout } = fitted;
  let [narrow, wide] = [layout.width / layout.lines.length, style.maxWidth!];
  let best = fitted;
  while (wide - narrow > style.fontSize / 4) {
    const maxWidth = (narrow + wide) / 2;
    const tried = layOut(text, { ...style, maxWidth }, fonts);
    if (tried.lines.length > layout.lines.length || tried.width > maxWidth + 1) narrow = maxWidth;
    else [wide, best] = [maxWidth, { ...fitted, style: { ...style, maxWidth }, layout: tried }];
  }
  return best;
}

/** As many whole words as fit, and an ellipsis; undefined when not even one character has its place. */
function shortened(text: string, at: (words: string) => Fitted, fits: (fitted: Fitted) => boolean): Fitted | undefined {
  const clusters = clustersOf(text);
  let [fitting, tooMany] = [0, clusters.length];
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (fits(at(`${clusters.slice(0, middle).join("")}…`))) fitting = middle;
    else tooMany = middle;
  }
  if (fitting === 0) return undefined;
  return at(`${wellEnded(clusters.slice(0, fitting).join(""), clusters[fitting] === " ")}…`);
}

/** Ends at a clause where one ends late enough, else at a word. */
function wellEnded(text: string, isWhole: boolean): string {
  const clause = /^.*[^\s\p{P}](?=[,;:.!?،、。，；：！？])/su.exec(text)?.[0] ?? "";
  if (clause.length > 0.75 * text.length) return clause;
  const words = isWhole ? text : text.replace(/\s\S{0,24}$/u, "");
  return words.replace(/[\s\p{P}]+$/u, "");
}

/** The first color that is readable on all that lies in an area; undefined when none is. */
function inkOver(context: SKRSContext2D, area: Box, { light, dark }: Scheme): Color | undefined {
  const behind = colorsIn(context, area);
  const worst = (ink: Color) => Math.min(...behind.map((color) => contrast(ink, color)));
  const inks = [light, dark].sort((a, b) => worst(b) - worst(a));
  return [...inks, white, black].find((ink) => worst(ink) >= readable);
}

/** Of a grid of points: fills are smooth here. */
function colorsIn(context: SKRSContext2D, area: Box): readonly Color[] {
  const { canvas } = context;
  const [x, y] = [Math.max(0, Math.floor(area.x)), Math.max(0, Math.floor(area.y))];
  const width = Math.max(1, Math.min(canvas.width - x, Math.ceil(area.width)));
  const height = Math.max(1, Math.min(canvas.height - y, Math.ceil(area.height)));
  const { data } = context.getImageData(x, y, width, height);
  const count = 24;
  return Array.from({ length: count * count }, (_, index) => {
    const column = Math.floor(((index % count) * (width - 1)) / (count - 1));
    const row = Math.floor((Math.floor(index / count) * (height - 1)) / (count - 1));
    const at = 4 * (row * width + column);
    return { red: data[at]!, green: data[at + 1]!, blue: data[at + 2]!, alpha: 1 };
  });
}

/** A calm ground where there is none. Answers the ink for it. */
function paintCard(context: SKRSContext2D, area: Box, { dark, light }: Scheme, fontSize: number): Color {
  context.fillStyle = css(dark);
  context.beginPath();
  context.roundRect(area.x, area.y, area.width, area.height, fontSize * 0.3);
  context.fill();
  return contrast(light, dark) >= readable ? light : white;
}
