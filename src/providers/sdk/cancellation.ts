import type { ModelCredentials } from "../client/credentials.ts";
import { asFetch, limitedFetch, maxTextResponseBytes } from "../client/limited-fetch.ts";
import { addressFor, isOwn } from "./provider-fetch.ts";

/** The request that ends a job at its provider. */
export type Cancellation = { readonly method: "POST" | "PUT"; readonly url: string };

type Sender = { readonly credentials: ModelCredentials; readonly keyHeaders: Readonly<Record<string, string>> };

const timeoutMs = 3_000;

/** Has its own timeout, because the request's signal has usually aborted. Never throws. */
export async function sendCancellation(
  request: Cancellation | undefined,
  { credentials, keyHeaders }: Sender,
): Promise<void> {
  if (!request || !URL.canParse(request.url)) return;
  const url = addressFor(credentials, new URL(request.url));
  if (!isOwn(credentials, url)) return;
  const init = { method: request.method, headers: keyHeaders, signal: AbortSignal.timeout(timeoutMs) };
  await limitedFetch({ maxBytes: maxTextResponseBytes })(url, init)
    .then((response) => response.body?.cancel())
    .catch(() => {});
}

/** A fetch that passes on the answer to each creation, as JSON. */
export function withAnswers(
  fetch: typeof globalThis.fetch,
  onAnswer: (answer: Readonly<Record<string, unknown>>) => void,
): typeof globalThis.fetch {
  return asFetch(async (input, init) => {
    const response = await fetch(input, init);
    const answer =
      init.method === "POST" &&
      response.ok &&
      (await response
        .clone()
        .json()
        .catch(() => undefined));
    if (answer && typeof answer === "object") onAnswer(answer);
    return response;
  });
}
