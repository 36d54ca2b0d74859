import type { SoundLibrary } from "../../../engine/ports.ts";
import { DomainError, invalid } from "../../../errors.ts";
import { plainText } from "../../../platform/plain-text.ts";
import { withoutPoints, withPoints } from "../../../platform/texts.ts";
import { currentOrigin } from "../../../platform/tracing.ts";
import { withoutUndefined } from "../../../platform/values.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { SecretBox } from "../../accounts/secrets.ts";
import type { Models } from "../../ai/models.ts";
import type { AssetStore } from "../../assets/assets.ts";
import { type AcceptDestinationsPorts, acceptDestinations } from "../../destinations/accept.ts";
import type { DestinationRequest } from "../../destinations/schema.ts";
import { type LookUpSoundsPorts, lookUpUrl } from "../../exports/request/sounds.ts";
import type { WebhookRequest } from "../../exports/webhooks/schema.ts";
import { type AcceptWebhookPorts, acceptWebhook } from "../../exports/webhooks/webhooks.ts";
import type { Fetcher } from "../../files/fetcher.ts";
import type { Checkpoints } from "../../idempotency/checkpoints.ts";
import { countsFirst, introductionIn, leansForward, subjectOf } from "../../language/function-words.ts";
import { addressIn, priceIn } from "../../language/offers.ts";
import type { LedgerStore } from "../../ledger/ledger.ts";
import type { Micros } from "../../ledger/money.ts";
import type { PriceTable } from "../../ledger/prices.ts";
import type { LookLibrary } from "../../looks/looks.ts";
import type { Project } from "../../projects/projects.ts";
import { newId } from "../../shared/ids.ts";
import { requireBed } from "../../sounds/sounds.ts";
import { isPlain, placeholderFields, withWords } from "../../templates/placeholders.ts";
import { newWork } from "../../works/save.ts";
import { type NamedModels, requireModels } from "../chosen-models.ts";
import { autoBed, type Film, type FilmOrder, type FilmStore } from "../film.ts";
import { type GivenKeys, sealKeys } from "../keys.ts";
import type { FilmPalette } from "../look/palette.ts";
import { firstSteps } from "../run/advance.ts";
import { placeholderWarnings } from "../steps/template.ts";
import { orderWarnings, type TemplateFitPorts } from "./warnings.ts";
import { workFields } from "./work-fields.ts";

/** The caller's request, with the models that it names. */
export type FilmRequest = Omit<FilmOrder, "models"> & {
  readonly name?: string;
  readonly models: NamedModels;
  readonly maxSpend?: Micros;
  readonly webhook?: WebhookRequest;
  readonly destinations?: readonly DestinationRequest[];
};

export type OrderPorts = {
  readonly models: Models;
  readonly prices: PriceTable;
  readonly ledger: Pick<LedgerStore, "findBudget">;
  readonly films: FilmStore;
  readonly filmKeyBox: SecretBox;
} & InputPorts &
  AcceptWebhookPorts &
  AcceptDestinationsPorts &
  TemplateFitPorts;

type OrderContext = {
  readonly caller: Caller;
  readonly project: Project;
  readonly checkpoints: Checkpoints;
  readonly batchId?: string;
};

type FilmWishes = Pick<FilmRequest, "name" | "maxSpend" | "webhook" | "destinations">;

/** Checks an order, creates its work, and enqueues it. Pays nothing. */
export async function orderFilm(
  ports: OrderPorts,
  { caller, project, checkpoints, batchId }: OrderContext,
  { name: wanted, maxSpend, webhook: receiver, destinations: asked }: FilmWishes,
  sent: FilmOrder,
  keys: GivenKeys,
): Promise<Film> {
  const { order, ...plain } = withoutPlaceholders(sent, wanted);
  await requireInputs(ports, { caller, project }, order);
  await requireModels(ports, project, order, maxSpend);
  const name = filmName({ ...plain, order });
  const warnings = [...plain.warnings, ...(await orderWarnings(ports, { caller, project }, order, name))];
  const webhook = receiver && (await acceptWebhook(ports, receiver));
  const destinations = asked && (await acceptDestinations(ports, project.id, asked, order.targets));
  return await checkpoints.createOnce("film", {
    newId: () => newId("film"),
    find: (id) => ports.films.find(project.id, id),
    async create(id) {
      const work = newWork(project, workFields(order, name));
      const now = Date.now();
      const { traceparent } = currentOrigin();
      const film: Film = {
        ...{ id, userId: caller.user.id, projectId: project.id, workId: work.id, name, scopes: caller.scopes, order },
        ...withoutUndefined({ batchId, maxSpend, webhook, destinations }),
        ...{ status: "queued", approved: [], warnings, steps: firstSteps(order), attempt: 0, revision: 1 },
        ...(traceparent && { traceparent }),
        ...{ createdAt: now, updatedAt: now },
      };
      if (await ports.films.add(film, sealKeys(ports.filmKeyBox, id, keys), work)) return film;
      throw new DomainError("not_found", {});
    },
  });
}

/** The order of a film for another one, which reuses what films have made from the same inputs. */
export function copyOf(
  { found: _, fresh: __, ...order }: FilmOrder,
  changes: { readonly look: string | undefined; readonly palette: FilmPalette | undefined },
): FilmOrder {
  return { ...order, ...withoutUndefined(changes) };
}

export const filmName = ({ name, order }: { readonly name: string | undefined; readonly order: FilmOrder }): string =>
  name ?? nameOf(order.brief.text) ?? "Film";

const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });

