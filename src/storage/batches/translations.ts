import { and, asc, eq, gte, inArray, isNull, lte } from "drizzle-orm";
import type { BatchStore } from "../../domain/batches/batch.ts";
import type { Database } from "../database/database.ts";
import { batches, batchItems, batchTranslations, translations } from "../tables/batches.ts";

type TranslationStore = Pick<BatchStore, "findTranslations" | "addTranslations" | "listTranslations" | "untranslated">;

export const translationStore = (db: Database): TranslationStore => ({
  async findTranslations(projectId, hashes) {
    if (hashes.length === 0) return new Map();
    const isWanted = and(eq(translations.projectId, projectId), inArray(translations.hash, [...new Set(hashes)]));
    const { hash, translation } = translations;
    const rows = await db.select({ hash, translation }).from(translations).where(isWanted);
    return new Map(rows.map((row) => [row.hash, row.translation]));
  },

  addTranslations: ({ id: batchId, projectId }, added) =>
    db.transaction(async (transaction) => {
      const rows = added.map((row) => ({ projectId, ...row }));
      if (rows.length === 0) return;
      await transaction.insert(translations).values(rows).onConflictDoNothing();
      await transaction
        .insert(batchTranslations)
        .values(rows.map(({ hash }) => ({ batchId, hash })))
        .onConflictDoNothing();
    }),

  async listTranslations(batchId, limit) {
    const { hash, language, text, translation, projectId } = translations;
    return await db
      .select({ hash, language, text, translation })
      .from(batchTranslations)
      .innerJoin(batches, eq(batches.id, batchTranslations.batchId))
      .innerJoin(translations, and(eq(projectId, batches.projectId), eq(hash, batchTranslations.hash)))
      .where(eq(batchTranslations.batchId, batchId))
      .orderBy(asc(batchTranslations.place))
      .limit(limit);
  },

  async untranslated(batchId, from, to) {
    const { row, language, status, identity } = batchItems;
    const isOf = and(eq(batchItems.batchId, batchId), eq(status, "waiting"), isNull(identity));
    return await db
      .selectDistinct({ row, language })
      .from(batchItems)
      .where(and(isOf, gte(row, from), lte(row, to)));
  },
});
