/** The data that a client needs to call one model of one provider on behalf of a caller. */
export type ModelCredentials = {
  /** The name for messages to users. */
  readonly providerName: string;
  /** The id for usage records. */
  readonly providerId: string;
  readonly modelId: string;
  /** True if the caller named no model. */
  readonly byDefault: boolean;
  /** The ids of the models in the provider's row that have not ended. */
  readonly offeredModels: readonly string[];
  readonly apiKey: string;
  /** The URL without a trailing slash. */
  readonly baseUrl: string;
  /** The provider's own origins, if a setting replaces them by `baseUrl`. */
  readonly replacedOrigins?: readonly string[];
  /** Further origins of the provider, besides that of `baseUrl`, that accept the key. */
  readonly otherOrigins?: readonly string[];
};
