import type { SKRSContext2D } from "@napi-rs/canvas";
import { newCanvas } from "../../../src/engine/drawing/new-canvas.ts";
import { resolveTextFonts } from "../../../src/engine/text/fonts/fonts.ts";
import { drawText } from "../../../src/engine/text/text.ts";
import type { TextDrawing } from "../../../src/engine/text/units.ts";
import type { TextContent, TextSpan, TextStyle } from "../../../src/engine/timeline/overlay.ts";
import type { Color } from "../../../src/platform/colors.ts";

export const black: Color = { red: 0, green: 0, blue: 0, alpha: 1 };

const plain: TextStyle = {
  fontSize: 32,
  fontColor: black,
  fontWeight: 500,
  align: "center",
  lineHeight: 1.25,
  letterSpacing: 0,
};

type Rest = Partial<Omit<TextContent, "style">> & { readonly style?: Partial<TextStyle> };

/** A text whose center is the origin. */
export async function textDrawing(text: string, { style, ...rest }: Rest = {}): Promise<TextDrawing> {
  const content: TextContent = {
    kind: "text",
    text,
    anchor: { at: "center", x: 0, y: 0 },
    ...rest,
    style: { ...plain, ...style },
  };
  return drawText(content, await resolveTextFonts(content, () => Promise.reject(new Error("no project fonts"))));
}

export const spansDrawing = (spans: readonly TextSpan[], rest: Rest = {}): Promise<TextDrawing> =>
  textDrawing(spans.map(({ text }) => text).join(""), { ...rest, spans });

export type Pixels = {
  readonly data: Uint8ClampedArray;
  /** Relative to the center. */
  at(x: number, y: number): readonly [red: number, green: number, blue: number, alpha: number];
};

/** What is painted on a canvas with the origin in its middle. */
export function painted(
  paint: (context: SKRSContext2D) => void,
  { width, height }: { width: number; height: number },
): Pixels {
  const context = newCanvas(width, height).getContext("2d");
  context.save();
  context.translate(width / 2, height / 2);
  paint(context);
  context.restore();
  const { data } = context.getImageData(0, 0, width, height);
  return {
    data,
    at(x, y) {
      const start = 4 * ((Math.round(y) + height / 2) * width + Math.round(x) + width / 2);
      return [data[start]!, data[start + 1]!, data[start + 2]!, data[start + 3]!];
    },
  };
}

/** The share of the ink of one picture whose alpha differs by more than half in the other one. */
export function differingShare(one: Pixels, other: Pixels): number {
  let [different, ink] = [0, 0];
  for (let index = 3; index < one.data.length; index += 4) {
    const [a, b] = [one.data[index]!, other.data[index]!];
    ink += Math.max(a, b) / 255;
    if (Math.abs(a - b) > 128) different++;
  }
  return ink === 0 ? 0 : different / ink;
}
