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

/** The models that hear are of the providers of the category speech. Stock archives are chosen as models are. */
export type ModelKind = Category | "transcription" | "stock";

/** A provider in one category, as the API lists it. */
export type ProviderInfo = {
  /** The name that existing clients store. */
  readonly id: string;
  /** Other accepted names. */
  readonly aliases: readonly string[];
  readonly name: string;
  readonly category: Category;
  readonly description: string;
  /** The first model is the default. */
  readonly models: readonly ModelInfo[];
  /** The models that hear what is said; only in the category speech. */
  readonly transcriptionModels?: readonly ModelInfo[];
};

export type ModelInfo = {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** The day from which the provider answers requests for it no longer, such as `2027-01-06`. */
  readonly endsOn?: string;
  /** What the provider charges for. */
  readonly unit?: ModelUnit;
  /** Seconds of the videos that it makes. Unlisted models of the row get those of the default. */
  readonly durations?: readonly number[];
  /** The aspect ratios of what it makes, such as `9:16`. None: that of the image, or any. */
  readonly ratios?: readonly string[];
  /** How many pictures of a product it takes besides the prompt and the first frame; none if absent. */
  readonly maxReferences?: number;
  /** How many requests of one key the provider works on at a time, whatever the plan; unlimited if absent. */
  readonly maxConcurrent?: number;
  /** The names of the voices that it speaks with; the first is the default. */
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
  /** The header of the other provider's key, if that is missing too. */
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
  /** Of a model that the service lists. */
  readonly info?: ModelInfo;
  readonly needsKey: boolean;
  /** As in `CallTerms`. */
  readonly honoursIdempotencyKey?: boolean;
  /** The model that was asked for, if that has ended and another is sent for it. */
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
  /** Of the providers of the category speech. */
  transcription(choice: ModelChoice): TranscriptionModel;
  stock(choice: ModelChoice): StockLibrary;
  /** The model that a choice selects, without its key. Throws the same errors, except those of keys. */
  select(kind: ModelKind, choice: ModelChoice): SelectedModel;
  /** Throws provider_model_unavailable for a model that the provider's row does not list, unless it takes any name. */
  requireOffered(kind: ModelKind, choice: ModelChoice): void;
};

/** The model that a stored choice selects; undefined once the service has it no longer. */
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

/** What makes files says so in their facts. */
type Named = { readonly id?: ModelId };

/** `system` holds the role and the rules, `message` the input of one task. */
export type Prompt = { readonly system: string; readonly message: string };

/** What a vision model takes of a file in addition to the prompt. */
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

/** An image, in a format that all providers accept or by its metrics alone, as the model's `inputFor` says. */
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
  /** Returns one or two sentences on the content of an asset, and where its subject is. */
  describeAsset(task: DescribeAssetTask, call: ProviderCall): Promise<AssetDescription>;
  /** Compares a picture with references of the product that it should show. */
  matchProduct(task: MatchProductTask, call: ProviderCall): Promise<ProductMatch>;
};

/** The facts that a scenario is written from. The rule-based local model reads only these, never the prompt. */
export type Brief = {
  readonly mode: WorkMode;
  /** A film begins with the product, ends with a call to action, and says what the brief says alone. */
  readonly form?: "film" | undefined;
  readonly productName: string;
  readonly productDescription: string;
  readonly targetAudience: string;
  /** As the caller wrote it, a name or a tag; empty if unspecified. */
  readonly language: string;
  readonly videoDurationSeconds?: number;
  readonly sceneCount?: number;
  readonly styleGuide?: StyleGuide;
  /** The analysis of the reference video; may be partial. */
  readonly analysis?: { readonly [key: string]: unknown };
};

export type LanguageModel = Billed & {
  /** What `writeScenario` would answer, where rules write it: nothing is called. */
  plan?(brief: Brief): ScenarioOutput;
  writeScenario(task: { readonly prompt: Prompt; readonly brief: Brief }, call: ProviderCall): Promise<ScenarioOutput>;
  extractStyleGuide(
    task: { readonly prompt: Prompt; readonly text: string },
    call: ProviderCall,
  ): Promise<StyleGuideOutput>;
  /** Returns a text for each of `count` texts of the prompt. Absent where no model translates. */
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
  /** Pictures of the product: no more than the model takes. */
  readonly references?: readonly ReferenceImage[];
  /** For models that take one: another one gives another picture. */
  readonly seed?: number;
};

