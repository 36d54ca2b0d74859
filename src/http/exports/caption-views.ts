import { z } from "zod";
import { named } from "../schemas/responses.ts";
import { ExportWarning } from "./views.ts";

const times = {
  start: z.number().meta({ description: "Seconds on the timeline, that of a frame." }),
  end: z.number().meta({ description: "Seconds on the timeline, that of a frame." }),
};

const CaptionWord = named(
  "CaptionWord",
  z.object({ text: z.string(), ...times, glued: z.boolean().meta({ description: "No space before it." }) }),
);

const CaptionPage = named(
  "CaptionPage",
  z.object({ ...times, lines: z.array(z.object({ text: z.string(), words: z.array(CaptionWord) })) }),
);

export const Captions = named(
  "Captions",
  z.object({
    language: z.string().optional(),
    pages: z.array(CaptionPage).meta({ description: "What is shown at once, in order." }),
    srt: z.string().meta({ description: "The text of a SubRip file." }),
    vtt: z.string().meta({ description: "The text of a WebVTT file." }),
    warnings: z.array(ExportWarning),
  }),
);
