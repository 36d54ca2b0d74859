import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { RateLimit } from "../../domain/accounts/rate-limit.ts";
import { formatOfFile } from "../../domain/exports/lifecycle/view.ts";
import { addComment, decide, linkedVideo, requireReview, requireRight } from "../../domain/reviews/reviews.ts";
import { requireFound } from "../../domain/shared/versioned.ts";
import { formats, formatTable } from "../../engine/timeline/format.ts";
import { DomainError } from "../../errors.ts";
import { isMissing } from "../../platform/files.ts";
import { sha256Of } from "../../platform/values.ts";
import type { Services } from "../../services.ts";
import { file, json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { anyone } from "../middleware/require-scopes.ts";
import { described, operationsOf } from "../openapi.ts";
import type { ClientAddressOf } from "../request/client-address.ts";
import { validate } from "../request/validate.ts";
import { sendFile } from "../response/send-file.ts";
import { NewApproval, NewComment, ReviewFileQuery } from "./schemas.ts";
import { Approval, approvalView, Comment, commentView, SharedReview, sharedView } from "./views.ts";

const documented = operationsOf("Reviews");

const fileTypes = formats.map((format) => formatTable[format].mimeType);

/** The limit of one address, for all links. */
const perAddress: RateLimit = { points: 20, seconds: 60 };

/** A link is only for its recipients. */
const noIndex = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  c.res.headers.set("X-Robots-Tag", "noindex, nofollow");
});

/** The link may be revoked between its check and the reading of its file. */
function asRevoked(error: unknown): never {
  throw isMissing(error) ? new DomainError("not_found", {}) : error;
}

/** Needs no account: the secret of the link is the credential, and the only input of these routes besides the body. */
export const reviewLinkRoutes = (services: Services, addressOf: ClientAddressOf) => {
  const { reviews, files, rateLimiter } = services;

  const withReview = described({ errors: ["not_found", "link_expired"] }, async (c, next) => {
    c.set("review", await requireReview(services, c.req.param("secret") ?? ""));
    await next();
  });

  const mayOnly = (right: Parameters<typeof requireRight>[1]) =>
    described({ errors: ["insufficient_scope"] }, (c, next) => {
      requireRight(c.var.review, right);
      return next();
    });

  const take = (c: Context<AppEnv>, what: string) =>
    rateLimiter.take([{ ...perAddress, key: `review ${what} ${addressOf(c).network}` }]);

  return new Hono<AppEnv>()
    .use(noIndex)
    .get(
      "/:secret",
      documented(anyone, {
        id: "openReview",
        summary: "Open a review link",
        about:
          "Returns what a reviewer sees of the video, with the comments of this link. The secret is the last part of the link's URL. A wrong or revoked secret is not found; after the link has expired the answer is 410.",
        answers: { 200: json(SharedReview, "The film.") },
      }),
      withReview,
      async (c) => {
        const { review } = c.var;
        const [others, comments] = await Promise.all([reviews.othersOf(review.id), reviews.commentsOf(review.id)]);
        return c.json(sharedView(review, others, comments), 200);
      },
    )
    .get(
      "/:secret/file",
      documented(anyone, {
        id: "watchReview",
        summary: "Watch the video of a review link",
        about: "Sends the video of the link, or the part of it that Range names.",
        answers: file(fileTypes, "The file."),
        errors: ["range_not_satisfiable", "source_unreadable"],
      }),
      withReview,
      validate("query", ReviewFileQuery),
      async (c) => {
        const video = await linkedVideo(services, c.var.review, c.req.valid("query").target);
        const { name, sizeBytes, fileKey } = video;
        const key = requireFound(fileKey);
        const { mimeType, extension } = formatOfFile(key);
        return await sendFile(c, {
          sizeBytes,
          mimeType,
          filename: `${name}.${extension}`,
          disposition: "inline",
          // a key is never reused for other bytes, and its ids are not for reviewers
          contentHash: sha256Of(key),
          // served from here, not from a bucket, whose URLs would outlive the link
          read: (start, end) => files.read({ key, sizeBytes }, start, end).catch(asRevoked),
        });
      },
    )
    .post(
      "/:secret/comments",
      documented(anyone, {
        id: "addComment",
        summary: "Comment on the video of a review link",
        about:
          "Adds a comment at a time of the film, or a reply to one. An address may add 20 in a minute, and a link takes 500. The text is plain text.",
        answers: { 200: json(Comment, "The comment.") },
        errors: ["rate_limited", "limit_reached"],
      }),
      withReview,
      mayOnly("comment"),
      validate("json", NewComment),
      async (c) => {
        await take(c, "comments");
        return c.json(commentView(await addComment(services, c.var.review, c.req.valid("json"))), 200);
      },
    )
    .post(
      "/:secret/approval",
      documented(anyone, {
        id: "approveReview",
        summary: "Approve the video of a review link",
        about: "Approves the video or requests changes. A later decision replaces an earlier one.",
        answers: { 200: json(Approval, "The decision.") },
        errors: ["rate_limited"],
      }),
      withReview,
      mayOnly("approve"),
      validate("json", NewApproval),
      async (c) => {
        await take(c, "approvals");
        return c.json(approvalView(await decide(services, c.var.review, c.req.valid("json"))), 200);
      },
    );
};
