import { formatQuantity } from "../shared/issue-messages.ts";
import type { FilmFacts } from "./film-facts.ts";
import { type Check, inBytes, inPixels, inSeconds, within } from "./finding.ts";
import type { RuleName } from "./rule-names.ts";
import type { Rule } from "./rules.ts";

const sizeOf = ({ video: { facts }, canvas }: FilmFacts) => ({
  width: facts.width ?? canvas.width,
  height: facts.height ?? canvas.height,
});

/** Kilobits per second, for the whole file. */
export const bitrateOf = ({ facts, sizeBytes }: FilmFacts["video"]): number =>
  facts.durationSeconds ? (sizeBytes * 8) / 1000 / facts.durationSeconds : 0;

const ratioTolerance = 0.01;

const isNear = (measured: number, allowed: number) => Math.abs(measured / allowed - 1) <= ratioTolerance;

/** True for a film with one of the ratios, such as "9:16". */
export function hasRatio(film: FilmFacts, ratios: readonly string[]): boolean {
  const { width, height } = sizeOf(film);
  return ratios.some((name) => isNear(width / height, ratioOf(name)));
}

const ratio: Check = (film, rule) => {
  const { width, height } = sizeOf(film);
  const measured = width / height;
  const { oneOf, min = 0, max = Number.POSITIVE_INFINITY } = rule;
  const isAllowed = oneOf
    ? hasRatio(film, oneOf)
    : (measured >= min && measured <= max) || isNear(measured, min) || isNear(measured, max);
  const allowed = oneOf ? oneOf.join(" or ") : `${printRange(rule)} times as wide as high`;
  return {
    measured: Number(measured.toFixed(4)),
    message: isAllowed ? undefined : `The frame is ${width} × ${height}: it should be ${allowed}.`,
  };
};

function ratioOf(text: string): number {
  const [across = 1, down = 1] = text.split(":").map(Number);
  return across / down;
}

const printRange = ({ min, max }: Rule): string =>
  min === undefined ? `at most ${max?.toFixed(2)}` : `${min.toFixed(2)} to ${max?.toFixed(2)}`;

/** `min` limits the shorter side, `max` the longer one. */
const resolution: Check = (film, { min = 0, max = Number.POSITIVE_INFINITY }) => {
  const { width, height } = sizeOf(film);
  const shorter = within(Math.min(width, height), { min }, { print: inPixels, what: "The shorter side has" });
  const longer = within(Math.max(width, height), { max }, { print: inPixels, what: "The longer side has" });
  return { ...shorter, message: shorter.message ?? longer.message };
};

const codec: Check = ({ video: { facts } }, { oneOf = [] }) => {
  const { codec: measured } = facts.picture ?? {};
  if (measured === undefined) return undefined;
  const message = oneOf.includes(measured)
    ? undefined
    : `The video is encoded as ${measured}: it should be ${oneOf.join(" or ")}.`;
  return { measured, message };
};

const frameRate: Check = ({ video: { facts } }, rule) => {
  const { frameRate: measured } = facts.picture ?? {};
  const print = (value: number) => formatQuantity(value, "frames a second");
  return measured === undefined ? undefined : within(measured, rule, { print, what: "The video has" });
};

/** True for a picture, which takes no time and has no sound. */
const isPicture = ({ facts }: FilmFacts["video"]): boolean =>
  facts.kind === "image" && facts.durationSeconds === undefined;

/** In LU and dB. */
const levelTolerance = 0.3;

const loudness: Check = ({ video }, rule) => {
  if (isPicture(video)) return undefined;
  if (!video.loudness) return { message: "The video has no sound that can be heard." };
  const print = (value: number) => `${value} LUFS`;
  return within(video.loudness.integrated, rule, {
    ...{ print, digits: 1, tolerance: levelTolerance, what: "The loudness is" },
  });
};

const truePeak: Check = ({ video }, rule) => {
  if (!video.loudness) return undefined;
  const print = (value: number) => `${value} dBTP`;
  return within(video.loudness.truePeak, rule, {
    ...{ print, digits: 1, tolerance: levelTolerance, what: "The highest peak is" },
  });
};

/** Checks of the file's own facts. */
export const fileChecks = {
  ratio,
  resolution,
  length: ({ video }, rule) =>
    isPicture(video)
      ? undefined
      : within(video.facts.durationSeconds ?? 0, rule, { print: inSeconds, what: "The video takes" }),
  ad_length: ({ video: { facts } }, rule) =>
    within(facts.durationSeconds ?? 0, rule, {
      print: inSeconds,
      what: "As an ad only its beginning is played: the video takes",
    }),
  size: ({ video }, rule) => within(video.sizeBytes, rule, { print: inBytes, digits: 0, what: "The file has" }),
  bitrate: ({ video }, rule) =>
    isPicture(video)
      ? undefined
      : within(bitrateOf(video), rule, {
          ...{ print: (value: number) => `${formatQuantity(value)} kbit/s`, digits: 0, what: "The video has" },
        }),
  codec,
  frame_rate: frameRate,
  loudness,
  true_peak: truePeak,
} satisfies Partial<Record<RuleName, Check>>;
