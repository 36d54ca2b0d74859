import { readFileSync } from "node:fs";
import { type Category, categories, type Models, providerNames } from "../domain/ai/models.ts";
import { PriceRows, type PriceTable, priceTable, replacePrices } from "../domain/ledger/prices.ts";
import type { Signer } from "../engine/ports.ts";
import type { Environment } from "../env.ts";
import type { ModelPorts } from "../providers/client/rows.ts";
import publishedPrices from "../providers/prices.json" with { type: "json" };
import { baseUrlSettings, providerModels } from "../providers/providers.ts";
import { CertificateError, localSigner, signerOf } from "../security/signers.ts";

/** Throws a one-line message if a setting names a provider that does not exist. `now` decides which models have ended. */
export function createModels(env: Environment, adapters: ModelPorts, now = Date.now): Models {
  const defaults = {
    vision: env.DEFAULT_VISION_PROVIDER,
    llm: env.DEFAULT_LLM_PROVIDER,
    image: env.DEFAULT_IMAGE_PROVIDER,
    video: env.DEFAULT_VIDEO_PROVIDER,
    speech: env.DEFAULT_SPEECH_PROVIDER,
    music: env.DEFAULT_MUSIC_PROVIDER,
  };
  const baseUrls = Object.fromEntries(baseUrlSettings.map((name) => [name, env[`${name}_BASE_URL`]]));
  const models = providerModels({ defaults, baseUrls, now, ...adapters });
  for (const category of categories) {
    if (defaults[category] !== undefined) requireKnownProvider(models, category);
  }
  return models;
}

/** The published prices, overridden by those of PRICES_FILE. Throws a one-line message if the file is not usable. */
export function createPrices({ PRICES_FILE: path }: Pick<Environment, "PRICES_FILE">): PriceTable {
  const published = PriceRows.parse(publishedPrices);
  return priceTable(path === undefined ? published : replacePrices(published, readPrices(path)));
}

/** The signer of the settings, by default the installation's own. Throws a one-line message. */
export function createSigner(env: Environment, secret: string): Signer | undefined {
  const { PROVENANCE, C2PA_CERTIFICATE: certificates, C2PA_PRIVATE_KEY: privateKey } = env;
  if (PROVENANCE === "off") return undefined;
  if (!certificates || !privateKey) return localSigner(secret);
  const files = {
    certificates: readPem("C2PA_CERTIFICATE", certificates),
    privateKey: readPem("C2PA_PRIVATE_KEY", privateKey),
  };
  try {
    return signerOf(files, false);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "cannot be used";
    throw new Error(
      `Bad setting ${cause instanceof CertificateError ? "C2PA_CERTIFICATE" : "C2PA_PRIVATE_KEY"}: ${reason}.`,
      { cause },
    );
  }
}

function readPem(setting: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Error(`Bad setting ${setting}: must be the path of a file in PEM.`, { cause });
  }
}

function readPrices(path: string) {
  const parsed = PriceRows.safeParse(readJson(path));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues; // safe because a failed parse has an issue
  throw new Error(`Bad setting PRICES_FILE: ${issue!.path.join(".") || "the file"} ${withoutCapital(issue!.message)}.`);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new Error("Bad setting PRICES_FILE: must be the path of a file with a JSON list of prices.", { cause });
  }
}

const withoutCapital = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

function requireKnownProvider(models: Models, category: Category): void {
  try {
    models.select(category, {});
  } catch (cause) {
    const known = models.providers.filter((provider) => provider.category === category).map(providerNames);
    const setting = `DEFAULT_${category.toUpperCase()}_PROVIDER`;
    throw new Error(`Bad setting ${setting}: must be one of ${known.join(", ")}.`, { cause });
  }
}
