import { z } from "zod";
import { categories, modelUnits } from "../../domain/ai/models.ts";
import { speechTimings } from "../../domain/speech/speech.ts";
import { containments } from "../../engine/ports.ts";
import { StyleGuide } from "../projects/views.ts";
import { named, namedObject, Seconds } from "../schemas/responses.ts";
import { ScenarioScene } from "../works/views.ts";

const ModelInfo = namedObject("Model", {
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  endsOn: z.iso
    .date()
    .optional()
    .describe("The day on which the provider removes it. The default of a row has at least 30 days left."),
  unit: z.enum(modelUnits).optional().describe("What the provider charges for."),
  durations: z
    .array(z.number())
    .optional()
    .describe("Durations of the videos that it makes, in seconds; it makes the nearest to the requested one."),
  ratios: z.array(z.string()).optional().describe("The aspect ratios that it makes."),
  maxReferences: z.int().optional().describe("How many pictures of a product it takes."),
  maxConcurrent: z.int().optional().describe("How many requests with one key are sent at a time; further ones wait."),
  voices: z
    .array(z.string())
    .optional()
    .describe("In the category speech: the voices that it speaks with. The first is the default."),
});

export const Providers = z.array(
  namedObject("Provider", {
    id: z.string().describe("The value for the provider's header."),
    aliases: z.array(z.string()).describe("Other names that the header accepts."),
    name: z.string(),
    category: z.enum(categories),
    description: z.string(),
    models: z.array(ModelInfo).describe("The first is the default. Other models of the provider are accepted too."),
    transcriptionModels: z
      .array(ModelInfo)
      .optional()
      .describe("In the category speech: the models of `POST /api/transcribe`. The first is the default."),
  }),
);

const AnalyzedScene = namedObject("AnalyzedScene", {
  index: z.int().min(1).describe("From 1."),
  duration_seconds: Seconds,
  description: z.string(),
  transition: z.string().nullable(),
  text_overlay: z.string().nullable(),
  camera_movement: z.string().nullable(),
});

export const AnalysisResult = namedObject("AnalysisResult", {
  scene_count: z.int().min(1),
  overall_tone: z.string(),
  color_palette: z.array(z.string()).describe("#rrggbb, the most common first."),
  tempo: z.enum(["fast", "medium", "slow"]),
  has_text_overlay: z.boolean(),
  scenes: z.array(AnalyzedScene),
});

export const ProductMatch = namedObject("ProductMatch", {
  matches: z.boolean().describe("Whether the picture shows the product unchanged."),
  differences: z.array(z.string()).describe("Sentences for people; none if it matches."),
});

export const Scenario = namedObject("Scenario", { scenes: z.array(ScenarioScene) });

export const GeneratedImage = named("GeneratedImage", z.object({ imageUrl: z.string() }), {
  description:
    "The relative URL of the image: in the work's media if the request names a work, else signed and valid for 24 hours.",
});

export const GeneratedVideo = named(
  "GeneratedVideo",
  z.object({
    videoUrl: z.string(),
    duration: Seconds.describe("Seconds: the nearest duration that the model makes."),
  }),
  {
    description:
      "The relative URL of the video: in the work's media if the request names a work, else signed and valid for 24 hours.",
  },
);

const SpokenWords = z
  .array(
    namedObject("TimedWord", {
      text: z.string(),
      start: Seconds,
      end: Seconds,
      glued: z.boolean().optional().describe("True: no space before the word."),
    }),
  )
  .describe("The words with their punctuation, in seconds from the start of the sound.");

const timing = z
  .enum(speechTimings)
  .describe(
    "`measured`: a transcription found the words in the sound; `estimated`: from their lengths and the pauses.",
  );

export const GeneratedSpeech = named(
  "GeneratedSpeech",
  z.object({
    audioUrl: z.string(),
    duration: Seconds.describe("Seconds, as measured in the sound."),
    text: z.string().describe("What was said."),
    language: z.string().optional(),
    words: SpokenWords,
    timing,
  }),
  {
    description:
      "The relative URL of the voice, a WAV file: in the work's media if the request names a work, else signed and valid for 24 hours.",
  },
);

export const GeneratedMusic = named(
  "GeneratedMusic",
  z.object({
    assetId: z.string().optional().describe("The asset, if the request names a project."),
    audioUrl: z.string(),
    duration: Seconds.describe("Seconds, as measured in the sound."),
  }),
  { description: "The relative URL of the sound: the asset's URL, else a signed one, valid for 24 hours." },
);

export const GeneratedVoices = namedObject("GeneratedVoices", {
  scenes: z.array(
    namedObject("GeneratedSceneVoice", {
      sceneIndex: z.int().min(0),
      voiceUrl: z.string(),
      duration: Seconds.describe("Seconds of the voice."),
      sceneDuration: Seconds.describe("Seconds of the scene."),
      timing: timing.optional().describe("Absent for a recording."),
      isNew: z.boolean().describe("False: the voice already existed, and nothing was paid."),
    }),
  ),
});

export const Transcript = namedObject("Transcript", {
  text: z.string().describe("Empty if nobody speaks."),
  language: z.string().optional(),
  duration: Seconds.describe("Seconds of the sound."),
  words: SpokenWords,
  timing,
  segments: z
    .array(namedObject("TranscriptSegment", { text: z.string(), start: Seconds, end: Seconds }))
    .describe("The sentences, and parts of long ones."),
});

export const GeneratedSceneMedia = namedObject("GeneratedSceneMedia", {
  imageUrl: z.string(),
  videoUrl: z.string(),
  contained: z
    .enum(containments)
    .optional()
    .describe(
      "The scene shows an asset itself, uncropped on a background: filling the frame would crop more than a quarter of it, or it is transparent.",
    ),
});

export const ExtractedStyleGuide = namedObject("ExtractedStyleGuide", { styleGuide: StyleGuide });

export const ExtractedBrand = namedObject("ExtractedBrand", {
  styleGuide: StyleGuide,
  productInfo: namedObject("ExtractedProduct", {
    name: z.string(),
    description: z.string(),
    targetAudience: z.string().optional(),
  }).optional(),
});