/** A PNG, JPEG or WebP. `pixels` is the size that it has at most. */
export type ReferenceImage = {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly pixels?: { readonly width: number; readonly height: number };
};

export type ImageModel = Billed &
  Named & {
    /** How many references of a task it takes, the first ones; none if absent. */
    readonly maxReferences?: number;
    /** Returns the bytes of one image file of any type; the caller must inspect them. */
    draw(task: ImageTask, call: ProviderCall): Promise<Uint8Array>;
  };

/** An image that a scene shows itself: it is contained where to fill the frame would crop too much of it. */
export type DirectImage = {
  /** Colors of the ground as `#rrggbb`, the preferred one first; if there are none, the image itself, blurred, is it. */
  readonly palette: readonly string[];
  /** See SceneSource. */
  readonly core?: Canvas | undefined;
  onContained(why: Containment): void;
};

export type VideoTask = {
  readonly prompt: string;
  /** Describes the movement, without instructions and style. */
  readonly movement: string;
  readonly image: InspectedFile;
  /** A value that `nearestDuration` returned. */
  readonly durationSeconds: number;
  readonly resolution: Canvas;
  /** Pictures of the product besides the first frame: no more than the model takes. */
  readonly references?: readonly ReferenceImage[];
  /** For an image that a scene shows itself. Models that frame their videos themselves ignore it. */
  readonly direct?: DirectImage | undefined;
  /** For the local model: what the image shows, if that model has drawn it. */
  readonly design?: SceneDesign | undefined;
  /** For models that take one. */
  readonly seed?: number;
};

export type VideoModel = Billed &
  Named & {
    /** How many references of a task it takes besides the first frame, the first ones; none if absent. */
    readonly maxReferences?: number;
    /** The supported duration nearest to `wantedSeconds`. */
    nearestDuration(wantedSeconds: number): number;
    /** A video on disk that the caller owns. `job` stores the provider's job id: no video is billed twice. */
    animate(task: VideoTask, call: ProviderCall, job: JobCheckpoint): Promise<ReceivedFile>;
    /** Ends a job that no request waits for, where the provider can. Absent where there are no jobs. Never throws. */
    cancelJob?(id: string): Promise<void>;
  };

export type SpeechTask = {
  /** At most `maxCharacters` of the model, and no markup. */
  readonly text: string;
  /** A name that `voiceNamed` returned. */
  readonly voice: string;
  /** 0.5 to 2. */
  readonly speed: number;
  /** A BCP 47 tag. */
  readonly language?: string;
  /** How to speak; empty for none. */
  readonly instructions: string;
};

export type SpeechModel = Billed & {
  readonly id: ModelId;
  readonly maxCharacters: number;
  /** The voice of this name, or the default one. Throws validation_error for a voice that the model does not have. */
  voiceNamed(name: string | undefined): string;
  /** Returns a sound in which the whole text is heard, as far as its length and level show. */
  speak(task: SpeechTask, call: ProviderCall): Promise<Samples>;
};

export const soundKinds = ["music", "effect"] as const;
type SoundKind = (typeof soundKinds)[number];

export type MusicTask = {
  readonly prompt: string;
  /** The length that is wanted: a model makes the nearest that it can. */
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
  /** A BCP 47 tag of what is spoken, if it is known. */
  readonly language?: string;
};

/** What a model has heard. `words` are empty if it gives no times, or unusable ones. */
export type Transcript = {
  readonly text: string;
  readonly language?: string;
  readonly words: readonly SpokenWord[];
};

export type TranscriptionModel = Billed & {
  /** For messages. */
  readonly providerName: string;
  readonly maxSeconds: number;
  readonly maxBytes: number;
  transcribe(task: TranscriptionTask, call: ProviderCall): Promise<Transcript>;
};
