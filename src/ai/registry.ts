import type {
  Category,
  ImageModel,
  LanguageModel,
  ModelChoice,
  Models,
  ProviderRow,
  VideoModel,
  VisionModel,
} from "../domain/ai/models.ts";
import { DomainError, invalid } from "../errors.ts";
import type { Access } from "./client/credentials.ts";

/** What one provider can do in one category, and how its models are made. */
export type Row<Model> = Omit<ProviderRow, "category"> & {
  /** Other names that callers know it by. */
  readonly aliases: readonly string[];
  readonly needsKey: boolean;
  readonly baseUrl: string;
  make(access: Access): Model;
};

export type Table = {
  readonly vision: readonly Row<VisionModel>[];
  readonly llm: readonly Row<LanguageModel>[];
  readonly image: readonly Row<ImageModel>[];
  readonly video: readonly Row<VideoModel>[];
};

/** The rules by which a row and a model of it are chosen. `defaults` name the providers of callers who name none. */
export function modelsOf(table: Table, defaults: Readonly<Record<Category, string>>): Models {
  const choose = <Model>(category: Category, rows: readonly Row<Model>[], choice: ModelChoice): Model => {
    const row = requireRow(table, category, rows, choice.provider ?? defaults[category]);
    return row.make(accessTo(row, choice));
  };
  return {
    rows: Object.entries(table).flatMap(([category, rows]) => rows.map((row) => shown(category as Category, row))),
    vision: (choice) => choose("vision", table.vision, choice),
    llm: (choice) => choose("llm", table.llm, choice),
    image: (choice) => choose("image", table.image, choice),
    video: (choice) => choose("video", table.video, choice),
    provider: (category, choice) =>
      requireRow<unknown>(table, category, table[category], choice.provider ?? defaults[category]),
  };
}

const shown = (category: Category, { id, name, description, models }: Row<unknown>): ProviderRow => ({
  ...{ id, name, category, description, models },
});

const makes: Record<Category, string> = { vision: "analyses", llm: "texts", image: "images", video: "videos" };

function requireRow<Model>(table: Table, category: Category, rows: readonly Row<Model>[], name: string): Row<Model> {
  const found = rows.find(isCalled(name));
  if (found) return found;
  const known = rows.map(({ id }) => id);
  const elsewhere = Object.values(table).flat().find(isCalled(name));
  if (!elsewhere || known.includes(elsewhere.id)) throw new DomainError("unknown_provider", { known });
  throw new DomainError("unsupported_capability", {
    ...{ provider: elsewhere.name, what: makes[category], instead: known },
  });
}

const isCalled = (name: string) => {
  const wanted = name.trim().toLowerCase();
  return ({ id, aliases }: Row<unknown>) => id === wanted || aliases.includes(wanted);
};

function accessTo(row: Row<unknown>, choice: ModelChoice): Access {
  const named = choice.modelId?.trim();
  const modelId = named ? requireModelId(named) : row.models[0]!.id; // safe because no row is without models
  const apiKey = row.needsKey ? requireKey(row, choice.apiKey?.trim()) : "";
  return { providerName: row.name, providerId: row.id, modelId, byDefault: !named, apiKey, baseUrl: row.baseUrl };
}

function requireModelId(modelId: string): string {
  if (/^[A-Za-z0-9._:/@-]{1,200}$/.test(modelId) && !modelId.includes("..")) return modelId;
  throw invalid("x-model-id", "must have at most 200 letters, digits and . _ : / @ -, and no two dots in a row");
}

function requireKey({ name: provider }: Row<unknown>, apiKey: string | undefined): string {
  if (!apiKey) throw new DomainError("provider_key_required", { provider });
  // fetch would tell the whole key in its complaint about such a header
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new DomainError("provider_key_rejected", { provider });
  return apiKey;
}
