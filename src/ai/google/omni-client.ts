import type { ModelCredentials } from "../client/credentials.ts";
import { badResponse } from "../client/errors.ts";
import type { JobClient } from "../client/job.ts";
import { sendJson } from "../client/json-client.ts";
import { limitedFetch } from "../client/limited-fetch.ts";
import { keyHeader } from "./key-header.ts";
import { hasEnded, Interaction } from "./omni-response.ts";

/** A job with an inline video has about 70 MB. */
const maxResponseBytes = 96 * 1024 * 1024;
/** Long enough for a response with an inline video. */
const getTimeoutMs = 120_000;
const cancelTimeoutMs = 3_000;

/** What one job is created with. */
type Creation = { readonly body: () => Promise<unknown>; readonly idempotencyKey: string };

/** A client of Google's Interactions API, which runs video generation as jobs. Each method sends one request. */
export function interactionsClient(credentials: ModelCredentials, creation: Creation): JobClient<Interaction> {
  const headers = keyHeader(credentials);
  const collectionUrl = `${credentials.baseUrl}/interactions`;
  const common = { credentials, headers, maxBytes: maxResponseBytes, responseSchema: Interaction };

  return {
    async create(signal) {
      const body = await creation.body();
      const withKey = { ...headers, "idempotency-key": creation.idempotencyKey };
      const job = await sendJson({ ...common, headers: withKey, url: collectionUrl, body }, signal);
      if (!job.id) throw badResponse(credentials, "it contains no job id");
      return { id: job.id, ...(job.status && { status: job }) };
    },

    async get(id, signal) {
      const timeoutSignal = AbortSignal.any([signal, AbortSignal.timeout(getTimeoutMs)]);
      const job = await sendJson({ ...common, url: urlOf(credentials, id), method: "GET" }, timeoutSignal);
      if (!job.status && !job.error) throw badResponse(credentials, "it has no status");
      return job;
    },

    hasEnded,

    cancel: (id) => cancelInteraction(credentials, id),
  };
}

/** Never throws. */
export async function cancelInteraction(credentials: ModelCredentials, id: string): Promise<void> {
  const init = { method: "POST", headers: keyHeader(credentials), signal: AbortSignal.timeout(cancelTimeoutMs) };
  await limitedFetch({ maxBytes: maxResponseBytes })(`${urlOf(credentials, id)}/cancel`, init)
    .then((response) => response.body?.cancel())
    .catch(() => {});
}

const urlOf = ({ baseUrl }: ModelCredentials, id: string): string =>
  `${baseUrl}/interactions/${encodeURIComponent(id)}`;
