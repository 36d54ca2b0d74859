import type { LocalGenerator } from "../../domain/ai/generation/local-generator.ts";
import type {
  ImageModel,
  LanguageModel,
  ModelInfo,
  MusicModel,
  SpeechModel,
  TranscriptionModel,
  VideoModel,
  VisionModel,
} from "../../domain/ai/models.ts";
import type { Fetcher } from "../../domain/files/fetcher.ts";
import type { CallTerms } from "../../domain/ledger/call.ts";
import type { StockLibrary } from "../../domain/stock/stock.ts";
import type { FileStore, ImageConverter, SoundTools } from "../../engine/ports.ts";
import type { ModelCredentials } from "./credentials.ts";
import type { Backoff } from "./retry.ts";

/** What the clients of providers use of the service. */
export type ModelPorts = {
  readonly localGenerator: LocalGenerator;
  /** Receives generated videos. */
  readonly files: Pick<FileStore, "receive" | "discard">;
  /** Downloads results from hosts that a provider's answer names. */
  readonly fetcher: Pick<Fetcher, "download">;
  /** Makes images small enough for a provider. */
  readonly images: ImageConverter;
  /** Decodes generated voices. */
  readonly soundTools: SoundTools;
  /** The pauses between two looks at a job; by default those of its client. */
  readonly pollBackoff?: Backoff;
};

/** The models of a provider in one category. Each term needs a page that documents it, which the row names. */
export type CategoryRow<Model> = CallTerms & {
  /** The name that existing clients store, if it is another than the provider's. */
  readonly id?: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  /** The first that does not end soon is the default. */
  readonly models: readonly ModelInfo[];
  /** The provider has many more than are listed: films take any name. */
  readonly takesAnyModel?: boolean;
  /** The days from which models that are not listed any more are gone. */
  readonly retired?: Readonly<Record<string, string>>;
  /** What a model is sent as once it has ended. */
  readonly successors?: Readonly<Record<string, string>>;
  create(credentials: ModelCredentials, ports: ModelPorts): Model;
};

export type ProviderRow = {
  /** The name that existing clients store. */
  readonly id: string;
  /** Other accepted names. */
  readonly aliases?: readonly string[];
  /** The same in all categories, for usage records; by default the id. */
  readonly providerId?: string;
  readonly name: string;
  /** A prefix of the provider's model names that its URL paths already contain; removed from model ids. */
  readonly modelIdPrefix?: string;
  /** Undefined for what runs on this machine and takes no key. */
  readonly api?: ProviderApi;
  readonly vision?: CategoryRow<VisionModel>;
  readonly llm?: CategoryRow<LanguageModel>;
  readonly image?: CategoryRow<ImageModel>;
  readonly video?: CategoryRow<VideoModel>;
  readonly speech?: CategoryRow<SpeechModel>;
  readonly music?: CategoryRow<MusicModel>;
  /** The models that hear, of a provider in the category speech. */
  readonly transcription?: CategoryRow<TranscriptionModel>;
  readonly stock?: CategoryRow<StockLibrary>;
};

type BaseUrlSetting =
  | "OPENAI"
  | "GOOGLE"
  | "ANTHROPIC"
  | "FAL"
  | "RUNWAY"
  | "ELEVENLABS"
  | "GATEWAY"
  | "REPLICATE"
  | "XAI"
  | "BFL"
  | "ALIBABA"
  | "PEXELS"
  | "PIXABAY";

export type ProviderApi = {
  /** The setting that names another address, without `_BASE_URL`. */
  readonly setting: BaseUrlSetting;
  readonly baseUrl: string;
  /** True if the setting names the path of the API too, as the two oldest ones do. */
  readonly takesWholeAddress?: boolean;
  /** Other origins of the provider that take its keys; the setting stands for them too. */
  readonly otherOrigins?: readonly string[];
};
