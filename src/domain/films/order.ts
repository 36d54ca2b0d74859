import { DomainError, invalid } from "../../errors.ts";
import { currentOrigin } from "../../platform/origin.ts";
import { withoutUndefined } from "../../platform/without-undefined.ts";
import type { Caller } from "../accounts/caller.ts";
import { findModel, type Models } from "../ai/models.ts";
import type { AssetStore } from "../assets/assets.ts";
import type { WebhookRequest } from "../exports/webhooks/schema.ts";
import type { SecretBox } from "../exports/webhooks/secret-box.ts";
import { type AcceptWebhookPorts, acceptWebhook } from "../exports/webhooks/webhooks.ts";
import type { Fetcher } from "../files/fetcher.ts";
import type { Checkpoints } from "../idempotency/checkpoints.ts";
import type { LedgerStore } from "../ledger/ledger.ts";
import type { Micros } from "../ledger/money.ts";
import type { PriceTable } from "../ledger/prices.ts";
import type { Project } from "../projects/projects.ts";
import { leansForward, subjectOf } from "../shared/function-words.ts";
import { newId } from "../shared/ids.ts";
import { addressIn, priceIn } from "../shared/offers.ts";
import { requireFound } from "../shared/versioned.ts";
import { isPlain, placeholderFields, withWords } from "../templates/placeholders.ts";
import { newWork } from "../works/save.ts";
import type { WorkStore } from "../works/works.ts";
import { firstSteps } from "./advance.ts";
import {
  type Film,
  type FilmCategory,
  type FilmModel,
  type FilmOrder,
  type FilmStore,
  filmCategories,
  type SealedKeys,
} from "./film.ts";
import { placeholderWarnings } from "./finish.ts";
import { type TemplateFitPorts, templateWarnings } from "./template-fit.ts";
import { workFields } from "./work-fields.ts";

/** What callers send, with the models that they name. */
export type FilmRequest = Omit<FilmOrder, "models"> & {
  readonly name?: string;
  readonly models: { readonly [Name in FilmCategory]?: FilmModel | false };
  readonly maxSpend?: Micros;
  readonly webhook?: WebhookRequest;
};

/** Keys as the headers name them; `any` is for the one provider that lacks a key of its own. */
export type GivenKeys = { readonly [Name in FilmCategory]?: string } & { readonly any?: string };

export type OrderPorts = {
  readonly models: Models;
  readonly prices: PriceTable;
  readonly ledger: Pick<LedgerStore, "findBudget">;
  readonly works: WorkStore;
  readonly assets: Pick<AssetStore, "findMany">;
  readonly films: FilmStore;
  readonly filmKeyBox: SecretBox;
  readonly fetcher: Pick<Fetcher, "resolveHost">;
} & AcceptWebhookPorts &
  TemplateFitPorts;

const keyHeaderOf = (category: FilmCategory): string => `x-${category}-api-key`;

/** A voice and a look at the pictures are made by models that are named alone, and music where the order asks for it. */
function isMadeUnasked(category: FilmCategory, musicPrompt: string | undefined): boolean {
  if (category === "music") return musicPrompt !== undefined;
  return category !== "speech" && category !== "vision";
}

/** The models that make the film: those that are named, else the service's own, or `local` where these need a key. */
export function chosenModels(
  models: Models,
  { models: named, musicPrompt }: Pick<FilmRequest, "models" | "musicPrompt">,
  keys: GivenKeys,
): FilmOrder["models"] {
  if (musicPrompt !== undefined && !named.music) {
    throw invalid("models.music", "Must name a provider: it makes the music of the prompt.");
  }
  const chosen = filmCategories.flatMap((category): [FilmCategory, FilmModel][] => {
    const wish = named[category];
    if (wish === false || (wish === undefined && !isMadeUnasked(category, musicPrompt))) return [];
    const choice = wish ?? {};
    const { needsKey, id } = models.select(category, choice);
    const lacksKey =
      wish === undefined && category !== "music" && needsKey && keys[category] === undefined && keys.any === undefined;
    const isLocal = lacksKey || id.provider === "local";
    return [[category, isLocal ? { ...choice, provider: "local" } : choice]];
  });
  return Object.fromEntries(chosen);
}

