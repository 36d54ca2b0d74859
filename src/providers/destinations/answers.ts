import { DeliveryError, type Sending } from "../../domain/destinations/deliveries.ts";
import type { Fetcher, HttpAnswer, HttpRequest } from "../../domain/files/fetcher.ts";
import { type DomainError, isDomainError } from "../../errors.ts";
import { parseRetryAfter } from "../../platform/async.ts";

/** Half a minute, plus a second for each 100 kB. */
export const timeFor = (bytes: number): number => 30_000 + bytes / 100;

type SendOptions = Pick<Sending, "signal"> & { readonly bytes?: number; readonly isTrusted?: boolean };

/** Sends one request of a delivery. Throws DeliveryError without an answer. */
export async function sendRequest(
  fetcher: Pick<Fetcher, "send">,
  url: string,
  request: HttpRequest,
  { signal, bytes = 0, isTrusted = false }: SendOptions,
): Promise<HttpAnswer> {
  try {
    return await fetcher.send(url, request, { path: "url", signal, timeoutMs: timeFor(bytes), isTrusted });
  } catch (error) {
    if (!isDomainError(error)) throw error;
    throw unanswered(error);
  }
}

function unanswered(error: DomainError): DeliveryError {
  const isNever = error.code === "url_not_allowed";
  return new DeliveryError({ code: error.code, message: error.message }, isNever ? "never" : "later", { cause: error });
}

/** At most a day: a receiver that asks for more is asked again. */
const maxRetryAfterSeconds = 24 * 60 * 60;

/** When to try again after an answer that is no success, by its status alone. */
export function retryAfter({ status, headers }: HttpAnswer): DeliveryError["retry"] {
  const isPassing = status >= 500 || [307, 408, 409, 425, 429].includes(status);
  if (!isPassing || status === 501 || status === 505) return "never";
  const seconds = parseRetryAfter(headers.get("retry-after"));
  return seconds === undefined ? "later" : { afterSeconds: Math.min(Math.ceil(seconds), maxRetryAfterSeconds) };
}

/** What a receiver writes is shown to the owner: one line, and not much of it. */
export const shortened = (text: string): string =>
  text
    .replace(/<[^>]*>/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 300);
