import { z } from "zod";
import { qualities } from "../../../engine/ports.ts";
import { formats, maxGifSeconds } from "../../../engine/timeline/format.ts";
import { clipFits } from "../../../engine/timeline/track.ts";
import { parseColor } from "../../../platform/colors.ts";
import { CaptionsRequest } from "../../captions/schema.ts";
import { Destinations } from "../../destinations/schema.ts";
import { gateFields } from "../../gate/schema.ts";
import { DisclosureRequest } from "../../provenance/disclosure.ts";
import {
  aspectRatios,
  CssColor,
  Fraction,
  FramesPerSecond,
  maxVideoSeconds,
  named,
  namedObject,
  optional,
  SceneIndex,
  Side,
  Transition,
  Volume,
} from "../../shared/schemas.ts";
import { WebhookRequest } from "../webhooks/schema.ts";
import { clipMotionFields, requireConsistentClip } from "./layers/clips.ts";
import type { ClipInput } from "./layers/inputs.ts";
import { ImageItem, TextItem } from "./layers/overlays.ts";
import { LayerList } from "./layers/schema.ts";
import { endBeforeStart, endsAfterStart, seconds } from "./layers/times.ts";
import { SoundList } from "./sound-list.ts";

const FocusPoint = namedObject("FocusPoint", { x: Fraction, y: Fraction });

/** The refinement of this transition counts beside errors in other fields. */
const LumaTransition = z.object({ transition: z.literal("luma"), transitionAssetId: z.string().nullish() });

export const ClipRequest = named(
  "ExportClip",
  z
    .object({
      sceneIndex: SceneIndex.describe(
        "The index of the scene in the work's list, from 0. Its video is shown, or else its image, animated.",
      ),
      position: seconds.describe("Seconds on the timeline."),
      end: seconds.describe("Seconds on the timeline, after position. Gaps between clips are black and silent."),
      cutFrom: optional(z.number().min(0).max(1_000_000)).describe(
        "Seconds into the source; 0 by default. A source that ends early holds its last picture.",
      ),
      transition: optional(Transition).describe("The transition to the next clip; `cut` by default."),
      transitionAssetId: optional(z.string().max(100)).describe(
        "The image of the project by which `luma` shows the next clip: first where the image is dark. Other transitions ignore it.",
      ),
      transitionDuration: optional(seconds).describe(
        "Seconds from the start of the next clip; 0.5 by default. A transition moves nothing that comes later.",
      ),
      volume: optional(Volume).describe("0 to 4; 1 by default."),
      fit: optional(z.enum(clipFits)).describe("How the source fills the frame; `contain` by default."),
      focus: optional(z.union([z.literal("auto"), FocusPoint])).describe(
        "The point that stays visible where the frame shows only a part of the source, as fractions of its width and height; `auto` measures where the subject is, and follows it.",
      ),
      ...clipMotionFields,
      voice: optional(z.boolean()).describe("False: the voice of the scene is left out here."),
      caption: optional(z.boolean()).describe("False: no captions while this clip is visible."),
    })
    .refine(endsAfterStart, endBeforeStart)
    .refine(({ transition, transitionAssetId }) => transition !== "luma" || transitionAssetId, {
      path: ["transitionAssetId"],
      message: "Is required for the transition luma.",
      when: ({ value }) => LumaTransition.safeParse(value).success,
    })
    .superRefine(requireConsistentClip),
);

const ClipItem: z.ZodType<ClipRequest, ClipInput> = ClipRequest;

export const AudioRequest = namedObject("ExportAudio", {
  volume: optional(Volume).describe("0 to 4; 1 by default."),
  audioUrl: optional(z.string().max(8192)).describe("An internal or public URL; by default the work's uploaded music."),
  loop: optional(z.boolean()).describe("Repeats the music until the video ends."),
  fadeIn: optional(seconds).describe("Seconds; 0 by default."),
  fadeOut: optional(seconds).describe("Seconds; 0 by default."),
  duck: optional(z.boolean()).describe("Lowers the music while clips have sound."),
  normalize: optional(z.boolean()).describe("Brings the mix to the loudness of broadcasts on the web."),
});

export const VoiceRequest = namedObject("ExportVoice", {
  from: optional(z.enum(["scenes", "work"])).describe(
    "`scenes`: each scene's own recording, from where its clip becomes visible. `work`: one recording for the whole video. By default `scenes` if a scene of a clip has one, else `work`.",
  ),
  audioUrl: optional(z.string().max(8192)).describe(
    "An internal or public URL of one recording for the whole video, instead of those of the work.",
  ),
  position: optional(seconds).describe("Where a recording for the whole video begins, in seconds; 0 by default."),
  delay: optional(seconds).describe("Seconds before each recording; 0 by default."),
  volume: optional(Volume).describe("0 to 4; 1 by default."),
  duck: optional(z.boolean()).describe("Lowers the music while a voice sounds; true by default."),
  normalize: optional(z.boolean()).describe(
    "Brings each recording to -16 LUFS before its volume, so that all are equally loud; true by default.",
  ),
});

