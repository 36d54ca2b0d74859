import type {
  Containment,
  InspectedFile,
  ReceivedFile,
  SoundForModel,
  VideoFrame,
  VideoMetrics,
} from "../../engine/ports.ts";
import type { SpokenWord } from "../../engine/timeline/captions/words.ts";
import type { Samples } from "../../engine/timeline/samples.ts";
import type { MediaFacts, ModelId } from "../../engine/timeline/source.ts";
import type { Canvas } from "../../engine/timeline/timeline.ts";
import { isDomainError } from "../../errors.ts";
import type { JobCheckpoint } from "../idempotency/checkpoints.ts";
import type { StyleGuide } from "../projects/projects.ts";
import type { StockLibrary } from "../stock/stock.ts";
import type { WorkMode } from "../works/works.ts";
import type {
  AssetDescription,
  ProductMatch,
  ScenarioOutput,
  StyleGuideOutput,
  VideoDescription,
} from "./output-schemas.ts";
import type { ProviderCall } from "./provider-calls.ts";
import type { SceneDesign } from "./scene-design.ts";

export const categories = ["vision", "llm", "image", "video", "speech", "music"] as const;
export type Category = (typeof categories)[number];

/** Transcription models belong to the providers of the category speech. Stock archives are chosen like models. */
export type ModelKind = Category | "transcription" | "stock";

/** A provider in one category, as the API lists it. */
export type ProviderInfo = {
  /** The provider's name in the data of existing clients. */
  readonly id: string;
  /** Other accepted names. */
  readonly aliases: readonly string[];
  readonly name: string;
  readonly category: Category;
  readonly description: string;
  /** The first model is the default. */
  readonly models: readonly ModelInfo[];
  /** Only in the category speech. */
  readonly transcriptionModels?: readonly ModelInfo[];
};

export type ModelInfo = {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** The day, such as `2027-01-06`, from which the provider no longer accepts requests for the model. */
  readonly endsOn?: string;
  /** The unit that the provider charges for. */
  readonly unit?: ModelUnit;
  /** The durations, in seconds, of the videos that it makes. Unlisted models of the row get those of the default. */
  readonly durations?: readonly number[];
  /** The aspect ratios of its output, such as `9:16`. If absent: the ratio of the image, or any. */
  readonly ratios?: readonly string[];
  /** The most pictures of a product that it takes besides the prompt and the first frame; none if absent. */
  readonly maxReferences?: number;
  /** The most concurrent requests per key, whatever the plan; unlimited if absent. */
  readonly maxConcurrent?: number;
  /** The names of its voices; the first is the default. */
  readonly voices?: readonly string[];
};

export const modelUnits = ["token", "image", "second", "character", "minute"] as const;
type ModelUnit = (typeof modelUnits)[number];

/** All accepted names of a provider, for messages. */
export const providerNames = ({ id, aliases }: Pick<ProviderInfo, "id" | "aliases">): string =>
  aliases.length > 0 ? `${id} (or ${aliases.join(", ")})` : id;

type ModelHeaderNames = {
  readonly modelId: string;
  readonly apiKey: string;
  /** The header of the other provider's key, if that key is missing too. */
  readonly otherApiKey?: string;
};

/** The provider, model and key from a request's headers. Absent fields mean the service's defaults. */
export type ModelChoice = {
  readonly provider?: string;
  readonly modelId?: string;
  readonly apiKey?: string;
  /** The headers of the model and the key, for error messages: by default `x-model-id` and `x-api-key`. */
  readonly headers?: ModelHeaderNames;
};

export type { ModelId } from "../../engine/timeline/source.ts";

export type SelectedModel = {
  readonly id: ModelId;
  /** The facts of a model that the service lists. */
  readonly info?: ModelInfo;
  readonly needsKey: boolean;
  /** See `CallTerms`. */
  readonly honoursIdempotencyKey?: boolean;
  /** The requested model, if it has been retired and another is used instead. */
  readonly replaces?: string;
};

/**
 * All available models. Each method throws unknown_provider, unsupported_capability, provider_key_required,
 * provider_key_rejected for a malformed key, or validation_error for a malformed model id; no provider is called.
 */
