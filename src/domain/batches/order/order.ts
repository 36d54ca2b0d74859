import { invalid } from "../../../errors.ts";
import { currentOrigin } from "../../../platform/tracing.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { SecretBox } from "../../accounts/secrets.ts";
import type { Models } from "../../ai/models.ts";
import { type AcceptDestinationsPorts, requiresGate } from "../../destinations/accept.ts";
import type { DestinationRequest } from "../../destinations/schema.ts";
import { formatOf } from "../../exports/request/output.ts";
import { targetsOf } from "../../exports/request/targets.ts";
import type { WebhookRequest } from "../../exports/webhooks/schema.ts";
import { type AcceptWebhookPorts, acceptWebhook } from "../../exports/webhooks/webhooks.ts";
import { chosenModels, requireModels } from "../../films/chosen-models.ts";
import type { FilmOrder } from "../../films/film.ts";
import { type GivenKeys, keysFor, sealKeys } from "../../films/keys.ts";
import type { FilmRequest } from "../../films/order/order.ts";
import type { Checkpoints } from "../../idempotency/checkpoints.ts";
import type { Micros } from "../../ledger/money.ts";
import type { Project } from "../../projects/projects.ts";
import { newId } from "../../shared/ids.ts";
import { type AspectRatio, aspectRatios } from "../../shared/schemas.ts";
import { type Batch, type BatchBase, type BatchOrder, type BatchStore, type FilmBase, filmCount } from "../batch.ts";
import { acceptForTable } from "../deliver.ts";
import { defaultFileName, requireFileNames } from "../file-names.ts";
import { maxFilms, type Table } from "../rows.ts";
import { translationModel } from "../validation/translations.ts";
import { type BaseOrder, type BaseOwner, type BasePorts, makeBases } from "./base.ts";

/** The caller's request, with the table that was read. */
export type BatchRequest = Partial<Omit<Batch["order"], "columns" | "format" | "targets" | "models">> & {
  readonly name?: string | undefined;
  readonly base: BaseOrder | FilmBase;
  /** The models that callers name: `llm` translates, the others make films from briefs. */
  readonly models?: FilmRequest["models"] | undefined;
  readonly maxSpend?: Micros | undefined;
  readonly table: Table;
  readonly webhook?: WebhookRequest | undefined;
  readonly destinations?: readonly DestinationRequest[] | undefined;
  readonly targets?: Batch["order"]["targets"] | undefined;
};

export type Orderer = { readonly caller: Caller; readonly project: Project; readonly keys: GivenKeys };

const defaultConcurrency = 4;

/** The current base, and how the table becomes films. Throws errors that concern all of them. */
export async function prepare(ports: PreparePorts, { caller, project, keys }: Orderer, request: BatchRequest) {
  const { table, base, languages = [""] } = request;
  const owner = { userId: caller.user.id, projectId: project.id };
  const {
    work,
    bases,
    targets: own,
  } = "film" in base
    ? { work: undefined, bases: [{ language: "", request: base }], targets: targetsOfFilm(base) }
    : await overWork(ports, owner, base, languages);
  const targets = request.targets ?? own;
  const models = modelsOf(ports.models, request, keys);
  translationModel(ports.models, { models });
  await requireModels(ports, project, { models, allowUnpriced: isUnpricedAllowed(base) }, request.maxSpend);
  const order: Batch["order"] = {
    models,
    ...{ languages, targets, columns: table.columns },
    fileName: request.fileName ?? defaultFileName({ languages, targets }),
    ...formatOfBase(bases[0]!.request),
    stopAt: request.stopAt ?? [],
    onError: request.onError ?? "continue",
    concurrency: request.concurrency ?? defaultConcurrency,
    force: request.force ?? false,
  };
  const films = filmCount({ rows: table.rows.length, order });
  if (films > maxFilms) throw invalid("rows", `Must give at most ${maxFilms} films: they give ${films}.`);
  await requireFileNames(order, table.rows);
  return { work, bases, order };
}

