import type { z } from "zod";
import { parseJson } from "../../platform/parse-json.ts";
import type { ModelCredentials } from "./credentials.ts";
import { readErrorResponse, toProviderError, unexpectedFormat } from "./errors.ts";
import { limitedFetch } from "./limited-fetch.ts";

type JsonRequest<Body> = {
  readonly credentials: ModelCredentials;
  readonly url: string;
  readonly method?: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  /** A form is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly maxBytes: number;
  readonly responseSchema: z.ZodType<Body>;
};

/** Sends one request and parses its JSON response. Throws a DomainError for every failure of the provider. */
export const requestJson = <Body>(request: JsonRequest<Body>, signal: AbortSignal): Promise<Body> =>
  sendJson(request, signal).catch((error) => {
    throw toProviderError(error, request.credentials);
  });

/** Like `requestJson`, but throws network errors and aborts unchanged. */
export async function sendJson<Body>(request: JsonRequest<Body>, signal: AbortSignal): Promise<Body> {
  const { credentials, url, method = "POST", headers, body, maxBytes, responseSchema } = request;
  const response = await limitedFetch({ maxBytes })(url, {
    method,
    signal,
    headers: body instanceof FormData ? headers : { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  if (!response.ok) throw await readErrorResponse(response, credentials);
  const parsed = responseSchema.safeParse(parseJson(await response.text()));
  if (!parsed.success) throw unexpectedFormat(credentials);
  return parsed.data;
}

/** Undefined if the text is not base64. */
export function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return undefined;
  }
}
