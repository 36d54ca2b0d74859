import type { ModelCredentials } from "../client/credentials.ts";
import { badResponse } from "../client/errors.ts";
import { sendJson } from "../client/json-client.ts";
import { limitedFetch } from "../client/limited-fetch.ts";
import { Interaction } from "./omni-response.ts";

/** A job with an inline video has about 70 MB. */
const maxResponseBytes = 96 * 1024 * 1024;
/** Long enough for a response with an inline video. */
const getTimeoutMs = 120_000;
const cancelTimeoutMs = 3_000;

export type StartedJob = Interaction & { readonly id: string };

/** A client of Google's Interactions API, which runs video generation as jobs. Each method sends one request. */
export function interactionsClient(credentials: ModelCredentials) {
  const headers = { "x-goog-api-key": credentials.apiKey };
  const collectionUrl = `${credentials.baseUrl}/interactions`;
  const urlOf = (id: string) => `${collectionUrl}/${encodeURIComponent(id)}`;
  const common = { credentials, headers, maxBytes: maxResponseBytes, responseSchema: Interaction };

  return {
    /** Costs money. */
    async create(body: unknown, signal: AbortSignal): Promise<StartedJob> {
      const job = await sendJson({ ...common, url: collectionUrl, body }, signal);
      if (!job.id) throw badResponse(credentials, "it contains no job id");
      return { ...job, id: job.id };
    },

    async get(id: string, signal: AbortSignal): Promise<Interaction> {
      const timeoutSignal = AbortSignal.any([signal, AbortSignal.timeout(getTimeoutMs)]);
      const job = await sendJson({ ...common, url: urlOf(id), method: "GET" }, timeoutSignal);
      if (!job.status && !job.error) throw badResponse(credentials, "it has no status");
      return job;
    },

    /** Has its own timeout, because the request's signal has usually aborted. Never throws. */
    async cancel(id: string): Promise<void> {
      const init = { method: "POST", headers, signal: AbortSignal.timeout(cancelTimeoutMs) };
      await limitedFetch({ maxBytes: maxResponseBytes })(`${urlOf(id)}/cancel`, init)
        .then((response) => response.body?.cancel())
        .catch(() => {});
    },
  };
}

export type InteractionsClient = ReturnType<typeof interactionsClient>;
