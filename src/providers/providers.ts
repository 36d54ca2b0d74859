import type { Models } from "../domain/ai/models.ts";
import type { ModelPorts, ProviderRow } from "./client/rows.ts";
import { google } from "./google/row.ts";
import { local } from "./local/row.ts";
import { openai } from "./openai/row.ts";
import { createModels, type RegistryOptions } from "./registry.ts";
import { alibaba } from "./rows/alibaba.ts";
import { anthropic } from "./rows/anthropic.ts";
import { blackForestLabs } from "./rows/black-forest-labs.ts";
import { elevenlabs } from "./rows/elevenlabs.ts";
import { fal } from "./rows/fal.ts";
import { gateway } from "./rows/gateway.ts";
import { replicate } from "./rows/replicate.ts";
import { runway } from "./rows/runway.ts";
import { xai } from "./rows/xai.ts";
import { pexels } from "./stock/pexels.ts";
import { pixabay } from "./stock/pixabay.ts";

/** Every provider, in the order of lists. */
const rows: readonly ProviderRow[] = [
  ...[openai, google, anthropic, fal, runway, elevenlabs, gateway, replicate, xai, blackForestLabs, alibaba],
  local,
  ...[pexels, pixabay],
];

export type ProviderOptions = ModelPorts & Omit<RegistryOptions, "now"> & Partial<Pick<RegistryOptions, "now">>;

/** Names of settings, without `_BASE_URL`, that set another address of a provider. */
export const baseUrlSettings = rows.flatMap(({ api }) => api?.setting ?? []);

export const providerModels = ({ defaults, baseUrls, now = Date.now, ...ports }: ProviderOptions): Models =>
  createModels(rows, ports, { defaults, baseUrls, now: () => now() });
