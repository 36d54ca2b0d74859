import { and, count, eq, getTableColumns, inArray, or, type SQL, sql, sum } from "drizzle-orm";
import type { Session } from "../../domain/accounts/access-tokens.ts";
import type { Asset, AssetIds, AssetStore } from "../../domain/assets/assets.ts";
import type { StorageLimit, StoredFiles } from "../../domain/files/storage.ts";
import { isActiveSession, isUser, userColumns } from "../accounts/users.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { jsonBytes, readSizedPage } from "../database/paging.ts";
import { resourceRows } from "../database/resource-rows.ts";
import { hasHash, toFileColumns, toStoredFile, withNulls, withoutNulls } from "../database/rows.ts";
import { readTotal, withinStorage } from "../database/storage-usage.ts";
import { tokenFamilies, users } from "../tables/accounts.ts";
import { assets, projects } from "../tables/projects.ts";

type AssetRow = typeof assets.$inferSelect;

const toAsset = (row: AssetRow): Asset => {
  const { fileKey, sizeBytes, sha256, filename, facts, ...rest } = row;
  return { ...withoutNulls(rest), file: toStoredFile(row) };
};

const rows = resourceRows<typeof assets, Asset>({
  table: assets,
  owner: assets.projectId,
  toResource: toAsset,
  toRow: ({ file, ...asset }) => withNulls(assets, { ...asset, ...toFileColumns(file) }),
});

const { createdAt, id, name, filename, description, tags, facts, speech, subjectBoxes } = assets;
const list = {
  table: assets,
  time: createdAt,
  id,
  timeOf: (row: AssetRow) => row.createdAt,
  bytes: jsonBytes(name, filename, description, tags, facts, speech, subjectBoxes),
};

const maxAlike = 1000;

export function assetStore(db: Database): AssetStore {
  const add = rows.adder(db);
  return withDatabaseTimeout({
    async list(projectId, { type }, page) {
      const where = and(eq(assets.projectId, projectId), type && eq(assets.type, type));
      const [found, total] = await Promise.all([
        readSizedPage(db, { ...list, where }, page, (isOnPage) => db.select().from(assets).where(and(where, isOnPage))),
        type ? totalOf(db, where) : readTotal(db, projectId, "assets"),
      ]);
      return { ...found, items: found.items.map(toAsset), count: total.files, totalSizeBytes: total.bytes };
    },
    find: rows.finder(db),
    ...ownFinders(db),
    async findMany(projectId, assetIds) {
      if (assetIds.length === 0) return [];
      const wanted = and(eq(assets.projectId, projectId), inArray(assets.id, [...assetIds]));
      return (await db.select().from(assets).where(wanted)).map(toAsset);
    },
    async findAlike(projectId, { hashes, names }) {
      if (hashes.length + names.length === 0) return [];
      const isAlike = or(hasHash(assets.sha256, hashes), inArray(assets.name, [...names]));
      const wanted = and(eq(assets.projectId, projectId), isAlike);
      return (await db.select().from(assets).where(wanted).limit(maxAlike)).map(toAsset);
    },
    add: (asset, limit) => (limit ? db.transaction((transaction) => addWithin(transaction, limit, asset)) : add(asset)),
    change: (projectId, assetId, edit) => rows.change(db, projectId, assetId, edit),
    remove: (projectId, assetId, check) =>
      rows.remove(db, projectId, assetId, (found) => {
        check(found);
        return found;
      }),
  });
}

async function totalOf(db: Database, where: SQL | undefined): Promise<StoredFiles> {
  const bytes = sql<number>`coalesce(${sum(assets.sizeBytes)}, 0)`.mapWith(Number);
  const [total] = await db.select({ files: count(), bytes }).from(assets).where(where);
  return total!; // safe because an aggregate gives one row
}

/** Queries that lead from the caller to an asset, without the columns of its project. */
function ownFinders(db: Database) {
  const isNamed = and(eq(projects.id, sql.placeholder("projectId")), eq(assets.id, sql.placeholder("assetId")));
  const isInProject = and(eq(assets.projectId, projects.id), isNamed);
  const ofUser = db
    .select(getTableColumns(assets))
    .from(projects)
    .innerJoin(assets, isInProject)
    .where(eq(projects.userId, sql.placeholder("userId")))
    .prepare("find_asset_of_user");
  const ofSession = db
    .select({ user: userColumns, asset: getTableColumns(assets) })
    .from(users)
    .innerJoin(tokenFamilies, isActiveSession)
    .leftJoin(projects, and(eq(projects.userId, users.id), eq(projects.id, sql.placeholder("projectId"))))
    .leftJoin(assets, isInProject)
    .where(isUser)
    .prepare("find_asset_of_session");
  return {
    async findOfUser(userId: string, ids: AssetIds) {
      const [found] = await ofUser.execute({ userId, ...ids });
      return found && toAsset(found);
    },
    async findForSession(session: Session, ids: AssetIds) {
      const [found] = await ofSession.execute({ ...session, ...ids });
      return found && { user: found.user, ...(found.asset && { asset: toAsset(found.asset) }) };
    },
  };
}

function addWithin(transaction: Database, limit: StorageLimit, asset: Asset): Promise<Asset | undefined> {
  return withinStorage(transaction, limit, asset.file.sizeBytes, async () => {
    const isParent = eq(projects.id, asset.projectId);
    const [project] = await transaction.select({ id: projects.id }).from(projects).where(isParent).for("key share");
    return project && rows.adder(transaction)(asset);
  });
}
