import type { Box } from "../../engine/timeline/overlay.ts";
import { isFullScreen } from "../../engine/timeline/safe-zone.ts";
import type { Canvas } from "../../engine/timeline/timeline.ts";
import { sum } from "../../platform/values.ts";
import { formatQuantity } from "../shared/issue-messages.ts";
import { type Check, inPercent, inPixels, inSeconds, naming, within } from "./finding.ts";
import type { RuleName } from "./rule-names.ts";
import type { Margins } from "./rules.ts";

const zoneOf = ({ width, height }: Canvas, { top, bottom, left, right }: Margins): Box => ({
  x: width * left,
  y: height * top,
  width: width * (1 - left - right),
  height: height * (1 - top - bottom),
});

/** Other frames appear between the buttons of the apps. */
const besideButtons: Margins = { top: 0.05, bottom: 0.05, left: 0.05, right: 0.05 };

/** In pixels: boxes of letters are rounded up. */
const tolerance = 2;

const safeZone: Check = ({ canvas, texts, captions }, { margins }) => {
  const boxes = [...texts, ...(captions?.pages ?? [])];
  if (!margins || boxes.length === 0) return undefined;
  const zone = zoneOf(canvas, isFullScreen(canvas) ? margins : besideButtons);
  const excess = ({ x, y, width, height }: Box) =>
    Math.max(zone.x - x, zone.y - y, x + width - zone.x - zone.width, y + height - zone.y - zone.height);
  const out = boxes.filter(({ box }) => excess(box) > tolerance);
  if (out.length === 0) return { measured: 0 };
  const measured = Math.ceil(Math.max(...out.map(({ box }) => excess(box))));
  const message = `${naming(out)} lies where the app shows its own buttons and texts, by up to ${inPixels(measured)}.`;
  return { measured, message, at: out.map(({ start, end }) => ({ start, end })) };
};

/** Texts that are visible together; overlapping areas count twice. */
const textShare: Check = ({ texts, canvas }, rule) => {
  if (texts.length === 0) return undefined;
  const visible = ({ x, y, width, height }: Box) =>
    Math.max(0, Math.min(canvas.width, x + width) - Math.max(0, x)) *
    Math.max(0, Math.min(canvas.height, y + height) - Math.max(0, y));
  const shares = texts.map(({ start }) => {
    const shown = texts.filter((other) => other.start <= start && other.end > start);
    return { start, share: sum(shown.map(({ box }) => visible(box))) / (canvas.width * canvas.height) };
  });
  const most = shares.reduce((one, other) => (other.share > one.share ? other : one));
  const found = within(Math.min(1, most.share), rule, {
    ...{ print: inPercent, digits: 3, what: `At ${inSeconds(most.start)}, texts take` },
  });
  return { ...found, ...(found.message && { at: [{ start: most.start, end: most.start }] }) };
};

const captionSpeed: Check = ({ captions }, { max }) => {
  if (!captions) return undefined;
  const { tooFast } = captions;
  const [first] = tooFast;
  if (first === undefined) return { measured: 0 };
  const message = `More than ${max} characters a second are shown in ${formatQuantity(tooFast.length, "captions")}, the first at ${inSeconds(first)}.`;
  return { measured: tooFast.length, message, at: tooFast.map((start) => ({ start, end: start })) };
};

const maxCaptionLines = 2;

const captionLength: Check = ({ captions }, rule) => {
  if (!captions) return undefined;
  const found = within(captions.longestLine, rule, {
    print: (value) => formatQuantity(value, "characters"),
    what: "The longest line of the captions has",
  });
  const tooMany =
    captions.mostLines > maxCaptionLines
      ? `Captions have up to ${captions.mostLines} lines: at most ${maxCaptionLines} are asked for.`
      : undefined;
  return { ...found, message: found.message ?? tooMany };
};

/** The height of capital letters in most fonts, as a share of the font size. */
const capitals = 0.7;

const legalHeight: Check = (film, rule, { legal = [] }) => {
  if (legal.length === 0) return undefined;
  const side = Math.min(film.canvas.width, film.canvas.height);
  const heights = legal.map((line) => {
    const height = Math.max(
      0,
      ...(film.legal.get(line.text) ?? []).map(({ fontSize }) => (fontSize * capitals) / side),
    );
    return { line, height, asked: line.minHeight ?? rule.min ?? 0 };
  });
  const low = heights.find(({ height, asked }) => height < asked - 0.0005);
  const measured = Number(Math.min(...heights.map(({ height }) => height)).toFixed(4));
  if (!low) return { measured };
  const what = JSON.stringify(low.line.text);
  const message =
    low.height === 0
      ? `No text shows ${what}.`
      : `${what} has capitals of ${inPixels(low.height * side)}: at least ${inPixels(Math.ceil(low.asked * side))} are asked for.`;
  return { measured, message };
};

/** The time to find and read a text. */
function readingSeconds(text: string): number {
  const words = text.split(/\s+/).length;
  return 0.2 * words + (words < 10 ? 2 : 3);
}

const legalSeconds: Check = (film, _, { legal = [] }) => {
  if (legal.length === 0) return undefined;
  const times = legal.map((line) => {
    const seconds = Math.max(0, ...(film.legal.get(line.text) ?? []).map(({ start, end }) => end - start));
    return { line, seconds, asked: line.minSeconds ?? readingSeconds(line.text) };
  });
  const short = times.find(({ seconds, asked }) => seconds < asked - 0.02);
  const measured = Number(Math.min(...times.map(({ seconds }) => seconds)).toFixed(2));
  const message =
    short &&
    `${JSON.stringify(short.line.text)} is shown for ${inSeconds(short.seconds)}: at least ${inSeconds(short.asked)} are asked for.`;
  return { measured, message };
};

/** In seconds: a label may appear after the transition to its subject. */
const lateBy = 0.5;

const disclosure: Check = ({ generatedFrom, label, video: { facts } }, { min = 0 }) => {
  if (generatedFrom === undefined) return undefined;
  if (!label) {
    return {
      message: "A part of the video was generated by AI, and nothing in the picture says so: see options.disclosure.",
    };
  }
  const { start, end } = label;
  const asked = Math.min(min, (facts.durationSeconds ?? min) - start);
  const found = within(
    end - start,
    { min: asked },
    { print: inSeconds, tolerance: 0.02, what: "The label of AI is shown for" },
  );
  const late =
    start > generatedFrom + lateBy
      ? `The label of AI begins at ${inSeconds(start)}, and what AI has generated at ${inSeconds(generatedFrom)}.`
      : undefined;
  return { ...found, message: late ?? found.message };
};

/** Checks of the request's overlays and captions. */
export const textChecks = {
  safe_zone: safeZone,
  text_share: textShare,
  caption_speed: captionSpeed,
  caption_length: captionLength,
  legal_height: legalHeight,
  legal_seconds: legalSeconds,
  disclosure,
} satisfies Partial<Record<RuleName, Check>>;
