import { z } from "zod";
import { namedObject } from "../schemas/responses.ts";
import { ExportWarning } from "./views.ts";

const times = {
  start: z.number().describe("Seconds on the timeline, that of a frame."),
  end: z.number().describe("Seconds on the timeline, that of a frame."),
};

const CaptionWord = namedObject("CaptionWord", {
  text: z.string(),
  ...times,
  glued: z.boolean().describe("No space before it."),
});

const CaptionPage = namedObject("CaptionPage", {
  ...times,
  lines: z.array(z.object({ text: z.string(), words: z.array(CaptionWord) })),
});

export const Captions = namedObject("Captions", {
  language: z.string().optional(),
  pages: z.array(CaptionPage).describe("What is shown at once, in order."),
  srt: z.string().describe("The text of a SubRip file."),
  vtt: z.string().describe("The text of a WebVTT file."),
  warnings: z.array(ExportWarning),
});
