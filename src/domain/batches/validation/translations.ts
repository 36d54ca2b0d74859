import { isDomainError, isUnavailable } from "../../../errors.ts";
import { concurrencyLimit } from "../../../platform/limits/concurrency-limit.ts";
import { sha256Of } from "../../../platform/values.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { SecretBox } from "../../accounts/secrets.ts";
import type { ModelId, Models } from "../../ai/models.ts";
import { type ProviderCallPorts, providerCall } from "../../ai/provider-calls.ts";
import { hasWords, translateTexts } from "../../ai/translation/translate.ts";
import { type Checkpoint, CheckpointedSteps } from "../../idempotency/checkpoints.ts";
import type { LedgerStore } from "../../ledger/ledger.ts";
import { sumOf } from "../../ledger/money.ts";
import { isUnclear } from "../../ledger/paid-calls.ts";
import type { PriceTable } from "../../ledger/prices.ts";
import { canonicalJson } from "../../shared/json.ts";
import type { Batch, BatchStore, ModelCosts, Translation } from "../batch.ts";
import { waitFor } from "../waits.ts";

export type WantedText = { readonly text: string; readonly language: string };

export type TableTranslation = {
  /** Absent if the service no longer has it. */
  readonly model?: ModelId;
  /** True if the model has been asked, or cannot be: missing translations then stay missing. */
  readonly isOver: boolean;
  /** The reason for missing translations. */
  readonly failure?: string | undefined;
};

/** The model of a batch that translates; undefined if none is chosen that can. Throws if it has been retired. */
export function translationModel(models: Models, order: Pick<Batch["order"], "models">): ModelId | undefined {
  const choice = order.models?.llm;
  const selected = choice && models.select("llm", choice);
  return selected?.needsKey ? selected.id : undefined;
}

/** For a validation before the model is asked. A retired model is an error of the rows, so that no job repeats. */
export function tableTranslation(models: Models, order: Pick<Batch["order"], "models">): TableTranslation | undefined {
  try {
    const model = translationModel(models, order);
    return model && { model, isOver: false };
  } catch (error) {
    if (isDomainError(error)) return { isOver: true, failure: error.message };
    throw error;
  }
}

/** The key of a translation, in every batch of a project. */
export const translationHash = ({ provider, model }: ModelId, { text, language }: WantedText): string =>
  sha256Of(canonicalJson({ text, language, provider, model }));

/** The texts of one request. */
type Piece = { readonly language: string; readonly texts: readonly string[] };

const atOnce = { texts: 40, characters: 8_000 };

/** Equal for equal texts, so that a piece is found again after a restart. */
function piecesOf(texts: readonly WantedText[]): readonly Piece[] {
  return [...Map.groupBy(texts, ({ language }) => language)].flatMap(([language, wanted]) => {
    const pieces: string[][] = [];
    let characters = 0;
    for (const text of new Set(wanted.map((each) => each.text))) {
      const piece = pieces.at(-1);
      characters += text.length;
      if (piece && piece.length < atOnce.texts && characters <= atOnce.characters) piece.push(text);
      else {
        pieces.push([text]);
        characters = text.length;
      }
    }
    return pieces.map((piece) => ({ language, texts: piece }));
  });
}

/** An upper bound for the rules of a prompt. */
const tokensOfPrompt = 1_000;

/** The bound of requests for an answer with reasoning. */
const mostOutputTokens = 32_000;

/** The cost of these texts: the lower one for one request, the higher one for two with long answers. */
export function translationCosts(prices: PriceTable, model: ModelId, texts: readonly WantedText[]): ModelCosts {
  const costs = piecesOf(texts.filter(({ text }) => hasWords(text))).map((piece) => {
    const characters = piece.texts.join("").length;
    const low = { inputTokens: tokensOfPrompt + characters / 2, outputTokens: characters / 2 };
    const high = { inputTokens: 2 * (10 * tokensOfPrompt + 4 * characters), outputTokens: 2 * mostOutputTokens };
    return { low: prices.costOf(model, low, undefined) ?? 0n, high: prices.costOf(model, high, undefined) ?? 0n };
  });
  return { low: sumOf(costs.map(({ low }) => low)), high: sumOf(costs.map(({ high }) => high)) };
}

export type TranslatePorts = ProviderCallPorts & {
  readonly batches: Pick<BatchStore, "saveCheckpoints" | "keys" | "findTranslations" | "addTranslations">;
  readonly ledger: Pick<LedgerStore, "hasCalled" | "endAbandoned">;
  readonly models: Models;
  readonly filmKeyBox: SecretBox;
};

type TranslationRun = {
  readonly batch: Batch;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Aborts when no more requests may begin. */
  readonly mayBegin: AbortSignal;
};

const requestsAtOnce = 4;

const unknownPayment = "The model's answer was lost, and the provider may have been paid for it.";

export type Translator = {
  /**
   * Translates and stores the wanted ones of these texts. Texts that the model does not translate stay missing:
   * requests that were paid, or may have been, are not repeated. Throws an error for which the batch waits.
   */
  translate(texts: readonly WantedText[], isWanted: (text: WantedText) => boolean): Promise<void>;
  /** The reason why translations are missing, in a sentence. */
  readonly failure: () => string | undefined;
};

