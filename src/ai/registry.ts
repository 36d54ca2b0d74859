import type {
  Category,
  ImageModel,
  LanguageModel,
  ModelChoice,
  Models,
  ProviderInfo,
  VideoModel,
  VisionModel,
} from "../domain/ai/models.ts";
import { DomainError, invalid } from "../errors.ts";
import type { ModelCredentials } from "./client/credentials.ts";

/** A provider in one category. */
export type ProviderEntry<Model> = Omit<ProviderInfo, "category"> & {
  /** Other accepted names. */
  readonly aliases: readonly string[];
  readonly needsKey: boolean;
  readonly baseUrl: string;
  create(credentials: ModelCredentials): Model;
};

export type ProviderTable = {
  readonly vision: readonly ProviderEntry<VisionModel>[];
  readonly llm: readonly ProviderEntry<LanguageModel>[];
  readonly image: readonly ProviderEntry<ImageModel>[];
  readonly video: readonly ProviderEntry<VideoModel>[];
};

/** Selects providers and models from the table. `defaults` are the providers for requests that name none. */
export function createModels(table: ProviderTable, defaults: Readonly<Record<Category, string>>): Models {
  const select = <Model>(category: Category, entries: readonly ProviderEntry<Model>[], choice: ModelChoice) =>
    requireEntry(table, category, entries, choice.provider ?? defaults[category]);

  const create = <Model>(category: Category, entries: readonly ProviderEntry<Model>[], choice: ModelChoice): Model => {
    const entry = select(category, entries, choice);
    return entry.create(credentialsFor(entry, choice));
  };

  return {
    providers: Object.entries(table).flatMap(([category, entries]) =>
      entries.map((entry) => providerInfo(category as Category, entry)),
    ),
    vision: (choice) => create("vision", table.vision, choice),
    llm: (choice) => create("llm", table.llm, choice),
    image: (choice) => create("image", table.image, choice),
    video: (choice) => create("video", table.video, choice),
    selectProvider: (category, choice) => select<unknown>(category, table[category], choice),
  };
}

const providerInfo = (category: Category, { id, name, description, models }: ProviderEntry<unknown>): ProviderInfo => ({
  id,
  name,
  category,
  description,
  models,
});

/** Completes the sentence "… makes no …". */
const outputNames: Record<Category, string> = { vision: "analyses", llm: "texts", image: "images", video: "videos" };

function requireEntry<Model>(
  table: ProviderTable,
  category: Category,
  entries: readonly ProviderEntry<Model>[],
  name: string,
): ProviderEntry<Model> {
  const found = entries.find(isNamed(name));
  if (found) return found;
  const known = entries.map(({ id }) => id);
  const inOtherCategory = Object.values(table).flat().find(isNamed(name));
  if (!inOtherCategory || known.includes(inOtherCategory.id)) throw new DomainError("unknown_provider", { known });
  const { name: provider } = inOtherCategory;
  throw new DomainError("unsupported_capability", { provider, what: outputNames[category], instead: known });
}

const isNamed = (name: string) => {
  const normalized = name.trim().toLowerCase();
  return ({ id, aliases }: ProviderEntry<unknown>) => id === normalized || aliases.includes(normalized);
};

function credentialsFor(entry: ProviderEntry<unknown>, choice: ModelChoice): ModelCredentials {
  const chosenId = choice.modelId?.trim();
  return {
    providerName: entry.name,
    providerId: entry.id,
    modelId: chosenId ? requireModelId(chosenId) : entry.models[0]!.id, // safe because every entry has models
    byDefault: !chosenId,
    apiKey: entry.needsKey ? requireKey(entry, choice.apiKey?.trim()) : "",
    baseUrl: entry.baseUrl,
  };
}

function requireModelId(modelId: string): string {
  if (/^[A-Za-z0-9._:/@-]{1,200}$/.test(modelId) && !modelId.includes("..")) return modelId;
  throw invalid("x-model-id", "must have at most 200 letters, digits and . _ : / @ -, and no two dots in a row");
}

function requireKey({ name: provider }: ProviderEntry<unknown>, apiKey: string | undefined): string {
  if (!apiKey) throw new DomainError("provider_key_required", { provider });
  // fetch rejects such a header with an error message that contains the whole key
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new DomainError("provider_key_rejected", { provider });
  return apiKey;
}