/** Films of an order are MP4 files. */
const formatOfBase = (request: BatchBase["request"]): Pick<BatchOrder, "format"> => {
  const format = "film" in request ? "mp4" : formatOf(request);
  return format === "mp4" ? {} : { format };
};

async function overWork(ports: BasePorts, owner: BaseOwner, base: BaseOrder, languages: readonly string[]) {
  const { work, bases } = await makeBases(ports, owner, base, languages);
  // safe because there is at least one base
  return { work, bases, targets: targetsOf(bases[0]!.request) };
}

/** The default targets of an order; wrong targets are an error of each row. */
const targetsOfFilm = ({ film }: FilmBase): Batch["order"]["targets"] => {
  const named: readonly unknown[] = Array.isArray(film.targets) ? film.targets : [];
  const known = named.filter((target) => aspectRatios.some((ratio) => ratio === target));
  // safe because these are ratios
  return known.length > 0 ? (known as AspectRatio[]) : ["9:16"];
};

/** A film's own models override those of the batch; over a work, a model only translates. */
function modelsOf(models: Models, { base, models: named = {} }: BatchRequest, keys: GivenKeys): FilmOrder["models"] {
  if (!("film" in base)) return named.llm ? { llm: named.llm } : {};
  const { music } = base.film as { readonly music?: { readonly prompt?: unknown } };
  const prompt = music?.prompt;
  return chosenModels(models, { models: named, ...(typeof prompt === "string" && { musicPrompt: prompt }) }, keys);
}

const isUnpricedAllowed = (base: BatchRequest["base"]): boolean => "film" in base && base.film.allowUnpriced === true;

export type PreparePorts = BasePorts & Parameters<typeof requireModels>[0];

export type OrderPorts = PreparePorts &
  AcceptWebhookPorts &
  AcceptDestinationsPorts & { readonly batches: BatchStore; readonly filmKeyBox: SecretBox };

/** Videos that need the gate are checked. */
const withGate = (base: BatchRequest["base"]): BatchRequest["base"] =>
  "film" in base
    ? { film: { gate: "warn", ...base.film } }
    : { ...base, export: { ...base.export, gate: base.export?.gate ?? "warn" } };

/** Stores a batch with its current base, and enqueues its validation. Renders and pays nothing. */
export async function orderBatch(
  ports: OrderPorts,
  { checkpoints, ...orderer }: Orderer & { readonly checkpoints: Checkpoints },
  asked: BatchRequest,
): Promise<Batch> {
  const { caller, project } = orderer;
  const request = requiresGate(asked.destinations) ? { ...asked, base: withGate(asked.base) } : asked;
  return await checkpoints.createOnce("batch", {
    newId: () => newId("batch"),
    find: (id) => ports.batches.find(project.id, id),
    async create(id) {
      const { work, bases, order } = await prepare(ports, orderer, request);
      const keys = keysFor(ports.models, { models: order.models ?? {} }, orderer.keys);
      const webhook = request.webhook && (await acceptWebhook(ports, request.webhook));
      const destinations =
        request.destinations && (await acceptForTable(ports, project.id, request.destinations, order));
      const { traceparent } = currentOrigin();
      const now = Date.now();
      const batch: Batch = {
        ...{ id, userId: caller.user.id, projectId: project.id, scopes: caller.scopes, order },
        ...(work && { workId: work.id }),
        ...(request.maxSpend !== undefined && { maxSpend: request.maxSpend }),
        ...{
          name: request.name ?? work?.name ?? "Films",
          checkpoints: {},
          rows: request.table.rows.length,
          checked: 0,
          seconds: 0,
        },
        ...{ status: "validating", approved: [], attempt: 0, revision: 1, createdAt: now, updatedAt: now },
        ...{ ...(webhook && { webhook }), ...(destinations && { destinations }), ...(traceparent && { traceparent }) },
      };
      await ports.batches.add(batch, bases, request.table.rows, sealKeys(ports.filmKeyBox, id, keys));
      return batch;
    },
  });
}
