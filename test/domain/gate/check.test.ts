import { expect, test } from "bun:test";
import fc from "fast-check";
import { checkFor } from "../../../src/domain/gate/check.ts";
import type { FilmFacts } from "../../../src/domain/gate/film-facts.ts";
import { hasPhrase, normalized } from "../../../src/domain/gate/phrases.ts";
import { type Platform, platforms } from "../../../src/domain/gate/platforms.ts";
import { ruleNames } from "../../../src/domain/gate/rule-names.ts";
import { rules, uses } from "../../../src/domain/gate/rules.ts";

const picture = { codec: "avc", hasAlpha: false, matrix: "bt709", fullRange: false, transfer: "sdr" } as const;
const file = { kind: "video", container: "mp4", mimeType: "video/mp4", extension: "mp4" } as const;

const film: FilmFacts = {
  canvas: { width: 1080, height: 1920 },
  video: {
    facts: { ...file, width: 1080, height: 1920, durationSeconds: 20, picture, hasSound: true },
    sizeBytes: 10_000_000,
    loudness: { integrated: -14.1, truePeak: -1.1 },
    flashes: { perSecond: 0 },
    redFlashes: { perSecond: 0 },
    black: [],
    frozen: [],
    grounds: [],
  },
  texts: [],
  images: [],
  said: new Set(),
  isSearchedWhole: true,
  legal: new Map(),
};

const now = Date.parse("2026-11-23");
const statusOf = (platform: Platform, rule: string, changed: FilmFacts) =>
  checkFor(platform, changed, { own: {}, now }).rules.find((one) => one.rule === rule)?.status;

test("each rule has rows with a date and a source, and is known on each platform that it names", () => {
  expect(new Set(rules.map(({ rule }) => rule))).toEqual(new Set(ruleNames));
  for (const { asOf, source } of rules) {
    expect(asOf).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(source.title).not.toBe("");
  }
  for (const platform of platforms) {
    for (const use of uses) {
      for (const shape of ["9:16", "1:1", "16:9", "4:5"]) {
        const names = checkFor(platform, shaped(shape), { own: { use }, now }).rules.map(({ rule }) => rule);
        expect(names).toEqual([...new Set(names)]);
      }
    }
  }
});

/** The film in another ratio, with a shorter side of so many pixels. */
function shaped(ratio: string, shorter = 1080): FilmFacts {
  const [across = 1, down = 1] = ratio.split(":").map(Number);
  const unit = shorter / Math.min(across, down);
  return {
    ...film,
    video: { ...film.video, facts: { ...film.video.facts, width: across * unit, height: down * unit } },
  };
}

test("limits differ by the use of a video, which is an ad by default", () => {
  const lasting = (durationSeconds: number) => ({
    ...film,
    video: { ...film.video, facts: { ...film.video.facts, durationSeconds } },
  });
  const lengths = (platform: Platform, seconds: number, rule = "length") =>
    [undefined, ...uses].map((use) => {
      const { rules: found } = checkFor(platform, lasting(seconds), { own: { ...(use && { use }) }, now });
      return found.find((one) => one.rule === rule)?.status;
    });
  expect(lengths("tiktok", 3)).toEqual(["pass", "pass", "fail", undefined]);
  expect(lengths("tiktok", 61)).toEqual(["pass", "pass", "fail", undefined]);
  expect(lengths("tiktok", 601)).toEqual(["fail", "fail", "fail", undefined]);
  expect(lengths("shorts", 61)).toEqual(["pass", "pass", "pass", "pass"]);
  expect(lengths("shorts", 61, "ad_length")).toEqual(["warn", "warn", undefined, undefined]);
  expect(lengths("shorts", 181)).toEqual(["fail", "fail", "fail", "fail"]);
});

test("the sides that TikTok asks for depend on the ratio", () => {
  const statuses = [
    ["9:16", 540],
    ["16:9", 540],
    ["1:1", 639],
    ["1:1", 640],
    ["9:16", 539],
  ].map(([ratio, shorter]) => statusOf("tiktok", "resolution", shaped(ratio as string, shorter as number)));
  expect(statuses).toEqual(["pass", "pass", "fail", "pass", "fail"]);
});

test("a rule older than a year says so", () => {
  const isOld = (at: string) =>
    checkFor("tiktok", film, { own: {}, now: Date.parse(at) }).rules.find(({ rule }) => rule === "length")!.isOld;
  expect([isOld("2027-05-01"), isOld("2027-07-01")]).toEqual([false, true]);
});

test("captions with a long line or many lines are found", () => {
  const captions = { tooFast: [], longestLine: 42, mostLines: 2, pages: [] };
  const withCaptions = (changed: object): FilmFacts => ({ ...film, captions: { ...captions, ...changed } });
  const found = [{}, { longestLine: 43 }, { mostLines: 3 }].map((changed) =>
    statusOf("tiktok", "caption_length", withCaptions(changed)),
  );
  expect(found).toEqual(["pass", "warn", "warn"]);
  expect(statusOf("tiktok", "caption_length", film)).toBe("skipped");
});

