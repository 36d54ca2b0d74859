/** What a client needs to call one model of one provider on behalf of a caller. */
export type ModelCredentials = {
  /** For messages to people. */
  readonly providerName: string;
  /** For usage records. */
  readonly providerId: string;
  readonly modelId: string;
  /** True if the caller named no model. */
  readonly byDefault: boolean;
  /** The ids of the models that the provider's row lists and that have not ended. */
  readonly offeredModels: readonly string[];
  readonly apiKey: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The provider's own origins, if `baseUrl` stands for them because a setting says so. */
  readonly replacedOrigins?: readonly string[];
  /** Further origins of the provider, besides that of `baseUrl`, that take the key. */
  readonly otherOrigins?: readonly string[];
};
