import {
  type Category,
  type ImageModel,
  type LanguageModel,
  type ModelChoice,
  type Models,
  type ProviderInfo,
  providerNames,
  type SelectedModel,
  type SpeechModel,
  type TranscriptionModel,
  type VideoModel,
  type VisionModel,
} from "../domain/ai/models.ts";
import { DomainError, invalid } from "../errors.ts";
import type { ModelCredentials } from "./client/credentials.ts";

/** A provider in one category. */
export type ProviderEntry<Model> = Omit<ProviderInfo, "category" | "transcriptionModels"> & {
  /** The same in all categories, for usage records. */
  readonly providerId: string;
  readonly needsKey: boolean;
  readonly baseUrl: string;
  /** A prefix of the provider's model names that its URL paths already contain; removed from model ids. */
  readonly modelIdPrefix: string;
  create(credentials: ModelCredentials): Model;
};

export type ProviderTable = {
  readonly vision: readonly ProviderEntry<VisionModel>[];
  readonly llm: readonly ProviderEntry<LanguageModel>[];
  readonly image: readonly ProviderEntry<ImageModel>[];
  readonly video: readonly ProviderEntry<VideoModel>[];
  readonly speech: readonly ProviderEntry<SpeechModel>[];
};

/** The models that hear, of the providers of the category speech. */
export type Transcribers = readonly ProviderEntry<TranscriptionModel>[];

/** Selects providers and models from the table. `defaults` are the providers for requests that name none. */
export function createModels(
  table: ProviderTable,
  transcribers: Transcribers,
  defaults: Readonly<Record<Category, string>>,
): Models {
  const find = <Model>(category: Category, entries: readonly ProviderEntry<Model>[], choice: ModelChoice) =>
    requireEntry(table, category, entries, choice.provider ?? defaults[category]);

  const create = <Model>(category: Category, entries: readonly ProviderEntry<Model>[], choice: ModelChoice): Model => {
    const entry = find(category, entries, choice);
    return entry.create(credentialsFor(entry, choice));
  };

  return {
    providers: Object.entries(table).flatMap(([category, entries]) =>
      entries.map((entry) => ({
        ...providerInfo(category as Category, entry),
        ...(category === "speech" && { transcriptionModels: transcribers.find(({ id }) => id === entry.id)!.models }),
      })),
    ),
    vision: (choice) => create("vision", table.vision, choice),
    llm: (choice) => create("llm", table.llm, choice),
    image: (choice) => create("image", table.image, choice),
    video: (choice) => create("video", table.video, choice),
    speech: (choice) => create("speech", table.speech, choice),
    transcription: (choice) => create("speech", transcribers, choice),
    select: (category, choice) => selectedModel(find<unknown>(category, table[category], choice), choice),
  };
}

const providerInfo = (category: Category, entry: ProviderEntry<unknown>): ProviderInfo => {
  const { id, aliases, name, description, models } = entry;
  return { id, aliases, name, category, description, models };
};

/** Completes the sentence "… makes no …". */
const outputNames: Record<Category, string> = {
  vision: "analyses",
  llm: "texts",
  image: "images",
  video: "videos",
  speech: "voices and transcripts",
};

function requireEntry<Model>(
  table: ProviderTable,
  category: Category,
  entries: readonly ProviderEntry<Model>[],
  name: string,
): ProviderEntry<Model> {
  const found = entries.find(isNamed(name));
  if (found) return found;
  const known = entries.map(providerNames);
  const elsewhere = Object.values(table).flat().find(isNamed(name));
  if (!elsewhere) throw new DomainError("unknown_provider", { known });
  // the provider has a row here too, under another name: only the name is of another category
  const isHere = entries.some(({ providerId }) => providerId === elsewhere.providerId);
  const provider = isHere ? elsewhere.id : elsewhere.name;
  throw new DomainError("unsupported_capability", { provider, what: outputNames[category], instead: known });
}

const isNamed = (name: string) => {
  const normalized = name.trim().toLowerCase();
  return ({ id, aliases }: ProviderEntry<unknown>) => id === normalized || aliases.includes(normalized);
};

const selectedModel = (entry: ProviderEntry<unknown>, choice: ModelChoice): SelectedModel => ({
  id: { provider: entry.providerId, model: modelIdOf(entry, choice) },
  needsKey: entry.needsKey,
});

const credentialsFor = (entry: ProviderEntry<unknown>, choice: ModelChoice): ModelCredentials => ({
  providerName: entry.name,
  providerId: entry.providerId,
  modelId: modelIdOf(entry, choice),
  byDefault: !choice.modelId?.trim(),
  offeredModels: entry.models.map(({ id }) => id),
  apiKey: entry.needsKey ? requireKey(entry, choice) : "",
  baseUrl: entry.baseUrl,
});

function modelIdOf({ models, modelIdPrefix }: ProviderEntry<unknown>, { modelId, headers }: ModelChoice): string {
  const chosen = modelId?.trim();
  if (!chosen) return models[0]!.id; // safe because every entry has models
  if (!/^[A-Za-z0-9._:/@-]{1,200}$/.test(chosen) || chosen.includes("..")) {
    const message = "Must have at most 200 letters, digits and . _ : / @ -, and no two dots in a row.";
    throw invalid(headers?.modelId ?? "x-model-id", message);
  }
  return chosen.startsWith(modelIdPrefix) ? chosen.slice(modelIdPrefix.length) : chosen;
}

function requireKey({ name: provider }: ProviderEntry<unknown>, { apiKey, headers }: ModelChoice): string {
  const key = apiKey?.trim();
  if (!key) {
    const { apiKey: header = "x-api-key", otherApiKey } = headers ?? {};
    throw new DomainError("provider_key_required", {
      provider,
      header,
      ...(otherApiKey && { otherHeader: otherApiKey }),
    });
  }
  // fetch rejects such a header with an error message that contains the whole key
  if (!/^[\x21-\x7e]+$/.test(key)) throw new DomainError("provider_key_rejected", { provider });
  return key;
}
