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

/** The parts of the service that provider clients use. */
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
  /** The intervals between polls of a job; by default those of its client. */
  readonly pollBackoff?: Backoff;
};

/** The models of a provider in one category. Each term needs a documentation page, which the row names. */
export type CategoryRow<Model> = CallTerms & {
  /** The name that existing clients store, if it differs from the provider's. */
  readonly id?: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  /** The first model that does not end soon is the default. */
  readonly models: readonly ModelInfo[];
  /** True if the provider has many more models than are listed: films accept any name. */
  readonly takesAnyModel?: boolean;
  /** The days on which models ended that are no longer listed. */
  readonly retired?: Readonly<Record<string, string>>;
  /** The model that replaces another one once that has ended. */
  readonly successors?: Readonly<Record<string, string>>;
  create(credentials: ModelCredentials, ports: ModelPorts): Model;
};

export type ProviderRow = {
  /** The name that existing clients store. */
  readonly id: string;
  /** Other accepted names. */
  readonly aliases?: readonly string[];
  /** An id for all categories, for usage records; by default `id`. */
  readonly providerId?: string;
  readonly name: string;
  /** A prefix of the provider's model names that its URL paths already contain; removed from model ids. */
  readonly modelIdPrefix?: string;
  /** Undefined for providers that run on this machine and take no key. */
  readonly api?: ProviderApi;
  readonly vision?: CategoryRow<VisionModel>;
  readonly llm?: CategoryRow<LanguageModel>;
  readonly image?: CategoryRow<ImageModel>;
  readonly video?: CategoryRow<VideoModel>;
  readonly speech?: CategoryRow<SpeechModel>;
  readonly music?: CategoryRow<MusicModel>;
  /** The speech recognition models of a provider in the category speech. */
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
  /** The setting that sets another address, without `_BASE_URL`. */
  readonly setting: BaseUrlSetting;
  readonly baseUrl: string;
  /** True if the setting includes the path of the API, as for the two oldest ones. */
  readonly takesWholeAddress?: boolean;
  /** Further origins of the provider that accept its keys; the setting replaces them too. */
  readonly otherOrigins?: readonly string[];
};
