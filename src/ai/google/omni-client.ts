import type { Access } from "../client/credentials.ts";
import { unusable } from "../client/errors.ts";
import { sendJson } from "../client/json-client.ts";
import { cappedFetch } from "../client/limited-fetch.ts";
import { Interaction } from "./omni-response.ts";

/** A video that comes inline has some 70 MB. */
const maxAnswerBytes = 96 * 1024 * 1024;
/** An answer may bring a whole video. */
const lookMs = 120_000;
const cancelMs = 3_000;

export type StartedJob = Interaction & { readonly id: string };

/** The jobs of Google's Interactions API. Each method is one request. */
export function interactionsOf(access: Access) {
  const headers = { "x-goog-api-key": access.apiKey };
  const all = `${access.baseUrl}/interactions`;
  const urlOf = (id: string) => `${all}/${encodeURIComponent(id)}`;
  const shape = { access, headers, maxBytes: maxAnswerBytes, answer: Interaction };

  return {
    /** Costs money. */
    async create(body: unknown, signal: AbortSignal): Promise<StartedJob> {
      const job = await sendJson({ ...shape, url: all, body }, signal);
      if (!job.id) throw unusable(access, "it names no job");
      return { ...job, id: job.id };
    },

    async look(id: string, signal: AbortSignal): Promise<Interaction> {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(lookMs)]);
      const job = await sendJson({ ...shape, url: urlOf(id), method: "GET" }, patience);
      if (!job.status && !job.error) throw unusable(access, "it has no status");
      return job;
    },

    /** On a clock of its own: whoever waited has left. Never throws. */
    async cancel(id: string): Promise<void> {
      const init = { method: "POST", headers, signal: AbortSignal.timeout(cancelMs) };
      await cappedFetch({ maxBytes: maxAnswerBytes })(`${urlOf(id)}/cancel`, init)
        .then((response) => response.body?.cancel())
        .catch(() => {});
    },
  };
}

export type Interactions = ReturnType<typeof interactionsOf>;
