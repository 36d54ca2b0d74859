import type { SecretBox } from "../accounts/secrets.ts";
import { requireFound } from "../shared/versioned.ts";
import type { ModelChoice, ModelKind, Models } from "./models.ts";

/** A user's key for a provider, encrypted. It leaves the service only to its provider. */
export type ProviderKey = {
  readonly userId: string;
  /** The provider's canonical name, which all its rows share. */
  readonly provider: string;
  readonly sealed: string;
  readonly createdAt: number;
};

export type ProviderKeyStore = {
  /** In the order of the providers' names. */
  list(userId: string): Promise<readonly ProviderKey[]>;
  /** Replaces an earlier key for the provider. */
  put(key: ProviderKey): Promise<void>;
  /** False if there is none. */
  remove(userId: string, provider: string): Promise<boolean>;
};

export type ProviderKeyPorts = {
  readonly providerKeys: ProviderKeyStore;
  readonly accountKeyBox: SecretBox;
  readonly models: Pick<Models, "providers" | "select">;
};

/** A key cannot be moved to another account or provider in the database. */
const ownerOf = ({ userId, provider }: Pick<ProviderKey, "userId" | "provider">) => `${userId} ${provider}`;

/** The canonical name and the title of a provider that takes keys. Throws not_found. */
export function keyedProvider({ models }: Pick<ProviderKeyPorts, "models">, name: string) {
  const normalized = name.trim().toLowerCase();
  const known = models.providers.flatMap(({ id, aliases, name: title, category }) => {
    const { needsKey, id: selected } = models.select(category, { provider: id });
    return needsKey ? [{ provider: selected.provider, title, names: [id, ...aliases, selected.provider] }] : [];
  });
  return requireFound(known.find(({ names }) => names.includes(normalized)));
}

export async function keepProviderKey(
  ports: ProviderKeyPorts,
  userId: string,
  name: string,
  key: string,
): Promise<ProviderKey> {
  const { provider } = keyedProvider(ports, name);
  const sealed = ports.accountKeyBox.seal(key, ownerOf({ userId, provider }));
  const kept = { userId, provider, sealed, createdAt: Date.now() };
  await ports.providerKeys.put(kept);
  return kept;
}

/** Throws not_found. */
export async function forgetProviderKey(ports: ProviderKeyPorts, userId: string, name: string): Promise<void> {
  const { provider } = keyedProvider(ports, name);
  requireFound((await ports.providerKeys.remove(userId, provider)) || undefined);
}

/** The keys that can still be opened, by provider. */
export async function readProviderKeys(
  { providerKeys, accountKeyBox }: Omit<ProviderKeyPorts, "models">,
  userId: string,
): Promise<ReadonlyMap<string, string>> {
  const keys = await providerKeys.list(userId);
  return new Map(
    keys.flatMap(({ provider, sealed }) => {
      const key = accountKeyBox.open(sealed, ownerOf({ userId, provider }));
      return key === undefined ? [] : [[provider, key] as const];
    }),
  );
}

/** The account's key for the provider that a choice names; undefined without a name, and for providers without keys. */
export async function keptKeyFor(
  ports: ProviderKeyPorts,
  userId: string,
  kind: ModelKind,
  { provider }: Pick<ModelChoice, "provider">,
): Promise<string | undefined> {
  if (!provider?.trim()) return undefined;
  const { id, needsKey } = ports.models.select(kind, { provider });
  return needsKey ? (await readProviderKeys(ports, userId)).get(id.provider) : undefined;
}
