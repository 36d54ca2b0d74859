import { and, asc, eq } from "drizzle-orm";
import type { ProviderKeyStore } from "../../domain/ai/provider-keys.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { providerKeys } from "../tables/accounts.ts";

const { userId, provider } = providerKeys;

export const providerKeyStore = (db: Database): ProviderKeyStore =>
  withDatabaseTimeout({
    list: (owner) => db.select().from(providerKeys).where(eq(userId, owner)).orderBy(asc(provider)),
    async put(key) {
      const { sealed, createdAt } = key;
      await db
        .insert(providerKeys)
        .values(key)
        .onConflictDoUpdate({ target: [userId, provider], set: { sealed, createdAt } });
    },
    async remove(owner, name) {
      const isKey = and(eq(userId, owner), eq(provider, name));
      return (await db.delete(providerKeys).where(isKey).returning({ provider })).length > 0;
    },
  });