/** Removes sentences with a placeholder: only tables have values. Throws validation_error if none is left. */
export function withoutPlaceholders(order: FilmOrder, name: string | undefined) {
  const { text: written = "", ...brief } = order.brief;
  // text of a feed, without its tags and entities
  const text = plainText(written);
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

/** The price and address in a sentence, beside its placeholder. */
function offerIn(sentence: string): string {
  const plain = sentence.replaceAll(/\{\{[^{}]*\}\}/g, " ");
  // "$890 for {{name}}" ends before the preposition
  const price = priceIn(plain)?.replace(/\s+(\S+)$/u, (end, word: string) => (leansForward(word) ? "" : end));
  const offer = [price, addressIn(plain)].filter(Boolean).join(" ");
  return offer && isPlain(offer) ? `${offer}. ` : "";
}

export type InputPorts = Omit<LookUpSoundsPorts, "fetcher"> & {
  readonly looks: LookLibrary;
  readonly soundLibrary: SoundLibrary;
  readonly assets: Pick<AssetStore, "findMany">;
  readonly fetcher: Pick<Fetcher, "resolveHost" | "checkUrl">;
};

/** Throws errors of the files and the page that an order names. */
export async function requireInputs(
  ports: InputPorts,
  { caller, project }: Pick<OrderContext, "caller" | "project">,
  { brief, audioUrl, musicPrompt, bed, look, snap }: Omit<FilmOrder, "models">,
): Promise<void> {
  if (look !== undefined) {
    const looks = await ports.looks.of(project.id);
    if (!looks.has(look)) throw invalid("look", `Must be one of: ${[...looks.keys()].join(", ")}.`);
  }
  if (bed !== undefined && bed !== autoBed) requireBed(ports.soundLibrary, bed, "music.bed");
  if (snap === "beat" && audioUrl === undefined && musicPrompt === undefined && (bed ?? autoBed) === autoBed) {
    throw invalid(
      "snap",
      "Takes music that the order names: music.assetId, music.audioUrl, music.bed or music.prompt.",
    );
  }
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
  if (audioUrl !== undefined) {
    const isAsset = audioUrl.startsWith(`/api/projects/${project.id}/assets/`);
    await lookUpUrl(ports, caller, audioUrl, isAsset ? "music.assetId" : "music.audioUrl");
  }
}

async function requireReference({ assets }: Pick<InputPorts, "assets">, project: Project, id: string): Promise<void> {
  const path = "brief.reference.assetId";
  const [asset] = await assets.findMany(project.id, [id]);
  if (!asset) throw new DomainError("asset_missing", { path, what: "The reference" });
  if (asset.type !== "video") {
    throw new DomainError("asset_wrong_type", { path, what: "The reference", expected: "a video" });
  }
}

const maxNameCharacters = 60;

/** The start of the brief, up to the first sign that ends a name. */
export function nameOf(text: string | undefined): string | undefined {
  const written = withoutPoints(text ?? "").trim();
  const introduced = introductionIn(written);
  if (introduced) return introduced.name;
  const [found = ""] = written.split(nameEnd);
  const begin = withPoints(found);
  // "12,000 freelancers get paid with Tally" praises what it does not begin with
  if (countsFirst(begin)) return namedIn(withPoints(written));
  // "Burst pipe? Dale Plumbing is at your door" asks before it names
  const asked = /^\?\s+/u.exec(written.slice(found.length));
  const next = asked && nameOf(withPoints(written.slice(found.length + asked[0].length)));
  if (next && isProperName(next)) return next;
  // "Velo is a bike": the rest describes it; in a word of hiragana は may be a part of it
  const [name = ""] = begin.split(/\s(?:is|are|ist|sind|est|es|è|é)\s|(?<=[^\p{sc=Hiragana}])は|は$/u);
  const subject = subjectOf(name);
  return cut(subject ?? (name.trim() || begin.trim())) || undefined;
}

/** The name that the address of a text repeats, or else the one that ends its first sentence. */
function namedIn(text: string): string | undefined {
  const [stem = ""] = (addressIn(text) ?? "").toLowerCase().split(".");
  const words = text.matchAll(
    /(?<![\p{L}\p{N}.@/-])\p{Lu}[\p{L}\p{N}'’&-]*(?:\s(?:&\s)?\p{Lu}[\p{L}\p{N}'’-]*){0,3}/gu,
  );
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
  const [ofAddress] = [...words].flatMap(([name]) => (plain(name) === stem ? [name] : []));
  const [, last] =
    /\s\p{Ll}+\s(\p{Lu}[\p{L}\p{N}'’&-]*)\s*(?:[.!?,]|$)/u.exec(text.split(/(?<=[.!?])\s/u)[0] ?? "") ?? [];
  return ofAddress ?? last;
}

const nameEnd = /[\n!?;、。，：！？،؛]|[:,–—](?!\p{N})|(?<!(?<!\p{N})\p{N}{1,2})\.(?!\p{N})|\s-\s/u;

/** True for two to four words with capitals, such as "Dale Plumbing". */
const isProperName = (name: string): boolean =>
  /^\p{Lu}[\p{L}\p{N}'’&.-]*(?:\s(?:&|\p{Lu}[\p{L}\p{N}'’&.-]*)){1,3}$/u.test(name);

/** The words that fit into a name. */
function cut(name: string): string {
  if (name.length <= maxNameCharacters) return name;
  const [words = ""] = /^.*(?=\s)/su.exec(name.slice(0, maxNameCharacters + 1)) ?? [];
  const kept = words.trim().split(" ");
  const end = kept.findLastIndex((word) => !leansForward(word)) + 1;
  return kept.slice(0, end).join(" ") || name.slice(0, maxNameCharacters);
}
