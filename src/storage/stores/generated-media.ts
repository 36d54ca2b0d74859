import { eq, lte } from "drizzle-orm";
import type { GeneratedMediaStore } from "../../domain/files/generated-media.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { toFileColumns, toStoredFile } from "../database/rows.ts";
import { generatedMedia } from "../database/tables/ai.ts";

const { id, expiresAt, fileKey } = generatedMedia;

export const generatedMediaStore = (db: Database): GeneratedMediaStore =>
  withDatabaseTimeout({
    async add({ file, ...media }) {
      await db.insert(generatedMedia).values({ ...media, ...toFileColumns(file) });
    },
    async find(mediaId) {
      const [row] = await db.select().from(generatedMedia).where(eq(id, mediaId));
      if (!row) return undefined;
      const { userId, createdAt, ...rest } = row;
      return { id: row.id, userId, createdAt, expiresAt: row.expiresAt, file: toStoredFile(rest) };
    },
    async removeExpired(now) {
      const removed = await db.delete(generatedMedia).where(lte(expiresAt, now)).returning({ fileKey });
      return removed.map((row) => row.fileKey);
    },
  });
