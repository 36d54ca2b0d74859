import type { Category, Models } from "../domain/models.ts";
import type { Studio } from "../domain/studio.ts";

export type ProviderOptions = {
  /** Of callers whose headers name no provider. */
  readonly defaults: Readonly<Record<Category, string>>;
  readonly openaiBaseUrl?: string | undefined;
  readonly googleBaseUrl?: string | undefined;
  /** What the local provider draws with. */
  readonly studio: Studio;
};

export const providerModels = (_: ProviderOptions): Models => {
  const missing = () => {
    throw new Error("not built");
  };
  return { rows: [], vision: missing, llm: missing, image: missing, video: missing };
};
