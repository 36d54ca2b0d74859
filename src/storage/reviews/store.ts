import { and, eq, getTableColumns, gt, inArray, isNotNull, lte, sql } from "drizzle-orm";
import { rowsAtOnce } from "../../domain/files/expired.ts";
import type { StorageLimit } from "../../domain/files/storage.ts";
import type { Review, ReviewComment, ReviewStore } from "../../domain/reviews/reviews.ts";
import { isId } from "../../domain/shared/ids.ts";
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
    add: (review, limit) => db.transaction((transaction) => addReview(transaction, review, limit)),

    async list(workId, page) {
      const found = await readRows(db, reviews, eq(reviews.workId, workId), page);
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
      const { fileKey } = reviews;
      const [row] = await db.delete(reviews).where(isOfWork(workId, reviewId)).returning({ fileKey });
      return row && (row.fileKey === null ? [] : [row.fileKey]);
    },

    addComment: (comment) => db.transaction((transaction) => addComment(transaction, comment)),

    commentsOf: (reviewId) =>
      db
        .select()
        .from(reviewComments)
        .where(eq(reviewComments.reviewId, reviewId))
        .orderBy(reviewComments.at, reviewComments.id),

    listComments: (workId, page) => readRows(db, reviewComments, eq(reviewComments.workId, workId), page),

    async findComment(workId, commentId) {
      if (!isId("comment", commentId)) return undefined;
      const [comment] = await db.select().from(reviewComments).where(isComment(workId, commentId));
      return comment;
    },

    async resolveComment(workId, commentId, resolved) {
      if (!isId("comment", commentId)) return undefined;
      const changed = db.update(reviewComments).set({ resolved }).where(isComment(workId, commentId));
      const [comment] = await changed.returning();
      return comment;
    },

    async removeComment(workId, commentId) {
      if (!isId("comment", commentId)) return false;
      const removed = db.delete(reviewComments).where(isComment(workId, commentId));
      return (await removed.returning({ id: reviewComments.id })).length > 0;
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

/** The file counts as another video of the export's size once the export is removed or has another link. */
const addReview = (transaction: Database, review: Review, limit: StorageLimit): Promise<Review | undefined> =>
  withinStorage(transaction, limit, review.sizeBytes, async () => {
    const isWork = eq(works.id, review.workId);
    const [work] = await transaction.select({ id: works.id }).from(works).where(isWork).for("key share");
    if (!work) return undefined;
    const lives = and(eq(reviews.workId, review.workId), gt(reviews.expiresAt, review.createdAt));
    await requireRowLeft(transaction, "reviews", reviews, lives);
    await transaction.insert(reviews).values(review);
    return review;
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