/** The key of each model that needs one. One key never goes to two providers. Throws provider_key_required. */
export function keysFor(models: Models, order: Pick<FilmOrder, "models">, given: GivenKeys): GivenKeys {
  const needed = filmCategories.flatMap((category) => {
    const choice = order.models[category];
    const selected = choice && models.select(category, choice);
    return selected?.needsKey ? [{ category, provider: selected.id.provider }] : [];
  });
  const own = new Map(
    needed.flatMap(({ category, provider }) => (given[category] ? [[provider, given[category]]] : [])),
  );
  const lacking = needed.filter(({ category, provider }) => !given[category] && !own.has(provider));
  const providers = [...new Set(lacking.map(({ provider }) => provider))];
  const [first] = lacking;
  if (first && (providers.length > 1 || !given.any)) {
    const headers = lacking.map(({ category }) => keyHeaderOf(category));
    throw new DomainError("provider_key_required", {
      provider: providers.join(" and "),
      header: providers.length > 1 ? headers.join(" and ") : `${headers[0]} or x-api-key`,
    });
  }
  return Object.fromEntries(
    needed.map(({ category, provider }) => [category, given[category] ?? own.get(provider) ?? given.any]),
  );
}

export const sealKeys = (box: SecretBox, filmId: string, keys: GivenKeys): SealedKeys =>
  Object.fromEntries(
    Object.entries(keys).flatMap(([category, key]) => (key === undefined ? [] : [[category, box.seal(key, filmId)]])),
  );

/** Throws price_unknown if there is a budget, and a model has no price. */
export async function requirePrices(
  { models, prices, ledger }: Pick<OrderPorts, "models" | "prices" | "ledger">,
  project: Pick<Project, "id">,
  order: Pick<FilmOrder, "models" | "allowUnpriced">,
  maxSpend: Micros | undefined,
): Promise<void> {
  if (order.allowUnpriced) return;
  const unpriced = unpricedModels({ models, prices }, order);
  if (unpriced.length === 0) return;
  const hasBudget = maxSpend !== undefined || (await ledger.findBudget(project.id, Date.now())) !== undefined;
  if (hasBudget) throw new DomainError("price_unknown", { model: unpriced.join(" and ") });
}

export const unpricedModels = (
  { models, prices }: Pick<OrderPorts, "models" | "prices">,
  order: Pick<FilmOrder, "models">,
): readonly string[] => [
  ...new Set(
    filmCategories.flatMap((category) => {
      const choice = order.models[category];
      const selected = choice && findModel(models, category, choice);
      return selected?.needsKey && !prices.isPriced(selected.id) ? [selected.id.model] : [];
    }),
  ),
];

type OrderContext = {
  readonly caller: Caller;
  readonly project: Project;
  readonly checkpoints: Checkpoints;
  /** Of a film of a table. */
  readonly batchId?: string;
};

/** Checks an order, makes its work, and enqueues it. Nothing is paid here. */
export async function orderFilm(
  ports: OrderPorts,
  { caller, project, checkpoints, batchId }: OrderContext,
  { name: wanted, maxSpend, webhook: receiver }: FilmRequest,
  sent: FilmOrder,
  keys: GivenKeys,
): Promise<Film> {
  const { order, ...plain } = withoutPlaceholders(sent, wanted);
  await requireInputs(ports, project, order);
  await requirePrices(ports, project, order, maxSpend);
  const warnings = [...plain.warnings, ...(await templateWarnings(ports, { caller, project }, order))];
  const webhook = receiver && (await acceptWebhook(ports, receiver));
  const name = plain.name ?? nameOf(order.brief.text) ?? "Film";
  return await checkpoints.createOnce("film", {
    newId: () => newId("film"),
    find: (id) => ports.films.find(project.id, id),
    async create(id) {
      const work = requireFound(await ports.works.add(newWork(project, workFields(order, name)), { isOfFilm: true }));
      const now = Date.now();
      const { traceparent } = currentOrigin();
      const film: Film = {
        ...{ id, userId: caller.user.id, projectId: project.id, workId: work.id, name, scopes: caller.scopes, order },
        ...withoutUndefined({ batchId, maxSpend, webhook }),
        ...{ status: "queued", approved: [], warnings, steps: firstSteps(order), attempt: 0, revision: 1 },
        ...(traceparent && { traceparent }),
        ...{ createdAt: now, updatedAt: now },
      };
      await ports.films.add(film, sealKeys(ports.filmKeyBox, id, keys));
      return film;
    },
  });
}

