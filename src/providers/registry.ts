import {
  type Category,
  categories,
  type ModelChoice,
  type ModelId,
  type ModelInfo,
  type ModelKind,
  type Models,
  type ProviderInfo,
  providerNames,
  type SelectedModel,
} from "../domain/ai/models.ts";
import type { ProviderCall } from "../domain/ai/provider-calls.ts";
import { DomainError, invalid } from "../errors.ts";
import { type ConcurrencyLimit, concurrencyLimit } from "../platform/limits/concurrency-limit.ts";
import { withoutUndefined } from "../platform/values.ts";
import type { ModelCredentials } from "./client/credentials.ts";
import type { CategoryRow, ModelPorts, ProviderApi, ProviderRow } from "./client/rows.ts";

export type RegistryOptions = {
  /** The providers for requests that name none. */
  readonly defaults: Readonly<Record<Category, string | undefined>>;
  /** Other addresses of providers, by the setting of their rows. */
  readonly baseUrls: Readonly<Record<string, string | undefined>>;
  /** The time that decides which models have ended. */
  readonly now: () => number;
};

type Entry = Omit<CategoryRow<unknown>, "id" | "aliases"> &
  Pick<ProviderRow, "id" | "name" | "api"> &
  Required<Pick<ProviderRow, "aliases" | "providerId" | "modelIdPrefix">>;

export function createModels(rows: readonly ProviderRow[], ports: ModelPorts, options: RegistryOptions): Models {
  const { defaults, now } = options;

  const entriesByKind = new Map<ModelKind, readonly Entry[]>();
  const entriesOf = (kind: ModelKind): readonly Entry[] => {
    const known = entriesByKind.get(kind);
    if (known) return known;
    const entries = rows.flatMap((row) => {
      const inCategory = row[kind];
      return inCategory ? [entryOf(row, inCategory)] : [];
    });
    // those that end completely come last
    const sorted = [...entries.filter((entry) => !endsWholly(entry)), ...entries.filter(endsWholly)];
    entriesByKind.set(kind, sorted);
    return sorted;
  };

  const find = (kind: ModelKind, { provider }: ModelChoice): Entry => {
    const entries = entriesOf(kind);
    const category = kind === "transcription" ? "speech" : kind;
    if (provider !== undefined) return requireEntry(rows, category, entries, provider);
    const byDefault = category === "stock" ? undefined : defaults[category];
    if (byDefault === undefined) throw new DomainError("provider_key_required", missingProvider(category));
    const named = requireEntry(rows, category, entries, byDefault);
    const hasDefault = (entry: Entry) => defaultModel(entry, now()) !== undefined;
    if (hasDefault(named)) return named;
    return entries.find((entry) => !entry.api && hasDefault(entry)) ?? entries.find(hasDefault) ?? named;
  };

  const create = <Name extends ModelKind>(kind: Name, choice: ModelChoice) => {
    const entry = find(kind, choice);
    const credentials = credentialsFor(entry, choice, options);
    const model = entry.create(credentials, ports);
    // safe because the entry is one of this kind
    return queued(onTerms(model as object, entry), entry, credentials) as ReturnType<
      NonNullable<ProviderRow[Name]>["create"]
    >;
  };

  const limits = new Map<string, ConcurrencyLimit>();
  /** The model, with requests that wait while the provider works on the key's maximum. */
  const queued = (model: object, { models }: Entry, { providerId, modelId, apiKey }: ModelCredentials): object => {
    const perOwner = models.find(({ id }) => id === modelId)?.maxConcurrent;
    if (perOwner === undefined) return model;
    const name = `${providerId}/${modelId}`;
    const limit = limits.get(name) ?? concurrencyLimit({ concurrency: Number.POSITIVE_INFINITY, perOwner });
    limits.set(name, limit);
    const owner = `${Bun.hash(apiKey)}`;
    return withCalls(model, (call, send) => limit(() => send(call), { owner, signal: call.clientSignal }));
  };

  const idOf = (kind: ModelKind, choice: ModelChoice): ModelId => {
    const entry = find(kind, choice);
    return { provider: entry.providerId, model: modelOf(entry, choice, now()).model };
  };

  return {
    get providers() {
      const transcription = entriesOf("transcription");
      return categories.flatMap((category) =>
        entriesOf(category).map((entry) => {
          const hearing = category === "speech" && transcription.find(({ id }) => id === entry.id);
          return {
            ...providerInfo(category, entry, now()),
            ...(hearing && { transcriptionModels: defaultFirst(hearing, now()) }),
          };
        }),
      );
    },
    vision: (choice) => create("vision", choice),
    llm: (choice) => create("llm", choice),
    image: (choice) => ({ ...create("image", choice), id: idOf("image", choice) }),
    video: (choice) => ({ ...create("video", choice), id: idOf("video", choice) }),
    speech: (choice) => create("speech", choice),
    music: (choice) => ({ ...create("music", choice), id: idOf("music", choice) }),
    transcription: (choice) => create("transcription", choice),
    stock: (choice) => create("stock", choice),
    requireOffered(kind, choice) {
      const entry = find(kind, choice);
      const { model } = modelOf(entry, choice, now());
      if (!entry.takesAnyModel && !entry.models.some(({ id }) => id === model)) throw notOffered(entry, model, now());
    },
    select(kind, choice): SelectedModel {
      const entry = find(kind, choice);
      const { model, replaces } = modelOf(entry, choice, now());
      const id = { provider: entry.providerId, model };
      const { api, honoursIdempotencyKey = false } = entry;
      const needsKey = api !== undefined;
      const info = entry.models.find((listed) => listed.id === model);
      return {
        id,
        ...(info && { info }),
        needsKey,
        honoursIdempotencyKey,
        ...(replaces !== undefined && { replaces }),
      };
    },
  };
}

