import type { Box } from "../../timeline/overlay.ts";
import { isFullScreen } from "../../timeline/safe-zone.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import { formatQuantity } from "../shared/issue-messages.ts";
import type { FilmFacts, ShownText } from "./film-facts.ts";
import type { Stretch } from "./measured.ts";
import { hasPhrase, normalized } from "./phrases.ts";
import type { Platform } from "./platforms.ts";
import type { PlatformReport, RuleResult } from "./report.ts";
import type { RuleName } from "./rule-names.ts";
import { type Margins, type Rule, rules } from "./rules.ts";
import type { GateRules } from "./schema.ts";

/** What a rule has found; without a message, nothing is wrong. */
type Finding = {
  readonly message?: string | undefined;
  readonly measured?: number | string;
  readonly at?: readonly Stretch[];
};

/** Undefined if there is nothing that the rule could look at. */
type Check = (film: FilmFacts, rule: Rule, own: GateRules) => Finding | undefined;

const yearMs = 365 * 86_400_000;

/** One video against the rules of a platform. */
export function checkFor(
  platform: Platform,
  film: FilmFacts,
  { own, now }: { readonly own: GateRules; readonly now: number },
): Pick<PlatformReport, "platform" | "ok" | "rules"> {
  const ignored = new Set(own.ignore);
  const results = rules
    .filter((rule) => (rule.platform ?? platform) === platform && !ignored.has(rule.rule))
    .map((rule): RuleResult => {
      const { platform: _, level, asOf, source, rule: name, ...limit } = rule;
      const isOld = now - Date.parse(asOf) > yearMs;
      const found = checks[name](film, rule, own);
      if (!found) return { rule: name, status: "skipped", ...limit, asOf, isOld, source };
      const { message, ...measured } = found;
      const status = message === undefined ? "pass" : level === "must" ? "fail" : "warn";
      return { rule: name, status, ...(message && { message }), ...measured, ...limit, asOf, isOld, source };
    });
  return { platform, ok: results.every(({ status }) => status !== "fail"), rules: results };
}

const ratioTolerance = 0.01;

function ratioOf(text: string): number {
  const [across = 1, down = 1] = text.split(":").map(Number);
  return across / down;
}

/** Of what was measured, and what a limit allows; undefined if it is inside of it. */
function outside(measured: number, { min, max }: Rule, print: (value: number) => string): string | undefined {
  if (min !== undefined && measured < min) return `at least ${print(min)} is asked for`;
  return max !== undefined && measured > max ? `at most ${print(max)} is allowed` : undefined;
}

type NumberOptions = { readonly print: (value: number) => string; readonly digits?: number; readonly what: string };

/** A number within limits. */
function within(measured: number, rule: Rule, { print, digits = 2, what }: NumberOptions): Finding {
  const rounded = Number(measured.toFixed(digits));
  const problem = outside(rounded, rule, print);
  return { measured: rounded, message: problem && `${what} ${print(rounded)}: ${problem}.` };
}

const inSeconds = (value: number) => formatQuantity(Number(value.toFixed(2)), "seconds");
const inBytes = (value: number) => `${formatQuantity(Number((value / 1_000_000).toFixed(3)))} MB`;
const inPixels = (value: number) => formatQuantity(Math.round(value), "pixels");
const inPercent = (value: number) => `${formatQuantity(Number((value * 100).toFixed(1)))} %`;

const sizeOf = ({ video: { facts }, canvas }: FilmFacts): Canvas => ({
  width: facts.width ?? canvas.width,
  height: facts.height ?? canvas.height,
});

const secondsOf = ({ video: { facts } }: FilmFacts): number => facts.durationSeconds ?? 0;

export const bitrateOf = ({ facts, sizeBytes }: FilmFacts["video"]): number =>
  facts.durationSeconds ? (sizeBytes * 8) / 1000 / facts.durationSeconds : 0;

function ratio(film: FilmFacts, rule: Rule): Finding {
  const { width, height } = sizeOf(film);
  const measured = width / height;
  const { oneOf, min = 0, max = Number.POSITIVE_INFINITY } = rule;
  const near = (allowed: number) => Math.abs(measured / allowed - 1) <= ratioTolerance;
  const isAllowed = oneOf
    ? oneOf.some((name) => near(ratioOf(name)))
    : (measured >= min && measured <= max) || near(min) || near(max);
  const allowed = oneOf ? oneOf.join(", ") : `a width of ${printRange(rule)} times the height`;
  return {
    measured: Number(measured.toFixed(4)),
    message: isAllowed ? undefined : `The frame is ${width} × ${height}: it should be ${allowed}.`,
  };
}

