import { z } from "zod";

import { approvalStates } from "../../domain/reviews/reviews.ts";
import { aspectRatios, namedObject } from "../../domain/shared/schemas.ts";
import { Id, textUpTo, trimmedUpTo, withDefault } from "../schemas/common.ts";

const Allowed = withDefault(z.boolean(), true);
const Author = trimmedUpTo(80).describe("The name that the reviewer gives.");

export const NewReview = namedObject("NewReview", {
  exportId: Id.describe("A finished export of the work."),
  target: z.enum(aspectRatios).optional().describe("One of its targets; by default, the first."),
  expiresInDays: withDefault(z.int().min(1).max(90), 14),
  comment: Allowed.describe("Whether reviewers may comment; true by default."),
  approve: Allowed.describe("Whether reviewers may approve or ask for changes; true by default."),
});

export const NewComment = namedObject("NewReviewComment", {
  at: z.number().min(0).max(86_400).describe("Seconds from the start of the video."),
  text: trimmedUpTo(2000),
  author: Author,
});

export const NewApproval = namedObject("NewApproval", {
  state: z.enum(approvalStates),
  author: Author,
  note: textUpTo(2000)
    .nullish()
    .transform((note) => note?.trim() || undefined),
});

export const CommentChanges = namedObject("ReviewCommentChanges", { resolved: z.boolean() });
