import type { ModelCredentials } from "../client/credentials.ts";
import { limitedFetch } from "../client/limited-fetch.ts";

export async function loadGoogle({ apiKey, baseUrl: baseURL }: ModelCredentials, maxBytes: number) {
  const { createGoogle } = await import("@ai-sdk/google");
  return createGoogle({ apiKey, baseURL, fetch: limitedFetch({ maxBytes }) });
}

export const keyHeader = ({ apiKey }: ModelCredentials) => ({ "x-goog-api-key": apiKey });
