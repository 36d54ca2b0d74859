import type { ModelCredentials } from "../client/credentials.ts";

export const keyHeader = ({ apiKey }: ModelCredentials) => ({ "x-goog-api-key": apiKey });