/** The methods that send a paid request. */
const paidMethods = [
  ...["draw", "animate", "speak", "compose", "transcribe"],
  ...["describeVideo", "describeAsset", "matchProduct", "writeScenario", "extractStyleGuide"],
];

type Send = (call: ProviderCall) => Promise<unknown>;

/** The model, with requests sent by `make`: before that, the call neither runs out of time nor is booked. */
function withCalls(model: object, make: (call: ProviderCall, send: Send) => Promise<unknown>): object {
  const methods = Object.entries(model).map(([name, value]) => {
    if (!paidMethods.includes(name)) return [name, value];
    // safe because each of them takes a task and its call
    const method = (task: unknown, call: ProviderCall, ...rest: unknown[]) =>
      make(call, (made) => (value as (...args: unknown[]) => Promise<unknown>)(task, made, ...rest));
    return [name, method];
  });
  return Object.fromEntries(methods);
}

/** The model, with calls paid for according to the row. */
function onTerms(model: object, { honoursIdempotencyKey, billsFailures }: Entry): object {
  if (!honoursIdempotencyKey && !billsFailures) return model;
  const terms = withoutUndefined({ honoursIdempotencyKey, billsFailures });
  return withCalls(model, (call, send) =>
    send({ ...call, track: (target, run) => call.track({ ...target, ...terms }, run) }),
  );
}

function entryOf(row: ProviderRow, inCategory: CategoryRow<unknown>): Entry {
  const { id, aliases = [], providerId = id, name, api, modelIdPrefix = "" } = row;
  return { id, aliases, providerId, name, api, modelIdPrefix, ...inCategory };
}

const providerInfo = (category: Category, entry: Entry, now: number): ProviderInfo => {
  const { id, aliases, name, description } = entry;
  return { id, aliases, name, category, description, models: defaultFirst(entry, now) };
};

/** The models of an entry as the API lists them, the default first. */
function defaultFirst(entry: Entry, now: number): readonly ModelInfo[] {
  const first = defaultModel(entry, now);
  return [...(first ? [first] : []), ...entry.models.filter((model) => model !== first)].map(publicFields);
}

/** Rows also contain fields of their clients. */
const publicFields = (model: ModelInfo): ModelInfo => {
  const { id, name, description, endsOn, unit, durations, ratios, maxReferences, maxConcurrent, voices } = model;
  const fields = { id, name, description, endsOn, unit, durations, ratios, maxReferences, maxConcurrent, voices };
  return withoutUndefined(fields);
};

const dayMs = 86_400_000;

/** A model that ends earlier is not a default. */
const defaultLastsDays = 30;

const endsBefore = (endsOn: string | undefined, time: number) => endsOn !== undefined && Date.parse(endsOn) <= time;

const endsWholly = ({ models }: Entry) => models.every(({ endsOn }) => endsOn !== undefined);

const defaultModel = ({ models }: Entry, now: number): ModelInfo | undefined =>
  models.find(({ endsOn }) => !endsBefore(endsOn, now + defaultLastsDays * dayMs));

/** The name in a header: `x-llm-provider`, `x-stock-provider` and so on. */
type HeaderCategory = Category | "stock";

/** Completes the sentence "… needs your own API key: …". */
const missingProvider = (category: HeaderCategory) => ({
  provider: `${category[0]!.toUpperCase()}${category.slice(1)}`, // safe because no name is empty
  header: `x-api-key, with its provider as x-${category}-provider`,
});