const targets = z
  .array(z.enum(aspectRatios))
  .min(1)
  .refine((names) => new Set(names).size === names.length, "Must name no target twice.");

const Background = CssColor.refine(
  (text) => text === "transparent" || (parseColor(text)?.alpha ?? 1) === 1,
  "Must be an opaque CSS color or transparent.",
);

const PosterRequest = namedObject("ExportPoster", {
  at: seconds.describe("The time of the frame, in seconds."),
});

export const ExportOptions = namedObject("ExportOptions", {
  width: optional(Side).describe("Pixels, even; by default the work's, else 1080."),
  height: optional(Side).describe("Pixels, even; by default the work's, else 1920."),
  fps: optional(FramesPerSecond).describe("Frames per second; 30 by default. 23.976, 29.97 and 59.94 mean x/1001."),
  quality: optional(z.enum(qualities)).describe("`standard` by default; `draft` halves both sides."),
  duration: optional(z.number().positive().max(maxVideoSeconds)).describe(
    "Seconds of a film without clips; by default it ends with its last text, image, layer or sound.",
  ),
  format: optional(z.enum(formats)).describe(
    `The format of the files: \`mp4\` (H.264 and AAC, the default), \`webm\` (VP9 and Opus), \`mov\` (ProRes 4444 and PCM), \`gif\` (without sound, at most ${maxGifSeconds} seconds, with 10, 20, 25 or 50 frames a second), \`mp3\` and \`wav\` (the sound alone), \`png\` and \`jpg\` (one frame).`,
  ),
  at: optional(seconds).describe("The time that `png` and `jpg` show, in seconds; 0 by default."),
  background: optional(Background).describe(
    "A CSS color under gaps, beside clips that do not fill the frame, and under transparent ones; black by default. `transparent`: nothing lies there, for `webm`, `mov`, `gif` and `png`.",
  ),
  poster: optional(PosterRequest).describe("Also makes a JPEG of one frame of each video."),
  brand: optional(z.boolean()).describe(
    "Applies the brand of the project's style guide: fonts and colors where texts have none of their own, its logo, its captions, its intro and its end card.",
  ),
  disclosure: optional(DisclosureRequest).describe(
    "Words in the picture that say that the film contains AI-generated parts: `auto` shows them if a trained model has made a part of it; `off` by default.",
  ),
  targets: optional(targets).describe("One video for each aspect ratio, from one edit."),
});

/** Identifies the work. Checked before the rest of a body, so that only the work's owner sees validation errors. */
export const WorkReference = z.looseObject({ projectId: z.string(), workId: z.string() });

export const ExportRequest = namedObject("ExportRequest", {
  projectId: z.string(),
  workId: z.string(),
  clips: optional(z.array(ClipItem).max(500)).describe(
    "At most 500; none for a film of texts, images, layers and sounds alone. What is absent of clips, texts, images, layers, audio, voice, sounds, captions and options comes from the work's saved editor, if clips are absent; null is none of a voice and of captions. If they are the clips of the saved editor, and texts are there, absent sounds, captions and styles come from it as well.",
  ),
  texts: optional(z.array(TextItem).max(500)).describe(
    "At most 500, drawn in the order of their layers, else in this order over the images.",
  ),
  images: optional(z.array(ImageItem).max(500)).describe(
    "At most 500, drawn in the order of their layers, else in this order.",
  ),
  layers: optional(LayerList).describe(
    "At most 500, with those in groups 1,000: texts, images, shapes and groups that move.",
  ),
  audio: optional(AudioRequest).describe("Music under the clips; {} for the work's uploaded music."),
  voice: optional(VoiceRequest).describe(
    "Recorded voices over clips and music, {} for those of the work; absent: none. With a voice, the mix is brought to -14 LUFS unless audio.normalize is false.",
  ),
  sounds: optional(SoundList).describe("At most 50: music, effects and voices at any time, besides audio and voice."),
  captions: optional(CaptionsRequest).describe("The spoken words, on the picture and as files; absent: none."),
  options: optional(ExportOptions),
  ...gateFields,
});

/** An export request whose response does not wait for the export. */
export const AsyncExportRequest = named(
  "AsyncExportRequest",
  ExportRequest.extend({ webhook: optional(WebhookRequest), destinations: optional(Destinations) }),
);

export type ExportRequest = z.output<typeof ExportRequest>;
export type AsyncExportRequest = z.output<typeof AsyncExportRequest>;
export type ClipRequest = z.output<typeof ClipRequest>;
export type VoiceRequest = z.output<typeof VoiceRequest>;
export type AudioRequest = z.output<typeof AudioRequest>;
export type ExportOptions = z.output<typeof ExportOptions>;
