import { and, eq, getTableColumns, inArray, lte } from "drizzle-orm";
import { rowsAtOnce } from "../../domain/files/expired.ts";
import type { GeneratedMediaStore } from "../../domain/files/generated-media.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { toFileColumns, toStoredFile } from "../database/rows.ts";
import { isActive, users } from "../tables/accounts.ts";
import { generatedMedia } from "../tables/generated-media.ts";

const { id, expiresAt, fileKey } = generatedMedia;

export const generatedMediaStore = (db: Database): GeneratedMediaStore =>
  withDatabaseTimeout({
    async add({ file, ...media }) {
      await db.insert(generatedMedia).values({ ...media, ...toFileColumns(file) });
    },
    async find(mediaId) {
      const [row] = await db
        .select(getTableColumns(generatedMedia))
        .from(generatedMedia)
        .innerJoin(users, and(eq(users.id, generatedMedia.userId), isActive))
        .where(eq(id, mediaId));
      if (!row) return undefined;
      const { userId, createdAt, ...rest } = row;
      return { id: row.id, userId, createdAt, expiresAt: row.expiresAt, file: toStoredFile(rest) };
    },
    async listExpired(now) {
      const expired = db.select({ id, fileKey }).from(generatedMedia).where(lte(expiresAt, now));
      const rows = await expired.orderBy(expiresAt).limit(rowsAtOnce);
      return rows.map((row) => ({ id: row.id, fileKeys: [row.fileKey] }));
    },
    async removeExpired(ids) {
      await db.delete(generatedMedia).where(inArray(id, [...ids]));
    },
  });
