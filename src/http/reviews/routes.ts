import { Hono } from "hono";
import { createReview, replyToComment, revokeReview } from "../../domain/reviews/reviews.ts";
import { requireFound } from "../../domain/shared/versioned.ts";
import type { Services } from "../../services.ts";
import { json, noContent, page as pageOf } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { loads, loadWork } from "../middleware/load-resource.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { noStore } from "../middleware/response-headers.ts";
import { operationsOf } from "../openapi.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate } from "../request/validate.ts";
import { PageQuery } from "../schemas/common.ts";
import { CommentChanges, NewReply, NewReview } from "./schemas.ts";
import { CreatedReview, formatsView, OwnComment, OwnComments, OwnReviews, ownCommentView, ownView } from "./views.ts";

const documented = operationsOf("Reviews");

/** The review links of a work, with comments and decisions. */
export const reviewRoutes = (services: Services) => {
  const { reviews, internalUrls } = services;
  const canShare = requireScopes("works:write");
  const ofWork = operationsOf("Reviews", loadWork(services));
  const loadComment = loads(async (c, next) => {
    requireFound(await reviews.findComment(c.var.work.id, c.req.param("commentId") ?? ""));
    await next();
  });

  return new Hono<AppEnv>()
    .post(
      "/:workId/reviews",
      documented(canShare, {
        id: "createReview",
        summary: "Make a review link",
        about:
          "Makes a link with which people without an account can watch a finished export, comment on it and approve it. The URL is in this response only: the service stores only a hash of its secret. The video is kept until the link expires, even if the export is removed.",
        answers: { 200: json(CreatedReview, "The link, with its URL.") },
        errors: ["not_ready", "limit_reached"],
      }),
      noStore,
      loadWork(services),
      validate("json", NewReview),
      async (c) => {
        const { caller, work } = c.var;
        const made = await createReview(services, caller.user.id, work, c.req.valid("json"));
        const url = internalUrls.review(made.secret);
        return c.json({ ...ownView(made.review), ...formatsView(made.review, made.others), url }, 200);
      },
    )
    .get(
      "/:workId/reviews",
      ofWork(canShare, {
        id: "listReviews",
        summary: "List the review links",
        about: "Returns the links of the work, newest first, without their URLs. Expired links stay listed.",
        answers: { 200: pageOf(OwnReviews, "The links.") },
      }),
      validate("query", PageQuery),
      async (c) => {
        const page = await reviews.list(c.var.work.id, pageRequest(c.req.valid("query")));
        return c.json(withNextLink(c, page, ownView), 200);
      },
    )
    .delete(
      "/:workId/reviews/:reviewId",
      ofWork(canShare, {
        id: "revokeReview",
        summary: "Revoke a review link",
        about: "The link stops working. Its comments stay with the work; its approval is removed.",
        answers: noContent("The link is revoked."),
        errors: ["not_found"],
      }),
      async (c) => {
        await revokeReview(services, c.var.work.id, c.req.param("reviewId"));
        return c.body(null, 204);
      },
    )
    .get(
      "/:workId/comments",
      ofWork(requireScopes("works:read"), {
        id: "listComments",
        summary: "List the comments of reviewers",
        about: "Returns the comments of all links of the work, newest first.",
        answers: { 200: pageOf(OwnComments, "The comments.") },
      }),
      validate("query", PageQuery),
      async (c) => {
        const page = await reviews.listComments(c.var.work.id, pageRequest(c.req.valid("query")));
        return c.json(withNextLink(c, page, ownCommentView), 200);
      },
    )
    .put(
      "/:workId/comments/:commentId",
      ofWork(canShare, {
        id: "resolveComment",
        summary: "Resolve a comment",
        about: "Marks a comment as done, or as open again. Reviewers see the mark.",
        answers: { 200: json(OwnComment, "The comment.") },
        errors: ["not_found"],
      }),
      loadComment,
      validate("json", CommentChanges),
      async (c) => {
        const { resolved } = c.req.valid("json");
        const comment = await reviews.resolveComment(c.var.work.id, c.req.param("commentId"), resolved);
        return c.json(ownCommentView(requireFound(comment)), 200);
      },
    )
    .post(
      "/:workId/comments/:commentId/replies",
      ofWork(canShare, {
        id: "replyToComment",
        summary: "Reply to a comment",
        about: "Adds a reply in the name of the account, which reviewers see below the comment.",
        answers: { 200: json(OwnComment, "The reply.") },
        errors: ["not_found", "limit_reached"],
      }),
      loadComment,
      validate("json", NewReply),
      async (c) => {
        const answered = requireFound(await reviews.findComment(c.var.work.id, c.req.param("commentId")));
        const said = { text: c.req.valid("json").text, author: c.var.caller.user.name };
        return c.json(ownCommentView(await replyToComment(services, answered, said)), 200);
      },
    )
    .delete(
      "/:workId/comments/:commentId",
      ofWork(canShare, {
        id: "deleteComment",
        summary: "Delete a comment",
        about: "Removes the comment, also from the page of its link.",
        answers: noContent("The comment is deleted."),
        errors: ["not_found"],
      }),
      async (c) => {
        requireFound((await reviews.removeComment(c.var.work.id, c.req.param("commentId"))) || undefined);
        return c.body(null, 204);
      },
    );
};