const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });

/**
 * An order without its name, and without the sentences of its brief, that have a placeholder: only a table has values for
 * them. Throws validation_error if the brief says nothing else.
 */
export function withoutPlaceholders(order: FilmOrder, name: string | undefined) {
  const { text = "", ...brief } = order.brief;
  // a brace begins no sentence
  const parts = [...sentences.segment(withWords(text))].map(({ segment, index }) =>
    text.slice(index, index + segment.length),
  );
  const kept = parts
    .map((part) => (isPlain(part) ? part : offerIn(part)))
    .join("")
    .trim();
  if (text.trim() && !kept && Object.keys(brief).length === 0) {
    throw invalid("brief.text", "Must say something without a placeholder: only the films of a table have values.");
  }
  const warningsOf = (path: string, value = "") => {
    const missing = new Set(placeholderFields(value).flatMap(({ keys }) => keys));
    return placeholderWarnings({ missing: [...missing] }, path, "what says it is");
  };
  return {
    order: { ...order, brief: { ...brief, ...(kept && { text: kept }) } },
    name: name !== undefined && isPlain(name) ? name : undefined,
    warnings: [...warningsOf("name", name), ...warningsOf("brief.text", text)],
  };
}

/** What a sentence says of price and address beside its placeholder. */
function offerIn(sentence: string): string {
  const plain = sentence.replaceAll(/\{\{[^{}]*\}\}/g, " ");
  // "$890 for {{name}}" ends before the word that leads on
  const price = priceIn(plain)?.replace(/\s+(\S+)$/u, (end, word: string) => (leansForward(word) ? "" : end));
  const offer = [price, addressIn(plain)].filter(Boolean).join(" ");
  return offer && isPlain(offer) ? `${offer}. ` : "";
}

export type InputPorts = Pick<OrderPorts, "fetcher" | "assets">;

/** Throws what is wrong with the files and the page that an order names. */
export async function requireInputs(
  ports: InputPorts,
  project: Project,
  { brief }: Pick<FilmOrder, "brief">,
): Promise<void> {
  const { url, assetIds = [], reference } = brief;
  if (url !== undefined) await ports.fetcher.resolveHost(url, { path: "brief.url" });
  const found = new Map((await ports.assets.findMany(project.id, assetIds)).map((asset) => [asset.id, asset]));
  for (const [at, id] of assetIds.entries()) {
    const path = `brief.assetIds.${at}`;
    const asset = found.get(id);
    if (!asset) throw new DomainError("asset_missing", { path, what: "The picture" });
    if (asset.type !== "image" && asset.type !== "video") {
      throw new DomainError("asset_wrong_type", { path, what: "The asset", expected: "an image or a video" });
    }
  }
  if (reference) await requireReference(ports, project, reference.assetId);
}

async function requireReference({ assets }: Pick<OrderPorts, "assets">, project: Project, id: string): Promise<void> {
  const path = "brief.reference.assetId";
  const [asset] = await assets.findMany(project.id, [id]);
  if (!asset) throw new DomainError("asset_missing", { path, what: "The reference" });
  if (asset.type !== "video") {
    throw new DomainError("asset_wrong_type", { path, what: "The reference", expected: "a video" });
  }
}

const maxNameCharacters = 60;

/** What the brief begins with, up to the first sign that ends a name. */
export function nameOf(text: string | undefined): string | undefined {
  const [begin = ""] = (text ?? "").trim().split(/[\n:.!?;,–—、。，：！？،؛]|\s-\s/u);
  // "Velo is a bike": what follows says what it is; in a word of hiragana は may be a part of it
  const [name = ""] = begin.split(/\s(?:is|are|ist|sind|est|es|è|é)\s|(?<=[^\p{sc=Hiragana}])は|は$/u);
  const subject = subjectOf(name);
  if (subject !== undefined) return subject.slice(0, maxNameCharacters);
  return (name.trim() || begin.trim()).slice(0, maxNameCharacters).trim() || undefined;
}