const printRange = ({ min, max }: Rule): string =>
  min === undefined ? `at most ${max?.toFixed(2)}` : `${min.toFixed(2)} to ${max?.toFixed(2)}`;

function resolution(film: FilmFacts, rule: Rule): Finding {
  const { width, height } = sizeOf(film);
  const { max = Number.POSITIVE_INFINITY, ...lower } = rule;
  const shorter = within(Math.min(width, height), lower, { print: inPixels, what: "The shorter side has" });
  const message =
    Math.max(width, height) > max
      ? `The longer side has ${inPixels(Math.max(width, height))}: at most ${inPixels(max)} are allowed.`
      : undefined;
  return { ...shorter, message: shorter.message ?? message };
}

function codec({ video: { facts } }: FilmFacts, { oneOf = [] }: Rule): Finding | undefined {
  const { codec: measured } = facts.picture ?? {};
  if (measured === undefined) return undefined;
  const message = oneOf.includes(measured)
    ? undefined
    : `The video is encoded as ${measured}: it should be ${oneOf.join(" or ")}.`;
  return { measured, message };
}

/** In LU and dB: what encoders add to a level that was met before. */
const levelTolerance = 0.3;

function loudness({ video }: FilmFacts, rule: Rule): Finding {
  if (!video.loudness) return { message: "The video has no sound that can be heard." };
  const { integrated } = video.loudness;
  const print = (value: number) => `${value} LUFS`;
  const found = within(integrated, widened(rule), { print, digits: 1, what: "The loudness is" });
  return {
    ...found,
    message:
      found.message &&
      `The loudness is ${print(Number(integrated.toFixed(1)))}: it should be between ${rule.min} and ${rule.max} LUFS.`,
  };
}

const widened = (rule: Rule): Rule => ({
  ...rule,
  ...(rule.min !== undefined && { min: rule.min - levelTolerance }),
  ...(rule.max !== undefined && { max: rule.max + levelTolerance }),
});

function truePeak({ video: { loudness: levels } }: FilmFacts, rule: Rule): Finding | undefined {
  if (!levels) return undefined;
  const measured = Number(levels.truePeak.toFixed(1));
  const message =
    measured > rule.max! + levelTolerance
      ? `The highest peak is ${measured} dBTP: at most ${rule.max} is asked for.`
      : undefined;
  return { measured, message };
}

const zoneOf = ({ width, height }: Canvas, { top, bottom, left, right }: Margins): Box => ({
  x: width * left,
  y: height * top,
  width: width * (1 - left - right),
  height: height * (1 - top - bottom),
});

/** Other frames lie between the buttons of the apps. */
const besideButtons: Margins = { top: 0.05, bottom: 0.05, left: 0.05, right: 0.05 };

/** In pixels: boxes of letters are rounded up. */
const tolerance = 2;

function safeZone({ canvas, texts, captions }: FilmFacts, { margins }: Rule): Finding | undefined {
  const boxes = [
    ...texts.map(({ path, ink: box, start, end }) => ({ path, box, at: [{ start, end }] })),
    ...(captions ? [{ path: "captions", box: captions.box, at: [] }] : []),
  ];
  if (!margins || boxes.length === 0) return undefined;
  const zone = zoneOf(canvas, isFullScreen(canvas) ? margins : besideButtons);
  const excess = ({ x, y, width, height }: Box) =>
    Math.max(zone.x - x, zone.y - y, x + width - zone.x - zone.width, y + height - zone.y - zone.height);
  const out = boxes.filter(({ box }) => excess(box) > tolerance);
  const [first] = out;
  if (!first) return { measured: 0 };
  const more = out.length > 1 ? ` and ${out.length - 1} more` : "";
  const measured = Math.ceil(Math.max(...out.map(({ box }) => excess(box))));
  const message = `${first.path}${more} lies where the app shows its own buttons and texts, by up to ${inPixels(measured)}.`;
  return { measured, message, at: out.flatMap(({ at }) => at) };
}

/** Of the texts that are shown at once; where boxes overlap, it counts twice. */
function textShare(film: FilmFacts, rule: Rule): Finding | undefined {
  const { texts, canvas } = film;
  if (texts.length === 0) return undefined;
  const visible = ({ x, y, width, height }: Box) =>
    Math.max(0, Math.min(canvas.width, x + width) - Math.max(0, x)) *
    Math.max(0, Math.min(canvas.height, y + height) - Math.max(0, y));
  const shares = texts.map(({ start }) => {
    const shown = texts.filter((other) => other.start <= start && other.end > start);
    return { start, share: shown.reduce((sum, { ink }) => sum + visible(ink), 0) / (canvas.width * canvas.height) };
  });
  const most = shares.reduce((one, other) => (other.share > one.share ? other : one));
  const found = within(Math.min(1, most.share), rule, {
    print: inPercent,
    digits: 3,
    what: `At ${inSeconds(most.start)}, texts take`,
  });
  return { ...found, ...(found.message && { at: [{ start: most.start, end: most.start }] }) };
}

