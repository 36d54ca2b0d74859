/** What a client needs to call one model of one provider on behalf of a caller. */
export type ModelCredentials = {
  /** For messages to people. */
  readonly providerName: string;
  /** For the provider table and usage records. */
  readonly providerId: string;
  readonly modelId: string;
  /** True if the caller named no model. */
  readonly byDefault: boolean;
  readonly apiKey: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
};
