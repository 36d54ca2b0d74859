import type { Platform } from "./platforms.ts";
import type { RuleName } from "./rule-names.ts";

export type RuleSource = { readonly title: string; readonly url?: string };

/** Fractions of a frame's sides. */
export type Margins = { readonly top: number; readonly bottom: number; readonly left: number; readonly right: number };

/** The limits of a rule. Their unit follows from the rule: seconds, bytes, kilobits per second, LUFS, shares … */
export type Limit = {
  readonly min?: number;
  readonly max?: number;
  readonly oneOf?: readonly string[];
  readonly margins?: Margins;
};

/** The use of a video: platforms have different limits for ads, reserved ads, and posts. */
export const uses = ["ad", "reservation", "post"] as const;
export type Use = (typeof uses)[number];

/** One rule as data: its limits, its platform, its source, and its date. */
export type Rule = Limit & {
  readonly rule: RuleName;
  /** Every platform if absent. */
  readonly platform?: Platform;
  /** Every use if absent. */
  readonly use?: Use;
  /** The ratios of width to height that the rule applies to. Every ratio if absent. */
  readonly ratios?: readonly string[];
  /** A `must` blocks, a `should` warns. */
  readonly level: "must" | "should";
  /** The day of publication, or, if there is none, the day on which it was read. */
  readonly asOf: string;
  readonly source: RuleSource;
};

const published = (title: string, url: string, asOf: string) => ({ asOf, source: { title, url } });

const tiktokSpec = published(
  "TikTok Auction In-Feed Ads (TikTok Business Help Center)",
  "https://ads.tiktok.com/help/article?aid=10002742",
  "2026-06-01",
);
const tiktokReservation = published(
  "TikTok Reservation In-Feed Ads (TikTok Business Help Center)",
  "https://ads.tiktok.com/help/article?aid=10002742",
  "2024-10-01",
);
const tiktokZone = published(
  "TikTok ad sizes and specs (adfuseai.com, a third party with 150, 440 and 150 of 1080 × 1920 pixels; wider here, because others name up to 35 %, and TikTok publishes pictures only)",
  "https://adfuseai.com/blog/tiktok-ad-sizes-specs-guide",
  "2026-11-24",
);
const metaSpec = published(
  "Meta ad sizes and safe zones 2026 (marketertools.fyi, a third party)",
  "https://www.marketertools.fyi/blog/meta-ad-sizes-safe-zones-2026",
  "2026-06-28",
);
const metaFeedSpec = published(
  "Meta ads specifications (stish.app, a third party)",
  "https://stish.app/knowledge-base/meta-ads-specifications-facebook-instagram",
  "2026-11-23",
);
const metaZone = published(
  "Vertical video safe zones (shotstack.io, after Meta's guide for ads)",
  "https://shotstack.io/learn/vertical-video-safe-zones",
  "2026-11-23",
);
const shortsSpec = published(
  "Understand three-minute YouTube Shorts (YouTube Help)",
  "https://support.google.com/youtube/answer/15424877",
  "2024-10-15",
);
const shortsAds = published(
  "About video ads on YouTube Shorts (Google Ads Help)",
  "https://support.google.com/google-ads/answer/16041697",
  "2026-11-23",
);
const shortsZone = published(
  "Vertical video safe zones (shotstack.io, after Google's guide for ads)",
  "https://shotstack.io/learn/vertical-video-safe-zones",
  "2026-11-23",
);
const youtubeEncoding = published(
  "Recommended upload encoding settings (YouTube Help)",
  "https://support.google.com/youtube/answer/1722171",
  "2026-11-23",
);
const youtubeLength = published(
  "Upload videos longer than 15 minutes (YouTube Help)",
  "https://support.google.com/youtube/answer/71673",
  "2026-11-23",
);
const linkedinSpec = published(
  "Video ads advertising specifications (LinkedIn Marketing Solutions Help)",
  "https://www.linkedin.com/help/lms/answer/a424737",
  "2026-11-23",
);
const loudnessAes = published(
  "AES TD1008: loudness of internet audio streaming and on-demand distribution (September 2021, by the list of the AES)",
  "https://aes2.org/resources/audio-topics/loudness-project/resources-and-references/",
  "2021-09-01",
);
const graphicsArea = published(
  "EBU R 95: safe areas for 16:9 television production (the edition of 2008; a later one was not read)",
  "https://tech.ebu.ch/docs/r/r095.pdf",
  "2008-09-01",
);
const wcag = (title: string, anchor: string) =>
  published(`WCAG 2.2, ${title}`, `https://www.w3.org/TR/2023/REC-WCAG22-20231005/#${anchor}`, "2023-10-05");