function captionSpeed({ captions }: FilmFacts, { max }: Rule): Finding | undefined {
  if (!captions) return undefined;
  const { tooFast } = captions;
  const [first] = tooFast;
  if (first === undefined) return { measured: 0 };
  const message = `${formatQuantity(tooFast.length, "captions")}, the first at ${inSeconds(first)}, show more than ${max} characters a second.`;
  return { measured: tooFast.length, message, at: tooFast.map((start) => ({ start, end: start })) };
}

const maxCaptionLines = 2;

function captionLength({ captions }: FilmFacts, rule: Rule): Finding | undefined {
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
}

/** Shorter moments are transitions. */
const lowShare = 0.25;

function contrast({ texts, video }: FilmFacts, { min = 3 }: Rule): Finding | undefined {
  const measured = texts.flatMap((text, index) => {
    const ground = video.grounds[index];
    if (text.ownContrast !== undefined) return [{ text, contrast: text.ownContrast, isLow: text.ownContrast < min }];
    return ground ? [{ text, contrast: ground.contrast, isLow: ground.lowShare > lowShare }] : [];
  });
  if (measured.length === 0) return undefined;
  const low = measured.filter(({ isLow }) => isLow);
  const lowest = Number(Math.min(...(low.length > 0 ? low : measured).map((one) => one.contrast)).toFixed(2));
  const [first] = low;
  if (!first) return { measured: lowest };
  const more = low.length > 1 ? ` and ${low.length - 1} more` : "";
  const message = `${first.text.path}${more} is hard to read: its contrast to what is behind it is ${lowest} to 1, and falls below ${min} to 1.`;
  return { measured: lowest, message, at: low.map(({ text: { start, end } }) => ({ start, end })) };
}

const flashes =
  (kind: "flashes" | "redFlashes"): Check =>
  ({ video }, { max = 3 }) => {
    const { perSecond: measured, at } = video[kind];
    if (measured <= max) return { measured };
    const name = kind === "flashes" ? "flashes" : "flashes of red";
    const message = `The picture ${name === "flashes" ? "flashes" : "flashes red"} ${measured} times in one second: more than ${max} ${name} can cause seizures.`;
    return { measured, message, ...(at !== undefined && { at: [{ start: at, end: at + 1 }] }) };
  };

const stretches =
  (kind: "black" | "frozen"): Check =>
  ({ video }, { max = 0 }) => {
    const lengths = video[kind].map(({ start, end }) => end - start);
    const measured = Number(Math.max(0, ...lengths).toFixed(2));
    const at = video[kind].filter(({ start, end }) => end - start > max);
    if (at.length === 0) return { measured };
    const what = kind === "black" ? "The picture is black" : "The picture does not move";
    return {
      measured,
      at,
      message: `${what} for ${inSeconds(measured)} from ${inSeconds(at[0]!.start)} on: at most ${inSeconds(max)} is asked for.`,
    };
  };

function palette({ offColors }: FilmFacts): Finding | undefined {
  if (!offColors) return undefined;
  const [first] = offColors;
  if (!first) return { measured: 0 };
  const more = offColors.length > 1 ? ` (and ${offColors.length - 1} more)` : "";
  return {
    measured: offColors.length,
    message: `${first.path} is ${first.color}, which is none of the palette's colors${more}.`,
  };
}

function logoSpace({ logos, images, texts }: FilmFacts, rule: Rule, { logo }: GateRules): Finding | undefined {
  if (!logos) return undefined;
  const share = logo?.space ?? rule.min ?? 0;
  if (logos.length === 0) return { message: "The logo is not shown." };
  const others = [...texts.map(({ ink: box, ...text }) => ({ ...text, box })), ...images];
  for (const { box, start, end, path } of logos) {
    const space = share * Math.min(box.width, box.height);
    const zone: Box = {
      x: box.x - space,
      y: box.y - space,
      width: box.width + 2 * space,
      height: box.height + 2 * space,
    };
    const near = others.find(
      (other) => other.path !== path && other.start < end && other.end > start && overlaps(zone, other.box),
    );
    if (near)
      return {
        message: `${near.path} comes closer to the logo than ${inPixels(space)}.`,
        at: [{ start: Math.max(start, near.start), end: Math.min(end, near.end) }],
      };
  }
  return {};
}

