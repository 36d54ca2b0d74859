import { animationSeconds, type Box } from "../../../timeline/overlay.ts";
import { type FrameRate, intersection, toSeconds } from "../../../timeline/time.ts";
import type { WarningDetail } from "./rules.ts";
import type { VisibleText } from "./target-layouts.ts";
import { minAlpha } from "./text-warnings.ts";

type Overlap = {
  readonly text: VisibleText;
  readonly other: VisibleText;
  readonly width: number;
  readonly height: number;
};

/** Texts that are drawn over each other while both are seen, each pair once, at the longer text. */
export function overlappingTexts({
  texts,
  rate,
}: {
  readonly texts: readonly VisibleText[];
  readonly rate: FrameRate;
}): readonly WarningDetail[] {
  const words = texts.filter(isRead);
  const overlaps = words.flatMap((one, at) => words.slice(at + 1).flatMap((two) => overlapOf(one, two, rate) ?? []));
  return [...Map.groupBy(overlaps, ({ text }) => text.path)].map(([path, found]) => {
    const named = found.slice(0, maxNamed).map(({ other, width, height }) => {
      const quoted = [...other.content.text.replaceAll(/\s+/g, " ")].slice(0, maxQuoted).join("");
      return `${JSON.stringify(quoted)} by ${Math.ceil(width)} × ${Math.ceil(height)} pixels`;
    });
    const more = found.length > named.length ? `, and into ${found.length - named.length} more` : "";
    const message = `The text runs into ${named.join(", ")}${more}: shorten it, set a smaller fontSize, or move one of them.`;
    return { path, message };
  });
}

const maxNamed = 3;
const maxQuoted = 40;

/** Faint texts and signs without letters decorate, and the box around turned ones is larger than they are. */
const isRead = ({ ink, overlay, content: { text, style } }: VisibleText): boolean =>
  ink !== undefined &&
  overlay.rotationDegrees % 90 === 0 &&
  overlay.opacity * style.fontColor.alpha >= minAlpha &&
  /[\p{L}\p{N}]/u.test(text);

/** Ascenders and descenders of lines that lie close meet by less than this share of the font size. */
const minShare = 0.15;

/** Words on a text that is so much larger lie there on purpose. */
const groundRatio = 3;

function overlapOf(one: VisibleText, two: VisibleText, rate: FrameRate): Overlap | undefined {
  // equal texts in one place are a shadow or an outline
  if (one.content.text === two.content.text) return undefined;
  const together = intersection(one.overlay.range, two.overlay.range);
  // one text may fade in while the other one fades out
  if (!together || toSeconds(together.end - together.start, rate) <= animationSeconds) return undefined;
  const [small = 0, large = 0] = [one, two].map(({ content }) => sizeOf(content)).sort((a, b) => a - b);
  const { width, height } = common(inkOf(one), inkOf(two));
  if (large >= groundRatio * small || Math.min(width, height) < minShare * small) return undefined;
  const isLonger = one.content.text.length >= two.content.text.length;
  return { text: isLonger ? one : two, other: isLonger ? two : one, width, height };
}

const sizeOf = ({ style, scale = 1 }: VisibleText["content"]): number => style.fontSize * scale;

/** Where the text is drawn: `within` its box, in another frame. */
function inkOf({ ink, overlay: { within } }: VisibleText): Box {
  const drawn = ink!; // safe because only texts that are drawn are compared
  if (!within) return drawn;
  const scale = Math.min(1, within.width / drawn.width, within.height / drawn.height);
  const [width, height] = [drawn.width * scale, drawn.height * scale];
  const clamp = (at: number, from: number, room: number) => Math.max(from, Math.min(at, from + room));
  return {
    x: clamp(drawn.x + (drawn.width - width) / 2, within.x, within.width - width),
    y: clamp(drawn.y + (drawn.height - height) / 2, within.y, within.height - height),
    width,
    height,
  };
}

const common = (a: Box, b: Box) => ({
  width: Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x),
  height: Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y),
});