export type Models = {
  readonly providers: readonly ProviderInfo[];
  vision(choice: ModelChoice): VisionModel;
  llm(choice: ModelChoice): LanguageModel;
  image(choice: ModelChoice): ImageModel;
  video(choice: ModelChoice): VideoModel;
  speech(choice: ModelChoice): SpeechModel;
  music(choice: ModelChoice): MusicModel;
  /** Returns a model of the category speech. */
  transcription(choice: ModelChoice): TranscriptionModel;
  stock(choice: ModelChoice): StockLibrary;
  /** The model that a choice selects, without its key. Throws the same errors, except those of keys. */
  select(kind: ModelKind, choice: ModelChoice): SelectedModel;
  /** Throws provider_model_unavailable for a model that the row neither lists nor accepts by any name. */
  requireOffered(kind: ModelKind, choice: ModelChoice): void;
};

/** The model that a stored choice selects; undefined if the service no longer has it. */
export function findModel(
  models: Pick<Models, "select">,
  kind: ModelKind,
  choice: ModelChoice,
): SelectedModel | undefined {
  try {
    return models.select(kind, choice);
  } catch (error) {
    if (isDomainError(error)) return undefined;
    throw error;
  }
}

/** True for the models of external providers; the local ones cost nothing. */
type Billed = { readonly isBilled: boolean };

/** Models that make files have an id, which the facts of their files name. */
type Named = { readonly id?: ModelId };

/** `system` holds the role and the rules, `message` the input of one task. */
export type Prompt = { readonly system: string; readonly message: string };

/** The input of a vision model for a file, in addition to the prompt. */
type VisionInput = "frames" | "video" | "metrics";

export type DescribeVideoTask = {
  readonly prompt: Prompt;
  readonly metrics: VideoMetrics;
  /** Empty unless the model takes frames. */
  readonly frames: readonly VideoFrame[];
  readonly video: InspectedFile;
};

export type DescribeAssetTask = {
  readonly prompt: Prompt;
  readonly file: InspectedFile;
  /** Frames of a video; for an image, the image itself in a format that all providers accept. */
  readonly frames: readonly VideoFrame[];
  readonly metrics?: VideoMetrics;
};

/** An image in a format that all providers accept, or only its metrics, depending on the model's `inputFor`. */
export type ImageToCompare = { readonly image?: ReferenceImage; readonly metrics?: VideoMetrics };

export type MatchProductTask = {
  readonly prompt: Prompt;
  readonly picture: ImageToCompare;
  /** At least one. */
  readonly references: readonly ImageToCompare[];
};

export type VisionModel = Billed & {
  /** The input that the model needs for a file of this kind. */
  inputFor(facts: MediaFacts): VisionInput;
  describeVideo(task: DescribeVideoTask, call: ProviderCall): Promise<VideoDescription>;
  /** Returns one or two sentences on the content of an asset, and the boxes of its subject. */
  describeAsset(task: DescribeAssetTask, call: ProviderCall): Promise<AssetDescription>;
  /** Compares a picture with references of the product that it should show. */
  matchProduct(task: MatchProductTask, call: ProviderCall): Promise<ProductMatch>;
};

/** The facts for a scenario. The rule-based local model reads only these, never the prompt. */
export type Brief = {
  readonly mode: WorkMode;
  /** A film begins with the product, ends with a call to action, and states only what the brief states. */
  readonly form?: "film" | undefined;
  readonly productName: string;
  readonly productDescription: string;
  readonly targetAudience: string;
  /** A name or a tag, as the caller wrote it; empty if unspecified. */
  readonly language: string;
  readonly videoDurationSeconds?: number;
  readonly sceneCount?: number;
  readonly styleGuide?: StyleGuide;
  /** The analysis of the reference video; may be partial. */
  readonly analysis?: { readonly [key: string]: unknown };
};

export type LanguageModel = Billed & {
  /** Returns the result of `writeScenario` without a call, for models that work by rules. */
  plan?(brief: Brief): ScenarioOutput;
  writeScenario(task: { readonly prompt: Prompt; readonly brief: Brief }, call: ProviderCall): Promise<ScenarioOutput>;
  extractStyleGuide(
    task: { readonly prompt: Prompt; readonly text: string },
    call: ProviderCall,
  ): Promise<StyleGuideOutput>;
  /** Returns a text for each of `count` texts of the prompt. Absent for models that do not translate. */
  translate?(task: { readonly prompt: Prompt; readonly count: number }, call: ProviderCall): Promise<readonly string[]>;
};