/** Throws provider_key_required if the key was erased. */
export async function startTranslations(ports: TranslatePorts, run: TranslationRun): Promise<Translator | undefined> {
  const { batch, caller, signal, mayBegin } = run;
  const model = translationModel(ports.models, batch.order);
  if (!model) return undefined;
  const { llm: sealed } = await ports.batches.keys(batch.id);
  const apiKey = sealed === undefined ? undefined : ports.filmKeyBox.open(sealed, batch.id);
  const choice = { ...batch.order.models?.llm, headers: { modelId: "models.llm.model", apiKey: "x-llm-api-key" } };
  const { translate } = ports.models.llm({ ...choice, ...(apiKey !== undefined && { apiKey }) });
  if (!translate) return undefined;
  const known = await knownCheckpoints(ports, batch);
  const steps = checkpointedSteps(ports, run, known);
  const limit = concurrencyLimit({ concurrency: requestsAtOnce });
  let failure: string | undefined;

  /** Returns the texts that are still untranslated. */
  const ask = async (name: string, language: string, texts: readonly string[]): Promise<readonly string[]> => {
    // it was paid for, or may have been
    if (known.get(name)?.state === "started") {
      failure = unknownPayment;
      return texts;
    }
    const scope = { projectId: batch.projectId, batchId: batch.id, stepId: name };
    const call = providerCall(ports, caller, signal, steps, { ...scope, requestKey: `${batch.id}/${name}` });
    const request = async () => {
      const answers = await translateTexts(translate, call, { language, texts });
      return texts.map((text, at) => ({ text, translation: answers[at] ?? null }));
    };
    const begin = () => {
      mayBegin.throwIfAborted();
      return call.runOnce(name, request);
    };
    const answers = await limit(begin).catch((error) => {
      if (!isDomainError(error) || isUnavailable(error) || signal.aborted || waitFor(error)) throw error;
      failure = isUnclear(error) ? unknownPayment : error.message;
      return [];
    });
    const made = new Map(answers.flatMap(({ text, translation }) => (translation ? [[text, translation]] : [])));
    await ports.batches.addTranslations(
      batch,
      [...made].map(([text, translation]) => ({
        ...{ text, language, translation },
        hash: translationHash(model, { text, language }),
      })),
    );
    const missing = texts.filter((text) => !made.has(text));
    // an incomplete answer is kept, so that no request is repeated after a restart
    if (missing.length === 0) await steps.forgetCreated(name);
    return missing;
  };

  const translatePiece = async ({ language, texts }: Piece, isWanted: (text: WantedText) => boolean): Promise<void> => {
    const name = `translation/${sha256Of(canonicalJson({ language, texts })).slice(0, 32)}`;
    const wanted = texts
      .filter((text) => isWanted({ text, language }))
      .map((text) => ({ text, language, hash: translationHash(model, { text, language }) }));
    const hashes = wanted.map(({ hash }) => hash);
    const found = await ports.batches.findTranslations(batch.projectId, hashes);
    const stored = wanted.flatMap((each): Translation[] => {
      const translation = found.get(each.hash);
      return translation === undefined ? [] : [{ ...each, translation }];
    });
    await ports.batches.addTranslations(batch, stored);
    const asked = wanted.filter(({ hash }) => !found.has(hash)).map(({ text }) => text);
    const missing = asked.length > 0 ? await ask(name, language, asked) : [];
    const isAnswered = known.get(name)?.state === "done";
    // a second request for texts that lost a placeholder or a line
    if (isAnswered && missing.length > 0) await ask(`${name}/again`, language, missing);
  };

  return {
    async translate(texts, isWanted) {
      const results = await Promise.allSettled(piecesOf(texts).map((piece) => translatePiece(piece, isWanted)));
      const failed = results.find((result) => result.status === "rejected");
      if (failed) throw failed.reason;
    },
    failure: () => failure,
  };
}

/** Earlier calls without a result count as paid; they are repeated if the provider was not called. */
async function knownCheckpoints({ ledger }: TranslatePorts, { id, checkpoints }: Batch) {
  const known = new Map(Object.entries(checkpoints));
  const started = [...known].flatMap(([name, found]) =>
    found.state === "started" ? [{ name, at: found.at ?? 0 }] : [],
  );
  if (started.length > 0) await ledger.endAbandoned();
  for (const { name, at } of started) if (!(await ledger.hasCalled(id, name, at))) known.delete(name);
  return known;
}

function checkpointedSteps(
  { batches }: TranslatePorts,
  { batch, signal }: TranslationRun,
  known: Map<string, Checkpoint>,
) {
  const store = {
    save: (name: string, checkpoint: Checkpoint) => {
      known.set(name, checkpoint);
      return batches.saveCheckpoints(batch, { [name]: checkpoint });
    },
    clear: (name: string) => {
      known.delete(name);
      return batches.saveCheckpoints(batch, { [name]: undefined });
    },
  };
  return new CheckpointedSteps(store, new Map(known), signal);
}