const threeFlashes = wcag(
  "success criterion 2.3.1, with the area of ITU-R BT.1702: a quarter of the screen",
  "dfn-general-flash-and-red-flash-thresholds",
);
const netflix = published(
  "Netflix Timed Text Style Guide",
  "https://partnerhelp.netflixstudios.com/hc/en-us/articles/217350977",
  "2026-11-23",
);
const bcap = published(
  "BCAP guidance: use of superimposed text in television advertising (as Clearcast applies it)",
  "https://help.clearcast.co.uk/en/article/legal-supers-our-helpful-tools",
  "2019-03-01",
);
const article50 = published(
  "Regulation (EU) 2024/1689 (AI Act), article 50",
  "https://eur-lex.europa.eu/eli/reg/2024/1689/oj",
  "2024-07-12",
);
const ffmpegFilters = (filter: string) =>
  published(`ffmpeg: ${filter}`, `https://ffmpeg.org/ffmpeg-filters.html#${filter}`, "2026-11-23");
const ofRequest = (asOf: string) => ({ asOf, source: { title: "The rules of the request, or the project's brand" } });

const gigabyte = 1_000_000_000;
const megabyte = 1_000_000;

/** In the order of reports. */
export const rules: readonly Rule[] = [
  { rule: "ratio", platform: "tiktok", level: "must", oneOf: ["9:16", "1:1", "16:9"], ...tiktokSpec },
  { rule: "ratio", platform: "reels", level: "must", oneOf: ["9:16"], ...metaSpec },
  { rule: "ratio", platform: "shorts", level: "must", max: 1, ...shortsSpec },
  { rule: "ratio", platform: "meta_feed", level: "should", oneOf: ["1:1", "4:5"], ...metaSpec },
  { rule: "ratio", platform: "youtube", level: "should", oneOf: ["16:9"], ...youtubeEncoding },
  { rule: "ratio", platform: "linkedin", level: "must", min: 9 / 16, max: 16 / 9, ...linkedinSpec },
  // the shorter side, in pixels
  { rule: "resolution", platform: "tiktok", level: "must", min: 540, ratios: ["9:16", "16:9"], ...tiktokSpec },
  { rule: "resolution", platform: "tiktok", level: "must", min: 640, ratios: ["1:1"], ...tiktokSpec },
  { rule: "resolution", platform: "reels", level: "should", min: 1080, ...metaSpec },
  { rule: "resolution", platform: "meta_feed", level: "should", min: 1080, ...metaSpec },
  { rule: "resolution", platform: "linkedin", level: "must", min: 360, max: 1920, ...linkedinSpec },
  { rule: "length", platform: "tiktok", use: "ad", level: "must", max: 600, ...tiktokSpec },
  { rule: "length", platform: "tiktok", use: "reservation", level: "must", min: 5, max: 60, ...tiktokReservation },
  { rule: "length", platform: "reels", level: "must", min: 1, max: 3600, ...metaSpec },
  { rule: "length", platform: "shorts", level: "must", max: 180, ...shortsSpec },
  { rule: "length", platform: "meta_feed", level: "must", min: 1, max: 241 * 60, ...metaFeedSpec },
  { rule: "length", platform: "youtube", level: "must", max: 12 * 3600, ...youtubeLength },
  { rule: "length", platform: "linkedin", level: "must", min: 3, max: 1800, ...linkedinSpec },
  // seconds that are played of an ad
  { rule: "ad_length", platform: "shorts", use: "ad", level: "should", max: 60, ...shortsAds },
  { rule: "size", platform: "tiktok", level: "must", max: 500 * megabyte, ...tiktokSpec },
  { rule: "size", platform: "reels", level: "must", max: 4 * gigabyte, ...metaSpec },
  { rule: "size", platform: "meta_feed", level: "must", max: 4 * gigabyte, ...metaSpec },
  { rule: "size", platform: "shorts", level: "must", max: 256 * gigabyte, ...youtubeLength },
  { rule: "size", platform: "youtube", level: "must", max: 256 * gigabyte, ...youtubeLength },
  { rule: "size", platform: "linkedin", level: "must", min: 75_000, max: 500 * megabyte, ...linkedinSpec },
  // kilobits per second, for the whole file
  { rule: "bitrate", platform: "tiktok", level: "must", min: 516, ...tiktokSpec },
  { rule: "codec", platform: "shorts", level: "should", oneOf: ["avc"], ...youtubeEncoding },
  { rule: "codec", platform: "youtube", level: "should", oneOf: ["avc"], ...youtubeEncoding },
  { rule: "codec", platform: "linkedin", level: "must", oneOf: ["avc", "vp8"], ...linkedinSpec },
  { rule: "frame_rate", platform: "linkedin", level: "should", max: 30, ...linkedinSpec },
  { rule: "loudness", level: "should", min: -20, max: -14, ...loudnessAes },
  { rule: "true_peak", level: "should", max: -1, ...loudnessAes },
  {
    rule: "safe_zone",
    platform: "tiktok",
    level: "should",
    margins: { top: 0.1, bottom: 0.35, left: 0.1, right: 0.15 },
    ...tiktokZone,
  },
  {
    rule: "safe_zone",
    platform: "reels",
    level: "should",
    margins: { top: 0.14, bottom: 0.35, left: 0.06, right: 0.06 },
    ...metaZone,
  },
  {
    rule: "safe_zone",
    platform: "shorts",
    level: "should",
    margins: { top: 288 / 1920, bottom: 672 / 1920, left: 48 / 1080, right: 192 / 1080 },
    ...shortsZone,
  },
  ...(["meta_feed", "youtube", "linkedin"] as const).map(
    (platform): Rule => ({
      rule: "safe_zone",
      platform,
      level: "should",
      margins: { top: 0.05, bottom: 0.05, left: 0.05, right: 0.05 },
      ...graphicsArea,
    }),
  ),
  {
    rule: "text_share",
    level: "should",
    max: 0.2,
    ...published(
      "Text in images: the 20 % that Meta once enforced and still advises (clarigital.com, a third party)",
      "https://clarigital.com/codex/paid-advertising/facebook-instagram/image-video-ads",
      "2026-11-23",
    ),
  },
  // characters per second
  { rule: "caption_speed", level: "should", max: 20, ...netflix },
  // characters per line, of at most two lines
  { rule: "caption_length", level: "should", max: 42, ...netflix },
  { rule: "contrast", level: "should", min: 3, ...wcag("success criterion 1.4.3, large text", "contrast-minimum") },
  // in any second
  { rule: "flashes", level: "must", max: 3, ...threeFlashes },
  { rule: "red_flashes", level: "must", max: 3, ...threeFlashes },
  // seconds
  { rule: "black", level: "must", max: 2, ...ffmpegFilters("blackdetect") },
  { rule: "frozen", level: "should", max: 5, ...ffmpegFilters("freezedetect") },
  { rule: "palette", level: "must", ...ofRequest("2026-11-23") },
  { rule: "logo_space", level: "must", min: 0.25, ...ofRequest("2026-11-23") },
  { rule: "must_say", level: "must", ...ofRequest("2026-11-23") },
  { rule: "must_not_say", level: "must", ...ofRequest("2026-11-23") },
  // a share of the frame's shorter side
  { rule: "legal_height", level: "must", min: 30 / 1080, ...bcap },
  { rule: "legal_seconds", level: "must", ...bcap },
  // seconds of the label; the Regulation names none, the guidance for legal lines gives them to find it
  { rule: "disclosure", level: "must", min: 2, ...article50 },
];