export type ImageTask = {
  /** The complete prompt in one text. */
  readonly prompt: string;
  /** The parts of the prompt, for the local model, which typesets them. */
  readonly shot: {
    readonly prompt: string;
    readonly avoid: string;
    readonly styleGuide?: StyleGuide;
    readonly design?: SceneDesign;
  };
  readonly resolution: Canvas;
  /** Pictures of the product, at most as many as the model takes. */
  readonly references?: readonly ReferenceImage[];
  /** For models that take a seed: another one gives another picture. */
  readonly seed?: number;
};

/** A PNG, JPEG or WebP. `pixels` is its largest size. */
export type ReferenceImage = {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly pixels?: { readonly width: number; readonly height: number };
};

export type ImageModel = Billed &
  Named & {
    /** The most references per task; the first ones are used, none if absent. */
    readonly maxReferences?: number;
    /** Returns the bytes of one image file of any type; the caller must inspect them. */
    draw(task: ImageTask, call: ProviderCall): Promise<Uint8Array>;
  };

/** An image that a scene shows directly: it is contained where filling the frame would crop too much of it. */
export type DirectImage = {
  /** Colors of the ground as `#rrggbb`, the preferred one first; without any, the blurred image is the ground. */
  readonly palette: readonly string[];
  /** See `SceneSource`. */
  readonly core?: Canvas | undefined;
  onContained(why: Containment): void;
};

export type VideoTask = {
  readonly prompt: string;
  /** A description of the movement, without instructions and style. */
  readonly movement: string;
  readonly image: InspectedFile;
  /** A value that `nearestDuration` returned. */
  readonly durationSeconds: number;
  readonly resolution: Canvas;
  /** Pictures of the product besides the first frame, at most as many as the model takes. */
  readonly references?: readonly ReferenceImage[];
  /** A directly shown image. Models that frame their videos themselves ignore it. */
  readonly direct?: DirectImage | undefined;
  /** The design of the image, if the local model has drawn it. */
  readonly design?: SceneDesign | undefined;
  /** For models that take a seed. */
  readonly seed?: number;
};

export type VideoModel = Billed &
  Named & {
    /** The most references per task besides the first frame; the first ones are used, none if absent. */
    readonly maxReferences?: number;
    /** The supported duration nearest to `wantedSeconds`. */
    nearestDuration(wantedSeconds: number): number;
    /** A video on disk that the caller owns. `job` stores the provider's job id: no video is billed twice. */
    animate(task: VideoTask, call: ProviderCall, job: JobCheckpoint): Promise<ReceivedFile>;
    /** Ends a job that no request waits for, if the provider can. Absent without jobs. Never throws. */
    cancelJob?(id: string): Promise<void>;
  };

export type SpeechTask = {
  /** At most the model's `maxCharacters`, without markup. */
  readonly text: string;
  /** A name that `voiceNamed` returned. */
  readonly voice: string;
  /** From 0.5 to 2. */
  readonly speed: number;
  /** A BCP 47 tag. */
  readonly language?: string;
  /** Instructions on how to speak; may be empty. */
  readonly instructions: string;
};

export type SpeechModel = Billed & {
  readonly id: ModelId;
  readonly maxCharacters: number;
  /** The voice with this name, or the default voice. Throws validation_error if the model does not have it. */
  voiceNamed(name: string | undefined): string;
  /** Returns a sound that contains the whole text, as far as its length and level show. */
  speak(task: SpeechTask, call: ProviderCall): Promise<Samples>;
};

export const soundKinds = ["music", "effect"] as const;
type SoundKind = (typeof soundKinds)[number];

export type MusicTask = {
  readonly prompt: string;
  /** The wanted length: the model makes the nearest one that it supports. */
  readonly seconds: number;
  readonly kind: SoundKind;
};

export type MusicModel = Billed &
  Named & {
    /** Returns the bytes of one sound file of any type; the caller must inspect them. */
    compose(task: MusicTask, call: ProviderCall): Promise<Uint8Array>;
  };

export type TranscriptionTask = {
  readonly sound: SoundForModel;
  /** The BCP 47 tag of the spoken language, if known. */
  readonly language?: string;
};

/** The transcript of a model. `words` is empty if the model gives no times, or unusable ones. */
export type Transcript = {
  readonly text: string;
  readonly language?: string;
  readonly words: readonly SpokenWord[];
};

export type TranscriptionModel = Billed & {
  /** The provider's name in messages. */
  readonly providerName: string;
  readonly maxSeconds: number;
  readonly maxBytes: number;
  transcribe(task: TranscriptionTask, call: ProviderCall): Promise<Transcript>;
};
