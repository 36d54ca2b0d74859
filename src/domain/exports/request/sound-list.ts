import { z } from "zod";
import { soundRoles } from "../../../engine/timeline/sound.ts";
import { named, optional, Volume } from "../../shared/schemas.ts";
import type { SoundInput } from "./layers/inputs.ts";
import { KeyframesOfSounds } from "./layers/keyframes.ts";
import { between } from "./layers/numbers.ts";
import { endBeforeStart, endsAfterStart, overlayEnd, seconds } from "./layers/times.ts";

const fileFields = {
  assetId: optional(z.string().max(100)).describe("A sound of the project, or a video with sound."),
  audioUrl: optional(z.string().max(8192)).describe("An internal or public URL, instead of an asset."),
};

/** The fields of a sound that name its file. */
export const SoundFiles = z.object(fileFields);

/** A sound of an export at any time. */
export const SoundItem = named(
  "ExportSound",
  z
    .object({
      ...fileFields,
      position: optional(seconds).describe("Seconds on the timeline, exact to a sample at 48 kHz; 0 by default."),
      end: optional(overlayEnd).describe(
        "Seconds on the timeline, after position; by default where the source ends, or with repeat the video.",
      ),
      cutFrom: optional(z.number().min(0).max(1_000_000)).describe("Seconds into the source; 0 by default."),
      speed: optional(between({ min: 0.1, max: 10 })).describe("0.1 to 10; 1 by default. The pitch stays."),
      repeat: optional(z.boolean()).describe("Repeats the source, from cutFrom to its end."),
      volume: optional(Volume).describe("0 to 4; 1 by default."),
      keyframes: optional(KeyframesOfSounds).describe("Factors of the volume at times."),
      fadeIn: optional(seconds).describe("Seconds; 0 by default."),
      fadeOut: optional(seconds).describe("Seconds; 0 by default."),
      duck: optional(z.boolean()).describe("Lowers an `effect` while a voice sounds; false by default."),
      role: optional(z.enum(soundRoles)).describe(
        "`music` is lowered as audio.duck and voice.duck say; a `voice` lowers music and is brought to -16 LUFS, as voice.normalize says, and the mix to -14 LUFS; an `effect` (the default) does neither.",
      ),
    })
    .refine(endsAfterStart, endBeforeStart)
    .refine(({ assetId, audioUrl }) => Boolean(assetId) !== Boolean(audioUrl), {
      path: ["assetId"],
      message: "Send either assetId or audioUrl.",
      when: ({ value }) => SoundFiles.safeParse(value).success,
    }),
);

export const SoundList: z.ZodType<SoundItem[], SoundInput[]> = z.array(SoundItem).max(50);

export type SoundItem = z.output<typeof SoundItem>;