test("other codecs and too high peaks, which this service does not make, would be found", () => {
  const { video } = film;
  const hevc = { ...film, video: { ...video, facts: { ...video.facts, picture: { ...picture, codec: "hevc" } } } };
  expect(statusOf("linkedin", "codec", hevc)).toBe("fail");
  expect(statusOf("youtube", "codec", hevc)).toBe("warn");
  expect(statusOf("youtube", "codec", film)).toBe("pass");
  const loud = { ...film, video: { ...video, loudness: { integrated: -8, truePeak: 0.4 } } };
  expect([statusOf("tiktok", "loudness", loud), statusOf("tiktok", "true_peak", loud)]).toEqual(["warn", "warn"]);
  expect([statusOf("tiktok", "loudness", film), statusOf("tiktok", "true_peak", film)]).toEqual(["pass", "pass"]);
  const long = {
    ...film,
    video: { ...video, facts: { ...video.facts, durationSeconds: 181 }, sizeBytes: 600_000_000 },
  };
  const statuses = (names: readonly Platform[], rule: string) => names.map((name) => statusOf(name, rule, long));
  expect(statuses(["tiktok", "shorts", "reels"], "length")).toEqual(["pass", "fail", "pass"]);
  expect(statuses(["tiktok", "linkedin", "youtube"], "size")).toEqual(["fail", "fail", "pass"]);
});

test.each([
  ["Buy the BEST shoes", "best", true],
  ["Buy the bestseller", "best", false],
  ["20 % off", "20 % off", true],
  ["最好的鞋子", "最好", true],
  ["a  line\nbreak", "line break", true],
  ["ﬁne print", "fine", true],
  ["Größe: XL", "größe", true],
  ["Außer", "ass", false],
  ["the be\u00adst\u200b one", "best", true],
])("%p has the words %p: %p", (text, phrase, has) => {
  expect(hasPhrase(normalized(text), normalized(phrase))).toBe(has);
});

test.each([
  ["👩a", "a", true],
  ["𝐱a", "a", false],
  ["a👍", "a", true],
  ["日本a", "a", true],
  ["", "", false],
  ["anything", "\u200b", false],
])("beside characters of any size, %p has the words %p: %p", (text, phrase, has) => {
  expect(hasPhrase(normalized(text), normalized(phrase))).toBe(has);
});

test("a phrase is found as it is by a search of each place", () => {
  const letters = fc.constantFrom("a", "b", " ", "é", "👍", "𝐱", "日", "\u0301", "-", "1");
  const text = (maxLength: number) => fc.array(letters, { maxLength }).map((all) => normalized(all.join("")));
  const isWord = (character = "") => /[\p{L}\p{N}\p{M}]/u.test(character);
  const isEdge = (one = "", other = "") => !isWord(one) || !isWord(other) || /[日]/u.test(one + other);
  fc.assert(
    fc.property(text(12), text(3), (whole, phrase) => {
      const [all, own] = [[...whole], [...phrase]];
      const isAt = (at: number) =>
        own.every((character, index) => all[at + index] === character) &&
        isEdge(all[at - 1], own[0]) &&
        isEdge(all[at + own.length], own.at(-1));
      expect(hasPhrase(whole, phrase)).toBe(own.length > 0 && all.some((_, at) => isAt(at)));
    }),
  );
});

test("a label of AI that comes late or ends at once does not count", () => {
  const label = (start: number, end: number) => {
    const one = { path: "options.disclosure", text: "AI", fontSize: 30, start, end };
    return { ...one, box: { x: 100, y: 300, width: 200, height: 40 } };
  };
  const status = (generatedFrom: number, start: number, end: number) =>
    statusOf("reels", "disclosure", { ...film, generatedFrom, label: label(start, end) });
  expect([status(0, 0, 6), status(5, 5, 8), status(18.5, 18.5, 20)]).toEqual(["pass", "pass", "pass"]);
  expect([status(0, 0, 1 / 30), status(0, 5, 11)]).toEqual(["fail", "fail"]);
  expect(statusOf("reels", "disclosure", { ...film, generatedFrom: 3 })).toBe("fail");
});

test("a message names the length of the stretch whose beginning it names", () => {
  const black = [
    { start: 1, end: 4 },
    { start: 8, end: 18 },
  ];
  const { rules: found } = checkFor("reels", { ...film, video: { ...film.video, black } }, { own: {}, now });
  const { measured, message } = found.find(({ rule }) => rule === "black")!;
  expect(measured).toBe(10);
  expect(message).toBe("The picture is black for 3 seconds from 1 second on: at most 2 seconds is asked for.");
});
