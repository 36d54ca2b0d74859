import { z } from "zod";

import { approvalStates } from "../../domain/reviews/reviews.ts";
import { aspectRatios, named, namedObject } from "../../domain/shared/schemas.ts";
import { Id, textUpTo, trimmedUpTo, withDefault } from "../schemas/common.ts";

const Allowed = withDefault(z.boolean(), true);
const Author = trimmedUpTo(80).describe("The name that the reviewer gives.");

export const NewReview = namedObject("NewReview", {
  exportId: Id.describe("A finished export of the work."),
  target: z.enum(aspectRatios).optional().describe("One of its targets; by default, the first."),
  targets: z
    .array(z.enum(aspectRatios))
    .min(1)
    .max(aspectRatios.length)
    .refine((names) => new Set(names).size === names.length, "Must name no target twice.")
    .optional()
    .describe("Several of its targets, in place of `target`: the page of the link offers them all."),
  expiresInDays: withDefault(z.int().min(1).max(90), 14),
  comment: Allowed.describe("Whether reviewers may comment; true by default."),
  approve: Allowed.describe("Whether reviewers may approve or ask for changes; true by default."),
});

const Text = trimmedUpTo(2000);

export const NewComment = named(
  "NewReviewComment",
  z
    .object({
      at: z.number().min(0).max(86_400).optional().describe("Seconds from the start of the video. A reply has none."),
      text: Text,
      author: Author,
      replyTo: z.int().min(0).optional().describe("The `createdAt` of the comment of this link that it answers."),
    })
    .refine(({ at, replyTo }) => (at === undefined) !== (replyTo === undefined), {
      path: ["at"],
      message: "Must be sent, unless the comment is a reply.",
    }),
);

export const NewReply = namedObject("NewReviewReply", { text: Text });

export const NewApproval = namedObject("NewApproval", {
  state: z.enum(approvalStates),
  author: Author,
  note: textUpTo(2000)
    .nullish()
    .transform((note) => note?.trim() || undefined),
});

export const CommentChanges = namedObject("ReviewCommentChanges", { resolved: z.boolean() });

export const ReviewFileQuery = z.object({
  target: z.enum(aspectRatios).optional().describe("One of the link's formats, by default the first."),
});
