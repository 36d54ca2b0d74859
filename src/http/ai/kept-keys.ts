import type { Context } from "hono";
import type { ModelChoice, ModelKind } from "../../domain/ai/models.ts";
import { keptKeyFor, type ProviderKeyPorts, readProviderKeys } from "../../domain/ai/provider-keys.ts";
import type { GivenKeys } from "../../domain/films/keys.ts";
import type { AppEnv } from "../app-env.ts";

type Headers = Readonly<Record<string, string | undefined>>;

const providerHeader = /^x-(\w+)-provider$/;

/** Adds the account's keys for the providers that the headers name without a key. */
export async function withKeptKeys<Sent extends Headers>(
  c: Context<AppEnv>,
  ports: ProviderKeyPorts,
  headers: Sent,
  { kind, keyHeaders }: { readonly kind?: ModelKind | undefined; readonly keyHeaders: readonly string[] },
): Promise<Sent> {
  if (headers["x-api-key"]?.trim()) return headers;
  const added: [string, string][] = [];
  for (const [name, provider] of Object.entries(headers)) {
    const category = providerHeader.exec(name)?.[1] as ModelKind | undefined;
    if (!category || !provider?.trim() || c.env?.assumed?.includes(name)) continue;
    const own = `x-${category}-api-key`;
    const header = keyHeaders.includes(own) ? own : "x-api-key";
    if (headers[header]?.trim()) continue;
    const key = await keptKeyFor(ports, c.var.caller.user.id, kind ?? category, { provider });
    if (key !== undefined) added.push([header, key]);
  }
  return added.length > 0 ? { ...headers, ...Object.fromEntries(added) } : headers;
}

/** The choice with the account's key, if it names a provider without one. */
export async function withKeptKey(
  c: Context<AppEnv>,
  ports: ProviderKeyPorts,
  kind: ModelKind,
  choice: ModelChoice,
): Promise<ModelChoice> {
  if (choice.apiKey !== undefined) return choice;
  const apiKey = await keptKeyFor(ports, c.var.caller.user.id, kind, choice);
  return apiKey === undefined ? choice : { ...choice, apiKey };
}

/** The keys of a film's order with those of the account. */
export const withKeysOfAccount = async (
  c: Context<AppEnv>,
  ports: ProviderKeyPorts,
  given: GivenKeys,
): Promise<GivenKeys> => ({ ...given, kept: await readProviderKeys(ports, c.var.caller.user.id) });
