import type { ClientResponse } from "hono/client";
import { readError } from "./errors.ts";

/** The content of a successful response: its JSON, nothing, or the response itself for a file or a stream. */
type Content<Answer> = Answer extends { ok: false }
  ? never
  : Answer extends ClientResponse<infer Body, infer _Status, infer Format>
    ? Format extends "json"
      ? Body
      : Body extends null
        ? undefined
        : Answer
    : never;

/**
 * Reads the response of a route: `await unwrap(api.projects.$get())`. Throws `ApiError` for an error response. A
 * response that is not JSON is returned unchanged; one without a body (204) is undefined.
 */
export async function unwrap<Answer extends ClientResponse<unknown, number, string>>(
  answer: Answer | Promise<Answer>,
): Promise<Content<Answer>> {
  // safe because hono's client returns what `fetch` returned
  const response = (await answer) as unknown as Response;
  if (!response.ok) throw await readError(response);
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const content = response.status === 204 ? undefined : isJson ? await response.json() : response;
  return content as Content<Answer>;
}
