/** One model of one provider, as one caller may use it. */
export type Access = {
  /** For people. */
  readonly providerName: string;
  /** As the provider table and the accounts name it. */
  readonly providerId: string;
  readonly modelId: string;
  /** The service chose the model itself. */
  readonly byDefault: boolean;
  readonly apiKey: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
};
