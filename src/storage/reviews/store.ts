import { and, eq, getTableColumns, gt, inArray, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import { rowsAtOnce } from "../../domain/files/expired.ts";
import type { StorageLimit } from "../../domain/files/storage.ts";
import type { Review, ReviewComment, ReviewStore } from "../../domain/reviews/reviews.ts";
import { isId } from "../../domain/shared/ids.ts";
import { sum } from "../../platform/values.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { readRows } from "../database/paging.ts";
import { withoutNulls } from "../database/rows.ts";
import { requireRowLeft, withinStorage } from "../database/storage-usage.ts";
import { isActive, users } from "../tables/accounts.ts";
import { projects, works } from "../tables/projects.ts";
import { reviewComments, reviews } from "../tables/reviews.ts";

type ReviewRow = typeof reviews.$inferSelect;

const toReview = (row: ReviewRow): Review => withoutNulls(row);

const toComment = (row: typeof reviewComments.$inferSelect): ReviewComment => withoutNulls(row);

const isOfWork = (workId: string, reviewId: string) => and(eq(reviews.workId, workId), eq(reviews.id, reviewId));

const isComment = (workId: string, commentId: string) =>
  and(eq(reviewComments.workId, workId), eq(reviewComments.id, commentId));

/** A removed project has no owner, and the projects of a removed account have an inactive owner. */
const isReachable = and(eq(projects.id, works.projectId), eq(users.id, projects.userId), isActive);

export function reviewStore(db: Database): ReviewStore {
  const byHash = db
    .select(getTableColumns(reviews))
    .from(reviews)
    .innerJoin(works, eq(works.id, reviews.workId))
    .innerJoin(projects, eq(projects.id, works.projectId))
    .innerJoin(users, isReachable)
    .where(eq(reviews.hash, sql.placeholder("hash")))
    .prepare("find_review");

  return withDatabaseTimeout({
    add: async (videos, limit) =>
      (await db.transaction((transaction) => addVideos(transaction, videos, limit))) ?? false,

    async othersOf(reviewId) {
      const rows = await db.select().from(reviews).where(eq(reviews.linkId, reviewId)).orderBy(reviews.id);
      return rows.map(toReview);
    },

    async list(workId, page) {
      const found = await readRows(db, reviews, and(eq(reviews.workId, workId), isNull(reviews.linkId)), page);
      return { ...found, items: found.items.map(toReview) };
    },

    async findByHash(hash) {
      const [row] = await byHash.execute({ hash });
      return row && toReview(row);
    },

    async approve(reviewId, approval) {
      const [row] = await db.update(reviews).set({ approval }).where(eq(reviews.id, reviewId)).returning();
      return row && toReview(row);
    },

    async remove(workId, reviewId) {
      const { id, linkId, fileKey } = reviews;
      const isOfLink = or(and(eq(id, reviewId), isNull(linkId)), eq(linkId, reviewId));
      const removed = db.delete(reviews).where(and(eq(reviews.workId, workId), isOfLink));
      const rows = await removed.returning({ fileKey });
      return rows.length === 0 ? undefined : rows.flatMap((row) => row.fileKey ?? []);
    },

    addComment: (comment) => db.transaction((transaction) => addComment(transaction, comment)),

    async commentsOf(reviewId) {
      const isOfReview = eq(reviewComments.reviewId, reviewId);
      const { at, id } = reviewComments;
      return (await db.select().from(reviewComments).where(isOfReview).orderBy(at, id)).map(toComment);
    },

    async listComments(workId, page) {
      const found = await readRows(db, reviewComments, eq(reviewComments.workId, workId), page);
      return { ...found, items: found.items.map(toComment) };
    },

    async findComment(workId, commentId) {
      if (!isId("comment", commentId)) return undefined;
      const [comment] = await db.select().from(reviewComments).where(isComment(workId, commentId));
      return comment && toComment(comment);
    },

    async resolveComment(workId, commentId, resolved) {
      if (!isId("comment", commentId)) return undefined;
      const changed = db.update(reviewComments).set({ resolved }).where(isComment(workId, commentId));
      const [comment] = await changed.returning();
      return comment && toComment(comment);
    },

    async removeComment(workId, commentId) {
      if (!isId("comment", commentId)) return false;
      return await db.transaction(async (transaction) => {
        const { reviewId, createdAt, replyTo } = reviewComments;
        const removed = transaction.delete(reviewComments).where(isComment(workId, commentId));
        const [comment] = await removed.returning({ reviewId, createdAt });
        if (!comment) return false;
        const isReply = and(eq(reviewId, comment.reviewId), eq(replyTo, comment.createdAt));
        await transaction.delete(reviewComments).where(isReply);
        return true;
      });
    },

    async listExpired(now) {
      const { id, fileKey, expiresAt } = reviews;
      const rows = await db
        .select({ id, fileKey })
        .from(reviews)
        .where(and(lte(expiresAt, now), isNotNull(fileKey)))
        .orderBy(expiresAt)
        .limit(rowsAtOnce);
      return rows.map((row) => ({ id: row.id, fileKeys: row.fileKey === null ? [] : [row.fileKey] }));
    },

    async removeExpired(ids, now) {
      const isExpired = and(inArray(reviews.id, [...ids]), lte(reviews.expiresAt, now));
      await db.update(reviews).set({ fileKey: null }).where(isExpired);
    },
  });
}

/** A file counts as another video of the export's size once the export is removed or has another link. */
const addVideos = (
  transaction: Database,
  videos: readonly Review[],
  limit: StorageLimit,
): Promise<boolean | undefined> =>
  withinStorage(transaction, limit, sum(videos.map(({ sizeBytes }) => sizeBytes)), async () => {
    const { workId, createdAt } = videos[0]!; // safe because a link has a video
    const isWork = eq(works.id, workId);
    const [work] = await transaction.select({ id: works.id }).from(works).where(isWork).for("key share");
    if (!work) return false;
    const lives = and(eq(reviews.workId, workId), gt(reviews.expiresAt, createdAt), isNull(reviews.linkId));
    await requireRowLeft(transaction, "reviews", reviews, lives);
    await transaction.insert(reviews).values([...videos]);
    return true;
  });

/** Comments of one link are added one after another, so that they cannot exceed their limit. */
async function addComment(transaction: Database, comment: ReviewComment): Promise<ReviewComment | undefined> {
  const isReview = isOfWork(comment.workId, comment.reviewId);
  const [review] = await transaction.select({ id: reviews.id }).from(reviews).where(isReview).for("update");
  if (!review) return undefined;
  await requireRowLeft(transaction, "comments", reviewComments, eq(reviewComments.reviewId, review.id));
  await transaction.insert(reviewComments).values(comment);
  return comment;
}
