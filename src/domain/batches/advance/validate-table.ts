import type { PageReader } from "../../ai/style-guide/web-pages.ts";
import type { AssetPorts } from "../../assets/assets.ts";
import type { Fetcher } from "../../files/fetcher.ts";
import type { WorkStore } from "../../works/works.ts";
import type { Batch, BatchStore } from "../batch.ts";
import type { Validation, ValidationPorts } from "../validation/context.ts";
import { costSum, rateOf } from "../validation/costs.ts";
import { readPages } from "../validation/pages.ts";
import { fetchedPictures } from "../validation/pictures.ts";
import {
  startTranslations,
  type TranslatePorts,
  type Translator,
  tableTranslation,
} from "../validation/translations.ts";
import { rowsAtOnce, startValidation, textsOf, type ValidatedRows, validateRows } from "../validation/validate-rows.ts";
import { type Attempt, changeBatch, haltAfter } from "./attempt.ts";

export type ValidateTablePorts = ValidationPorts &
  AssetPorts &
  TranslatePorts & {
    readonly batches: BatchStore;
    readonly works: Pick<WorkStore, "find">;
    readonly fetcher: Fetcher;
    readonly pages: PageReader;
  };

const noRows: ValidatedRows = { films: [], wanted: [] };

/** The number of rows whose texts are translated together. */
const translatedAtOnce = 100;

/** Validates the remaining rows and translates their texts. False if the batch does not continue. */
export async function validateTable(ports: ValidateTablePorts, attempt: Attempt): Promise<boolean> {
  const { batches, works } = ports;
  const { batch, caller, project, signal } = attempt;
  const { id, projectId, workId, order } = batch;
  const [work, bases] = await Promise.all([workId && works.find(projectId, workId), batches.bases(id)]);
  if (workId && !work) {
    const failure = { status: "error" as const, waitingReason: "The work was removed.", endedAt: Date.now() };
    await changeBatch(ports, attempt, (found) => ({ ...found, ...failure }));
    return false;
  }
  const fetching = { owner: caller.user.id, signal };
  const input = {
    ...{ ports, caller, project, order, bases, ...(work && { work }) },
    pictures: fetchedPictures(ports, projectId, fetching),
    pages: readPages(ports, fetching),
  };
  const translation = tableTranslation(ports.models, order);
  const context = startValidation({ ...input, translation });
  if (!(await validateNew(ports, attempt, context))) return false;
  const isAsked = translation && !translation.isOver;
  const failure = isAsked
    ? await translate(ports, attempt, context).catch((error) => haltAfter(ports, attempt, error))
    : translation?.failure;
  const isOver = startValidation({ ...input, translation: translation && { ...translation, isOver: true, failure } });
  if (translation && !(await validateTranslated(ports, attempt, isOver))) return false;
  await batches.endCheck(batch);
  const counts = (await batches.counts([id])).get(id);
  const seconds = (counts?.frames ?? 0) / rateOf(bases[0]!);
  const next = await afterValidation(ports, attempt);
  const changed = await changeBatch(ports, attempt, ({ recheck: _, ...found }) => ({ ...found, ...next, seconds }));
  return changed?.status === "running";
}

/** Validates the rows that were not validated before. */
async function validateNew(ports: ValidateTablePorts, attempt: Attempt, context: Validation): Promise<boolean> {
  const { batches } = ports;
  const { batch, signal } = attempt;
  const { id, recheck, order } = batch;
  const costs = costSum(ports, order);
  const { low = "0", high = "0" } = batch.estimate ?? {};
  let { checked } = batch;
  for (;;) {
    signal.throwIfAborted();
    const read = await batches.rows(id, checked + 1, rowsAtOnce);
    const last = read.at(-1);
    if (!last) return true;
    const rows = recheck ? read.filter(({ row }) => recheck.includes(row)) : read;
    const found =
      rows.length > 0 ? await validateRows(context, rows).catch((error) => haltAfter(ports, attempt, error)) : noRows;
    costs.add(found);
    checked = last.row;
    const sum = costs.sum();
    const estimate = { low: `${BigInt(low) + sum.low}`, high: `${BigInt(high) + sum.high}` };
    const items = found.films.map(({ item }) => item);
    if (!(await batches.addChecked(batch, items, { checked, estimate }))) return false;
  }
}

/** Translates the texts that films wait for. Returns the reason if some are missing. */
async function translate(
  ports: ValidateTablePorts,
  attempt: Attempt,
  context: Validation,
): Promise<string | undefined> {
  let translator: Translator | undefined;
  for await (const { rows, isWaiting } of untranslatedRows(ports, attempt)) {
    translator ??= await startTranslations(ports, {
      ...{ batch: attempt.batch, caller: attempt.caller, signal: attempt.callSignal, mayBegin: attempt.signal },
    });
    const wanted = new Set(
      textsOf(
        context,
        rows.filter(({ row }) => context.order.languages.some((language) => isWaiting(row, language))),
      ).map(({ text, language }) => `${language} ${text}`),
    );
    await translator?.translate(textsOf(context, rows), ({ text, language }) => wanted.has(`${language} ${text}`));
  }
  return translator?.failure();
}

/** Validates rows again with the translated texts, which may not fit. */
async function validateTranslated(ports: ValidateTablePorts, attempt: Attempt, context: Validation): Promise<boolean> {
  const { batches } = ports;
  const { batch } = attempt;
  const { rows: checked } = batch;
  for await (const { rows, isWaiting } of untranslatedRows(ports, attempt)) {
    const waiting = rows.filter(({ row }) => context.order.languages.some((language) => isWaiting(row, language)));
    const { films } = await validateRows(context, waiting).catch((error) => haltAfter(ports, attempt, error));
    const items = films.map(({ item }) => item).filter(({ row, language }) => isWaiting(row, language));
    if (!(await batches.addChecked(batch, items, { checked }))) return false;
  }
  return true;
}

async function* untranslatedRows({ batches }: ValidateTablePorts, { batch, signal }: Attempt) {
  const { id, rows: count } = batch;
  for (let from = 1; from <= count; from += translatedAtOnce) {
    signal.throwIfAborted();
    const untranslated = await batches.untranslated(id, from, from + translatedAtOnce - 1);
    if (untranslated.length === 0) continue;
    const waiting = new Set(untranslated.map(({ row, language }) => `${row} ${language}`));
    const rows = await batches.rows(id, from, translatedAtOnce);
    yield { rows, isWaiting: (row: number, language: string) => waiting.has(`${row} ${language}`) };
  }
}

async function afterValidation({ batches }: ValidateTablePorts, { batch }: Attempt): Promise<Partial<Batch>> {
  const { id, order, approved } = batch;
  const isStop = order.stopAt.includes("translations") && !approved.includes("translations");
  if (!isStop || (await batches.listTranslations(id, 1)).length === 0) return { status: "running" };
  const waitingReason = "Look at the translations, and approve the batch to make the films.";
  return { status: "waiting", waitingFor: "approval", waitingAt: "translations", waitingReason };
}
