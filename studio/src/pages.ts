import type { ClientResponse } from "hono/client";
import { unwrap } from "./api.ts";

/** A page of a list, with the cursor of the next page if any. */
export async function readPage<Answer extends ClientResponse<unknown, number, string>>(answer: Promise<Answer>) {
  const response = await answer;
  const [, cursor] = /[?&]cursor=([^&>]+)/.exec(response.headers.get("link") ?? "") ?? [];
  return { body: await unwrap(response), next: cursor && decodeURIComponent(cursor) };
}