const overlaps = (one: Box, other: Box): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

const listed = (phrases: readonly string[]): string => phrases.map((phrase) => JSON.stringify(phrase)).join(", ");

function mustSay({ words }: FilmFacts, _: Rule, { mustSay: phrases = [] }: GateRules): Finding | undefined {
  if (phrases.length === 0) return undefined;
  const missing = phrases.filter((phrase) => !hasPhrase(words, normalized(phrase)));
  return {
    measured: missing.length,
    message: missing.length > 0 ? `The video neither shows nor says ${listed(missing)}.` : undefined,
  };
}

function mustNotSay({ words }: FilmFacts, _: Rule, { mustNotSay: phrases = [] }: GateRules): Finding | undefined {
  if (phrases.length === 0) return undefined;
  const said = phrases.filter((phrase) => hasPhrase(words, normalized(phrase)));
  return { measured: said.length, message: said.length > 0 ? `The video shows or says ${listed(said)}.` : undefined };
}

type LegalLine = NonNullable<GateRules["legal"]>[number];

/** Capital letters are so high in most fonts, as a share of the font size. */
const capitals = 0.7;

const showing = ({ texts, canvas }: FilmFacts, { text }: LegalLine): readonly ShownText[] =>
  texts.filter(
    ({ text: shown, ink }) =>
      overlaps({ x: 0, y: 0, ...canvas }, ink) && hasPhrase(normalized(shown), normalized(text)),
  );

const legalHeight: Check = (film, rule, { legal = [] }) => {
  if (legal.length === 0) return undefined;
  const side = Math.min(film.canvas.width, film.canvas.height);
  const heights = legal.map((line) => {
    const height = Math.max(0, ...showing(film, line).map(({ fontSize }) => (fontSize * capitals) / side));
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

/** Long enough to be found and read. */
function readingSeconds(text: string): number {
  const words = text.split(/\s+/).length;
  return 0.2 * words + (words < 10 ? 2 : 3);
}

const legalSeconds: Check = (film, _, { legal = [] }) => {
  if (legal.length === 0) return undefined;
  const times = legal.map((line) => {
    const seconds = Math.max(0, ...showing(film, line).map(({ start, end }) => end - start));
    return { line, seconds, asked: line.minSeconds ?? readingSeconds(line.text) };
  });
  const short = times.find(({ seconds, asked }) => seconds < asked - 0.02);
  const measured = Number(Math.min(...times.map(({ seconds }) => seconds)).toFixed(2));
  const message =
    short &&
    `${JSON.stringify(short.line.text)} is shown for ${inSeconds(short.seconds)}: at least ${inSeconds(short.asked)} are asked for.`;
  return { measured, message };
};

function disclosure({ hasGeneratedParts, isDisclosed }: FilmFacts): Finding | undefined {
  if (!hasGeneratedParts) return undefined;
  return {
    message: isDisclosed
      ? undefined
      : "A part of the video was generated by AI, and nothing in the picture says so: see options.disclosure.",
  };
}

const checks: Readonly<Record<RuleName, Check>> = {
  ratio,
  resolution,
  length: (film, rule) => within(secondsOf(film), rule, { print: inSeconds, what: "The video takes" }),
  size: ({ video }, rule) => within(video.sizeBytes, rule, { print: inBytes, digits: 0, what: "The file has" }),
  bitrate: ({ video }, rule) =>
    within(bitrateOf(video), rule, {
      print: (value) => `${formatQuantity(value)} kbit/s`,
      digits: 0,
      what: "The video has",
    }),
  codec,
  frame_rate: ({ video: { facts } }, rule) =>
    facts.picture?.frameRate === undefined
      ? undefined
      : within(facts.picture.frameRate, rule, {
          print: (value) => formatQuantity(value, "frames a second"),
          what: "The video has",
        }),
  loudness,
  true_peak: truePeak,
  safe_zone: safeZone,
  text_share: textShare,
  caption_speed: captionSpeed,
  caption_length: captionLength,
  contrast,
  flashes: flashes("flashes"),
  red_flashes: flashes("redFlashes"),
  black: stretches("black"),
  frozen: stretches("frozen"),
  palette,
  logo_space: logoSpace,
  must_say: mustSay,
  must_not_say: mustNotSay,
  legal_height: legalHeight,
  legal_seconds: legalSeconds,
  disclosure,
};
