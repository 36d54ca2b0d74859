import { z } from "zod";
import { type Approval, approvalStates, type Review, type ReviewComment } from "../../domain/reviews/reviews.ts";
import { aspectRatios } from "../../domain/shared/schemas.ts";
import { Id, named, namedObject, Seconds, Timestamp } from "../schemas/responses.ts";

const ApprovalSchema = named(
  "Approval",
  z.object({
    state: z.enum(approvalStates),
    author: z.string(),
    note: z.string().optional(),
    createdAt: Timestamp,
  }),
  { description: "The last decision of a reviewer. The name is what the reviewer entered, unverified." },
);

export { ApprovalSchema as Approval };

const film = {
  name: z.string().describe("The name of the work when it was exported."),
  durationSeconds: Seconds,
  fps: z.number(),
  width: z.int().describe("Pixels."),
  height: z.int().describe("Pixels."),
  comment: z.boolean().describe("Whether reviewers may comment."),
  approve: z.boolean().describe("Whether reviewers may approve."),
  approval: ApprovalSchema.nullable(),
  expiresAt: Timestamp,
};

const formats = z
  .array(namedObject("ReviewFormat", { target: z.enum(aspectRatios), width: z.int(), height: z.int() }))
  .optional()
  .describe("The formats of a link with several, the first one first.");

const ownReview = {
  id: Id,
  exportId: Id.describe("The export may have been removed; the link keeps its video."),
  target: z.enum(aspectRatios).optional(),
  ...film,
  createdAt: Timestamp,
};

const replyTo = Timestamp.optional().describe("The `createdAt` of the comment of the same link that it answers.");

const OwnReview = namedObject("Review", ownReview);
export const OwnReviews = z.array(OwnReview);

export const CreatedReview = namedObject("CreatedReview", {
  ...ownReview,
  formats,
  url: z.string().describe("The page of the video, with the secret. Shown only once."),
});

const comment = {
  at: Seconds,
  text: z.string(),
  author: z.string(),
  createdAt: Timestamp,
  resolved: z.boolean(),
  replyTo,
};

export const Comment = namedObject("ReviewComment", comment);

export const OwnComment = namedObject("WorkComment", { id: Id, reviewId: Id, ...comment });
export const OwnComments = z.array(OwnComment);

export const SharedReview = namedObject("SharedReview", {
  ...film,
  formats,
  comments: z.array(Comment).describe("Ordered by their time in the video."),
});

const filmView = ({ name, durationSeconds, fps, width, height, comment, approve, approval, expiresAt }: Review) => ({
  ...{ name, durationSeconds, fps, width, height, comment, approve },
  ...{ approval: approval ? approvalView(approval) : null, expiresAt },
});

export const approvalView = ({ state, author, note, createdAt }: Approval) => ({
  ...{ state, author, ...(note !== undefined && { note }) },
  createdAt,
});

/** A link as its owner sees it, without its secret. */
export const ownView = (review: Review) => ({
  ...{ id: review.id, exportId: review.exportId, ...(review.target !== "" && { target: review.target }) },
  ...filmView(review),
  createdAt: review.createdAt,
});

/** Has no ids: reviewers see nothing of the project but the video. */
export const commentView = ({ at, text, author, createdAt, resolved, replyTo }: ReviewComment) => ({
  ...{ at, text, author, createdAt, resolved, ...(replyTo !== undefined && { replyTo }) },
});

export const ownCommentView = (found: ReviewComment) => ({
  ...{ id: found.id, reviewId: found.reviewId },
  ...commentView(found),
});

/** The formats of a link with several videos. */
export const formatsView = (review: Review, others: readonly Review[]) =>
  others.length > 0 && {
    formats: [review, ...others].flatMap(({ target, width, height }) => (target ? [{ target, width, height }] : [])),
  };

/** A link as its recipients see it. */
export const sharedView = (review: Review, others: readonly Review[], comments: readonly ReviewComment[]) => ({
  ...filmView(review),
  ...formatsView(review, others),
  comments: comments.map(commentView),
});
