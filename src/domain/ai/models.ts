import type { MediaFacts } from "../../timeline/source.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import type { ReceivedFile } from "../files/file-store.ts";
import type { StyleGuide } from "../projects/projects.ts";
import type { WorkMode } from "../works/works.ts";
import type { FilmDescription, ScenarioDraft, StyleGuideDraft } from "./output-schemas.ts";
import type { JobMemory, ProviderCall } from "./provider-calls.ts";
import type { VideoFrame, VideoMetrics } from "./video-metrics.ts";

export const categories = ["vision", "llm", "image", "video"] as const;
export type Category = (typeof categories)[number];

/** A provider in one category, as callers see it. */
export type ProviderRow = {
  readonly id: string;
  readonly name: string;
  readonly category: Category;
  readonly description: string;
  /** The first one is used when a caller names none. */
  readonly models: readonly { readonly id: string; readonly name: string; readonly description?: string }[];
};

/** What a caller's headers ask for; whatever is absent is the service's own default. */
export type ModelChoice = { readonly provider?: string; readonly modelId?: string; readonly apiKey?: string };

/**
 * Every model that can be asked. Each method throws unknown_provider, unsupported_capability, provider_key_required,
 * or validation_error for a model id that is none, before anything is asked.
 */
export type Models = {
  readonly rows: readonly ProviderRow[];
  vision(choice: ModelChoice): VisionModel;
  llm(choice: ModelChoice): LanguageModel;
  image(choice: ModelChoice): ImageModel;
  video(choice: ModelChoice): VideoModel;
  /** Who would be asked, and whether with a key; throws unknown_provider and unsupported_capability alone. */
  provider(category: Category, choice: ModelChoice): { readonly id: string; readonly needsKey: boolean };
};

/** Only a model of a provider outside costs money. */
type Billed = { readonly isBilled: boolean };

/** Who the model is and what it does; then what it works on. */
export type Prompt = { readonly system: string; readonly message: string };

/** A file on this machine's disk for a model to look at. */
export type SeenFile = { readonly path: string; readonly sizeBytes: number; readonly facts: MediaFacts };

export type FilmTask = {
  readonly prompt: Prompt;
  readonly measures: VideoMetrics;
  /** Given to a model that sees frames. */
  readonly frames: readonly VideoFrame[];
  readonly film: SeenFile;
};

export type AssetTask = {
  readonly prompt: Prompt;
  readonly file: SeenFile;
  /** Of a video, for a model that sees frames; of an image, the picture itself in a format every provider takes. */
  readonly frames: readonly VideoFrame[];
  readonly measures?: VideoMetrics;
};

export type VisionModel = Billed & {
  /** What it must be given of such a file beside the measurements. */
  sees(facts: MediaFacts): "frames" | "film" | "measures";
  describeFilm(task: FilmTask, call: ProviderCall): Promise<FilmDescription>;
  /** One or two sentences on what an asset shows. */
  describeAsset(task: AssetTask, call: ProviderCall): Promise<string>;
};

/** What a film is to be, in facts: a rule-based writer reads these and no prompt. */
export type Brief = {
  readonly mode: WorkMode;
  readonly productName: string;
  readonly productDescription: string;
  readonly targetAudience: string;
  /** As the caller wrote it: a name or a tag; empty when open. */
  readonly language: string;
  readonly videoDurationSeconds?: number;
  readonly sceneCount?: number;
  readonly styleGuide?: StyleGuide;
  /** The reference film, as far as it is known. */
  readonly analysis?: { readonly [key: string]: unknown };
};

export type LanguageModel = Billed & {
  writeScenario(task: { readonly prompt: Prompt; readonly brief: Brief }, call: ProviderCall): Promise<ScenarioDraft>;
  readStyleGuide(
    task: { readonly prompt: Prompt; readonly text: string },
    call: ProviderCall,
  ): Promise<StyleGuideDraft>;
};

export type ImageTask = {
  /** Everything a model should know, in one text. */
  readonly prompt: string;
  /** The same in parts, for a drawer that sets type. */
  readonly shot: { readonly prompt: string; readonly avoid: string; readonly styleGuide?: StyleGuide };
  readonly resolution: Canvas;
};

export type ImageModel = Billed & {
  /** The bytes of one picture, of any type: whoever asked inspects them. */
  draw(task: ImageTask, call: ProviderCall): Promise<Uint8Array>;
};

export type VideoTask = {
  readonly prompt: string;
  /** What the movement is about, without instructions and style. */
  readonly movement: string;
  readonly image: SeenFile;
  /** One that `nearestDuration` gave. */
  readonly durationSeconds: number;
  readonly resolution: Canvas;
};

export type VideoModel = Billed & {
  /** The length in seconds that comes nearest to the wanted one. */
  nearestDuration(wantedSeconds: number): number;
  /** A video on the disk, which belongs to the caller. `job` remembers what was started, so that nothing is paid twice. */
  animate(task: VideoTask, call: ProviderCall, job: JobMemory): Promise<ReceivedFile>;
};