/** Completes the sentence "… cannot make …". */
const outputNames: Record<HeaderCategory, string> = {
  vision: "analyses",
  llm: "texts",
  image: "images",
  video: "videos",
  speech: "voices and transcripts",
  music: "music and sound effects",
  stock: "searches of stock media",
};

function requireEntry(
  rows: readonly ProviderRow[],
  category: HeaderCategory,
  entries: readonly Entry[],
  name: string,
): Entry {
  const found = entries.find(isNamed(name));
  if (found) return found;
  const known = entries.map(providerNames);
  const all = rows.flatMap((row) => categories.flatMap((kind) => (row[kind] ? [entryOf(row, row[kind])] : [])));
  const elsewhere = all.find(isNamed(name));
  if (!elsewhere) throw new DomainError("unknown_provider", { known });
  // the provider has a row here too, under another name: only the name belongs to another category
  const isHere = entries.some(({ providerId }) => providerId === elsewhere.providerId);
  const provider = isHere ? elsewhere.id : elsewhere.name;
  throw new DomainError("unsupported_capability", { provider, what: outputNames[category], instead: known });
}

const isNamed = (name: string) => {
  const normalized = name.trim().toLowerCase();
  return ({ id, aliases }: Pick<Entry, "id" | "aliases">) => id === normalized || aliases.includes(normalized);
};

function credentialsFor(entry: Entry, choice: ModelChoice, { baseUrls, now }: RegistryOptions): ModelCredentials {
  const { model: modelId } = modelOf(entry, choice, now());
  return {
    providerName: entry.name,
    providerId: entry.providerId,
    modelId,
    byDefault: !choice.modelId?.trim(),
    offeredModels: modelsLeft(entry, now()),
    apiKey: entry.api ? requireKey(entry, choice) : "",
    ...addressOf(entry.api, baseUrls),
  };
}

/** A set address replaces all origins of the provider. It may omit the path of the API. */
function addressOf(api: ProviderApi | undefined, baseUrls: RegistryOptions["baseUrls"]) {
  if (!api) return { baseUrl: "" };
  const set = baseUrls[api.setting]?.replace(/\/+$/, "");
  if (set === undefined) return { baseUrl: api.baseUrl, ...(api.otherOrigins && { otherOrigins: api.otherOrigins }) };
  const { origin, pathname } = new URL(api.baseUrl);
  const path = pathname.replace(/\/+$/, "");
  // the two oldest settings are whole addresses
  const isWhole = api.takesWholeAddress || set.endsWith(path);
  return { baseUrl: isWhole ? set : set + path, replacedOrigins: [origin, ...(api.otherOrigins ?? [])] };
}

const modelsLeft = ({ models }: Entry, now: number): readonly string[] =>
  models.filter(({ endsOn }) => !endsBefore(endsOn, now)).map(({ id }) => id);

/** The model to send, and the requested one if it has ended. Throws if there is none to send. */
function modelOf(entry: Entry, { modelId, headers }: ModelChoice, now: number) {
  const { models, modelIdPrefix, retired = {}, successors = {} } = entry;
  const chosen = modelId?.trim();
  if (chosen && (!/^[A-Za-z0-9._:/@-]{1,200}$/.test(chosen) || chosen.includes(".."))) {
    const message = "Must have at most 200 letters, digits and . _ : / @ -, and no two dots in a row.";
    throw invalid(headers?.modelId ?? "x-model-id", message);
  }
  const asked = chosen?.startsWith(modelIdPrefix) ? chosen.slice(modelIdPrefix.length) : chosen;
  const model = asked || (defaultModel(entry, now) ?? models[0]!).id; // safe because every entry has models
  const endOf = (id: string) => models.find((listed) => listed.id === id)?.endsOn ?? ownValue(retired, id);
  const endedOn = endOf(model);
  if (!endsBefore(endedOn, now)) return { model };
  const successor = ownValue(successors, model);
  if (successor !== undefined && !endsBefore(endOf(successor), now)) return { model: successor, replaces: model };
  throw notOffered(entry, model, now, endedOn);
}

function notOffered(entry: Entry, model: string, now: number, endedOn?: string) {
  const facts = { provider: entry.name, model, models: modelsLeft(entry, now), byDefault: false };
  return new DomainError("provider_model_unavailable", { ...facts, ...(endedOn && { endedOn }) });
}

const ownValue = (values: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

function requireKey({ name: provider }: Entry, { apiKey, headers }: ModelChoice): string {
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
