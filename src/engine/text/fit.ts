import type { Point } from "../drawing/box.ts";
import type { TextContent, TextSpan, TextStyle } from "../timeline/overlay.ts";
import { largest } from "./even-lines.ts";
import type { TextFonts } from "./fonts/fonts.ts";
import { layOutText, type TextLayout, widestUnbroken } from "./layout.ts";

type Size = { readonly width: number; readonly height: number };

/** A text with the style in which it is laid out. */
export type StyledText = Pick<TextContent, "text" | "style" | "spans">;

/** If a text would shrink below this share of its size, its long words are broken instead. */
const smallestWithWholeWords = 0.32;
const smallest = 0.02;

export const layOut = ({ text, style, spans }: StyledText, fonts: TextFonts): TextLayout =>
  layOutText(text, style, fonts, spans);

/** The factor, 1 at most, by which a text must shrink to fit into the height of its style. */
export function fitFactor(styled: StyledText, fonts: TextFonts): number {
  const { maxHeight, maxWidth = Number.POSITIVE_INFINITY, wrap } = styled.style;
  if (maxHeight === undefined) return 1;
  const height = (factor: number) => layOut(shrunk(styled, factor), fonts).height * factor;
  const word = widthOfUnbroken(styled, fonts);
  const fitsInLines = (factor: number) => height(factor) <= maxHeight + 0.01;
  const fitsWhole = (factor: number) => word * factor <= maxWidth + 0.01 && fitsInLines(factor);
  if (fitsWhole(1)) return 1;
  if (wrap === false) return largest(fitsWhole, smallest, 1);
  if (fitsWhole(smallestWithWholeWords)) return largest(fitsWhole, smallestWithWholeWords, 1);
  return fitsInLines(1) ? 1 : largest(fitsInLines, smallest, 1);
}

/** The text whose layout, reduced by the factor, has the width of the given one. */
export const shrunk = <Styled extends StyledText>(styled: Styled, factor: number): Styled =>
  factor === 1 || styled.style.maxWidth === undefined
    ? styled
    : { ...styled, style: { ...styled.style, maxWidth: styled.style.maxWidth / factor } };

/** The precision of a font size that is found by trying, in pixels. */
const sizePrecision = 0.5;

/** The text in the largest font size, of those that its style allows, in which it fits into its box. */
export function autoSized<Styled extends StyledText>(styled: Styled, fonts: TextFonts): Styled {
  const { minFontSize, fontSize, maxHeight, maxWidth, wrap } = styled.style;
  if (minFontSize === undefined || (maxHeight === undefined && maxWidth === undefined)) return styled;
  const [boxWidth, boxHeight] = [maxWidth ?? Number.POSITIVE_INFINITY, maxHeight ?? Number.POSITIVE_INFINITY];
  const fitsInLines = (size: number) => layOut(withSize(styled, size), fonts).height <= boxHeight + 0.01;
  const fitsWhole = (size: number) =>
    widthOfUnbroken(withSize(styled, size), fonts) <= boxWidth + 0.01 && fitsInLines(size);
  const smallestSize = Math.min(minFontSize, fontSize);
  const steps = Math.max(0, Math.ceil(Math.log2((fontSize - smallestSize) / sizePrecision)));
  const largestSize = (fits: (size: number) => boolean) =>
    fits(fontSize) ? fontSize : largest(fits, smallestSize, fontSize, steps);
  // below the smallest size, words are broken instead
  const keepsWords = wrap === false || fitsWhole(smallestSize);
  return withSize(styled, largestSize(keepsWords ? fitsWhole : fitsInLines));
}

/** The text in another size, with its spans in proportion. */
function withSize<Styled extends StyledText>(styled: Styled, fontSize: number): Styled {
  const factor = fontSize / styled.style.fontSize;
  const sized = (span: TextSpan) =>
    span.fontSize === undefined ? span : { ...span, fontSize: span.fontSize * factor };
  const spans = styled.spans?.map(sized);
  return { ...styled, style: { ...styled.style, fontSize }, ...(spans && { spans }) };
}

/** The text with the narrowest lines of the same total height: its lines have about the same length. */
export function balanced<Styled extends StyledText>(styled: Styled, fonts: TextFonts): Styled {
  const { maxWidth, maxHeight, wrap } = styled.style;
  if (maxHeight === undefined || maxWidth === undefined || wrap === false) return styled;
  const narrowed = (share: number): Styled => ({
    ...styled,
    style: { ...styled.style, maxWidth: maxWidth * share },
  });
  const { height } = layOut(styled, fonts);
  const low = Math.min(1, widthOfUnbroken(styled, fonts) / maxWidth);
  const isAsLow = (share: number) => layOut(narrowed(share), fonts).height <= height;
  return narrowed(isAsLow(low) ? low : 1 - largest((cut) => isAsLow(1 - cut), 0, 1 - low));
}

/** The width of the widest part of a text in which no line may break. */
function widthOfUnbroken({ text, style, spans }: StyledText, fonts: TextFonts): number {
  if (style.wrap === false) return layOutText(text, style, fonts, spans).width;
  return widestUnbroken(text, style, fonts, spans);
}

const share = { left: 0, center: 0.5, right: 1, top: 0, middle: 0.5, bottom: 1 };

/** The space between a text and the edges of its background. */
export function paddingOf({ background }: Pick<TextStyle, "background">): Point {
  const { padding = 0, paddingX = padding, paddingY = padding } = background ?? {};
  return { x: paddingX, y: paddingY };
}

/** The center of a drawn text in the box given by its style's limits and its background's padding. */
export function centerInBox({ anchor, style, scale = 1 }: TextContent, drawn: Size): Point {
  const { maxHeight = 0, maxWidth = 0, align, verticalAlign = "middle" } = style;
  const padding = paddingOf(style);
  const width = (maxWidth + 2 * padding.x) * scale;
  const height = (maxHeight + 2 * padding.y) * scale;
  const center = anchor.at === "center" ? anchor : { x: anchor.x + width / 2, y: anchor.y + height / 2 };
  return {
    x: center.x + (share[align] - 0.5) * (width - drawn.width),
    y: center.y + (share[verticalAlign] - 0.5) * (height - drawn.height),
  };
}
