import type { z } from "zod";
import type { Access } from "./credentials.ts";
import { asProviderError, failedResponse, unusable } from "./errors.ts";
import { cappedFetch } from "./limited-fetch.ts";

export type JsonCall<Answer> = {
  readonly access: Access;
  readonly url: string;
  readonly method?: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly maxBytes: number;
  readonly answer: z.ZodType<Answer>;
};

/** Asks once, and reads JSON of the agreed form. Throws a DomainError for everything that a provider may do instead. */
export const askJson = <Answer>(call: JsonCall<Answer>, signal: AbortSignal): Promise<Answer> =>
  sendJson(call, signal).catch((error) => {
    throw asProviderError(error, call.access);
  });

/** The same, but what breaks on the way is thrown as it is. */
export async function sendJson<Answer>(call: JsonCall<Answer>, signal: AbortSignal): Promise<Answer> {
  const { access, url, method = "POST", headers, body, maxBytes, answer } = call;
  const response = await cappedFetch({ maxBytes })(url, {
    ...{ method, signal, headers: { "content-type": "application/json", ...headers } },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw await failedResponse(response, access);
  const read = answer.safeParse(parsed(await response.text()));
  if (!read.success) throw unusable(access, "it does not have the agreed form");
  return read.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined for text that is not base64. */
export function decoded(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    return undefined;
  }
}
