import { z } from "zod";
import { captionPlaces, captionStyles } from "../../engine/timeline/captions/track.ts";
import { Entrance } from "../exports/request/layers/moves.ts";
import {
  CssColor,
  FontSize,
  FontWeight,
  Fraction,
  LanguageTag,
  maxVideoSeconds,
  named,
  namedObject,
  optional,
} from "../shared/schemas.ts";
import { maxCaptionFileBytes } from "./caption-file.ts";

const captionSources = ["script", "words", "srt", "vtt", "assetId", "voice"] as const;

const maxCaptionWords = 5_000;

const seconds = z.number().min(0).max(maxVideoSeconds);
const milliseconds = z
  .number()
  .min(0)
  .max(maxVideoSeconds * 1000);

type Times = { readonly start?: number | undefined; readonly end?: number | undefined } & {
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
};

const endsAfterStart = ({ start, end, startMs = 0, endMs = startMs }: Times): boolean =>
  (end ?? endMs / 1000) >= (start ?? startMs / 1000);

export const SpokenWordRequest = named(
  "SpokenWord",
  z
    .object({
      text: z.string().max(500).describe("A word with its punctuation. Several words share the time by their lengths."),
      start: optional(seconds).describe("Seconds on the timeline of the video."),
      end: optional(seconds).describe("Seconds on the timeline of the video, not before start."),
      startMs: optional(milliseconds).describe("Milliseconds, instead of start: as Remotion writes captions."),
      endMs: optional(milliseconds).describe("Milliseconds, instead of end."),
      glued: optional(z.boolean()).describe(
        "True: no space before the word. By default it follows from the script, or from spaces at the start of the texts.",
      ),
    })
    .refine(({ start, startMs }) => (start ?? startMs) !== undefined, { path: ["start"], message: "Is required." })
    .refine(({ end, endMs }) => (end ?? endMs) !== undefined, { path: ["end"], message: "Is required." })
    .refine(endsAfterStart, { path: ["end"], message: "Must not be earlier than start." }),
);

const CaptionColors = namedObject("CaptionColors", {
  text: optional(CssColor).describe("#ffffff by default."),
  active: optional(CssColor).describe("The color of the spoken word."),
  background: optional(CssColor).describe("The color of the box behind the lines."),
  activeBackground: optional(CssColor).describe("The color of the box behind the spoken word."),
  stroke: optional(CssColor).describe("The color of the glyphs' outline."),
});

const CaptionPosition = z.union([z.enum(captionPlaces), z.object({ y: Fraction })], {
  error: `Must be one of: ${captionPlaces.join(", ")}, or { y } with a number from 0 to 1.`,
});

/** The style of captions, independent of their content. */
export const captionStyleFields = {
  style: optional(z.enum(captionStyles)).describe(
    "`plain` by default: the words with an outline. `box` draws a box behind the lines; `karaoke` colors the spoken word, `highlight` puts a box behind it, `pop` shows each word when it is spoken.",
  ),
  position: optional(CaptionPosition).describe("`bottom` by default, or the center of the lines as { y }, 0 to 1."),
  maxWordsPerLine: optional(z.int().min(1).max(50)).describe("As many as fit by default."),
  maxLines: optional(z.int().min(1).max(6)).describe("Lines at once; 2 by default."),
  fontFamily: optional(z.string().max(200)).describe("A bundled font, or one of the project by its family."),
  fontAssetId: optional(z.string().max(100)).describe("A font of the project."),
  fontSize: optional(FontSize).describe("Pixels; depends on the frame by default."),
  fontWeight: optional(FontWeight).describe("1 to 1000, or a name; 800 by default."),
  colors: optional(CaptionColors),
  uppercase: optional(z.boolean()).describe("Shows capital letters only."),
  safeZone: optional(z.boolean()).describe("False: captions may lie where apps show their buttons. True by default."),
};

export const CaptionsRequest = namedObject("ExportCaptions", {
  from: optional(z.enum(captionSources)).describe(
    "The source of the words. By default the one of words, srt, vtt and assetId that is given, else `script`: the spoken text of each clip's scene.",
  ),
  words: optional(z.array(SpokenWordRequest).max(maxCaptionWords)).describe("At most 5,000, with their times."),
  srt: optional(z.string().max(maxCaptionFileBytes)).describe("The text of a SubRip file: 1 MiB, 5,000 cues."),
  vtt: optional(z.string().max(maxCaptionFileBytes)).describe("The text of a WebVTT file: 1 MiB, 5,000 cues."),
  assetId: optional(z.string().max(100)).describe(
    "An asset of the project that was transcribed: its words from the start of the video.",
  ),
  language: optional(LanguageTag).describe("A tag such as en or pt-BR; by default the language of the work."),
  ...captionStyleFields,
  enter: optional(Entrance).describe("The entrance of each page, as that of a layer; none by default."),
  embed: optional(z.boolean()).describe("Also puts the captions into the video file, as a text track."),
});

export type CaptionsRequest = z.output<typeof CaptionsRequest>;
export type SpokenWordRequest = z.output<typeof SpokenWordRequest>;
