import { z } from "zod";
import { qualities } from "../../../engine/ports.ts";
import { clipFits } from "../../../engine/timeline/track.ts";
import { CaptionsRequest } from "../../captions/schema.ts";
import { gateFields } from "../../gate/schema.ts";
import { DisclosureRequest } from "../../provenance/disclosure.ts";
import {
  CssColor,
  Degrees,
  FontSize,
  Fraction,
  FramesPerSecond,
  Length,
  maxVideoSeconds,
  named,
  namedObject,
  Opacity,
  optional,
  Pixels,
  SceneIndex,
  Side,
  Transition,
  Volume,
} from "../../shared/schemas.ts";
import { Group, ImageLayer, TextLayer, textStyleFields } from "../../shared/text-style.ts";
import { WebhookRequest } from "../webhooks/schema.ts";

const seconds = z.number().min(0).max(maxVideoSeconds);

const FocusPoint = namedObject("FocusPoint", { x: Fraction, y: Fraction });

const TimeRange = z.object({ position: z.number(), end: z.number() });

const endsAfterStart = ({ position, end }: z.output<typeof TimeRange>) => end > position;

const endBeforeStart = {
  path: ["end"],
  message: "Must be later than position.",
  // zod skips a refinement if any field is invalid; here only `position` and `end` matter
  when: ({ value, issues }: z.core.ParsePayload) =>
    TimeRange.safeParse(value).success && !issues.some(({ path }) => path?.[0] === "position" || path?.[0] === "end"),
};

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
      voice: optional(z.boolean()).describe("False: the voice of the scene is left out here."),
      caption: optional(z.boolean()).describe("False: no captions while this clip is visible."),
    })
    .refine(endsAfterStart, endBeforeStart)
    .refine(({ transition, transitionAssetId }) => transition !== "luma" || transitionAssetId, {
      path: ["transitionAssetId"],
      message: "Is required for the transition luma.",
      when: ({ value }) => LumaTransition.safeParse(value).success,
    }),
);

export const TextRequest = named(
  "ExportText",
  z
    .object({
      text: z.string().max(10_000).describe("Any Unicode text; nothing in it is syntax. May have line breaks."),
      position: seconds.describe("Seconds on the timeline."),
      end: z.number().min(0).max(1_000_000).describe("Seconds on the timeline, after position."),
      fontSize: optional(FontSize).describe("Pixels; 48 by default."),
      fontColor: optional(CssColor).describe("A CSS color; #ffffff by default."),
      centerX: optional(Pixels).describe("Pixels from the center of the frame to that of the text; 0 by default."),
      centerY: optional(Pixels).describe("Like centerX, downwards."),
      x: optional(Pixels).describe("Pixels from the left edge of the frame; counts only without centerX and centerY."),
      y: optional(Pixels).describe("Pixels from the top edge of the frame; counts only without centerX and centerY."),
      ...textStyleFields,
      group: Group,
      layer: TextLayer,
    })
    .refine(endsAfterStart, endBeforeStart),
);

const ImageRequest = named(
  "ExportImage",
  z
    .object({
      assetId: z.string().max(100).describe("An image of the project."),
      position: seconds.describe("Seconds on the timeline."),
      end: z.number().min(0).max(1_000_000).describe("Seconds on the timeline, after position."),
      width: optional(Length).describe("Pixels; by default the asset's, or in proportion to the height."),
      height: optional(Length).describe("Pixels; by default the asset's, or in proportion to the width."),
      x: optional(Pixels).describe("Pixels from the left edge of the frame to that of the box."),
      y: optional(Pixels).describe("Pixels from the top edge of the frame to that of the box."),
      centerX: optional(Pixels).describe("Pixels from the center of the frame; counts only without x and y."),
      centerY: optional(Pixels).describe("Like centerX, downwards."),
      opacity: optional(Opacity).describe("0 to 1; 1 by default."),
      rotation: optional(Degrees).describe("Degrees, clockwise, around the center; 0 by default."),
      maintainAspectRatio: optional(z.boolean()).describe(
        "True (the default) fits the image into the box, false stretches it.",
      ),
      group: Group,
      layer: ImageLayer,
    })
    .refine(endsAfterStart, endBeforeStart),
);

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

/** Width to height. */
export const aspectRatios = ["9:16", "1:1", "16:9", "4:5"] as const;

const targets = z
  .array(z.enum(aspectRatios))
  .min(1)
  .refine((names) => new Set(names).size === names.length, "Must name no target twice.");

export const ExportOptions = namedObject("ExportOptions", {
  width: optional(Side).describe("Pixels, even; by default the work's, else 1080."),
  height: optional(Side).describe("Pixels, even; by default the work's, else 1920."),
  fps: optional(FramesPerSecond).describe("Frames per second; 30 by default. 23.976, 29.97 and 59.94 mean x/1001."),
  quality: optional(z.enum(qualities)).describe("`standard` by default; `draft` halves both sides."),
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
  clips: optional(z.array(ClipRequest).min(1).max(500)).describe(
    "1 to 500. What is absent of clips, texts, images, audio, voice, captions and options comes from the work's saved editor, if clips are absent; null is none of a voice and of captions. If they are the clips of the saved editor, and texts are there, absent sounds, captions and styles come from it as well.",
  ),
  texts: optional(z.array(TextRequest).max(500)).describe(
    "At most 500, drawn in the order of their layers, else in this order over the images.",
  ),
  images: optional(z.array(ImageRequest).max(500)).describe(
    "At most 500, drawn in the order of their layers, else in this order.",
  ),
  audio: optional(AudioRequest).describe("Music under the clips; {} for the work's uploaded music."),
  voice: optional(VoiceRequest).describe(
    "Recorded voices over clips and music, {} for those of the work; absent: none. With a voice, the mix is brought to -14 LUFS unless audio.normalize is false.",
  ),
  captions: optional(CaptionsRequest).describe("The spoken words, on the picture and as files; absent: none."),
  options: optional(ExportOptions),
  ...gateFields,
});

/** An export request whose response does not wait for the export. */
export const AsyncExportRequest = named(
  "AsyncExportRequest",
  ExportRequest.extend({ webhook: optional(WebhookRequest) }),
);

export type ExportRequest = z.output<typeof ExportRequest>;
export type AsyncExportRequest = z.output<typeof AsyncExportRequest>;
export type ClipRequest = z.output<typeof ClipRequest>;
export type TextRequest = z.output<typeof TextRequest>;
export type ImageRequest = z.output<typeof ImageRequest>;
export type VoiceRequest = z.output<typeof VoiceRequest>;
export type AudioRequest = z.output<typeof AudioRequest>;
export type ExportOptions = z.output<typeof ExportOptions>;
export type AspectRatio = (typeof aspectRatios)[number];
