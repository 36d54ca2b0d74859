import { and, desc, gt, lte, ne } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { secretFingerprints } from "../tables/accounts.ts";

const { fingerprint, usedAt } = secretFingerprints;

/** By then, values sealed with another secret have expired or were given up. */
const rememberedMs = 30 * 24 * 60 * 60 * 1000;

/** The last start of a process with a different secret, if it was recent. */
export async function otherSecretUse(db: Pick<Database, "select">, own: string): Promise<Date | undefined> {
  const isOther = and(ne(fingerprint, own), gt(usedAt, Date.now() - rememberedMs));
  const [other] = await db.select({ usedAt }).from(secretFingerprints).where(isOther).orderBy(desc(usedAt)).limit(1);
  return other && new Date(other.usedAt);
}

/** Records a start with this secret, and deletes old records. */
export async function noteSecretUse(db: Database, own: string): Promise<void> {
  const use = { usedAt: Date.now() };
  await db.delete(secretFingerprints).where(lte(usedAt, use.usedAt - rememberedMs));
  const row = { fingerprint: own, ...use };
  await db.insert(secretFingerprints).values(row).onConflictDoUpdate({ target: fingerprint, set: use });
}

export const otherSecretSentence = (usedAt: Date): string =>
  `This database was used with another JWT_SECRET (last start ${usedAt.toISOString().slice(0, 16)}Z): logins and links made with it are refused, and webhooks whose secret it sealed cannot be sent.`;

export const otherSecretAdvice = "Give all processes the same JWT_SECRET.";
