import { Hono } from "hono";
import { z } from "zod";
import { type ApiToken, createApiToken, revokeApiToken } from "../../domain/accounts/api-tokens.ts";
import { scopes } from "../../domain/accounts/scopes.ts";
import { namedObject, optional } from "../../domain/shared/schemas.ts";
import type { Services } from "../../services.ts";
import { json, noContent, page as pageOf } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { requireLogin, withoutCookie } from "../middleware/require-scopes.ts";
import { noStore } from "../middleware/response-headers.ts";
import { operationsOf } from "../openapi.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate } from "../request/validate.ts";
import { isDistinct, PageQuery, trimmedUpTo } from "../schemas/common.ts";
import { ApiTokens, CreatedApiToken } from "./views.ts";

const NewToken = namedObject("NewApiToken", {
  name: trimmedUpTo(100),
  scopes: z
    .array(z.enum(scopes))
    .min(1, "Must name at least one scope.")
    .refine(isDistinct, "Must not name a scope twice."),
  expiresInDays: z.int().min(1).max(3650).nullish().describe("Days; null or absent for a token that never expires."),
  rendersInto: optional(trimmedUpTo(200)).describe(
    "The name of the project that holds what this token renders by the API of another service, if the service is set to answer these; `Imported` by default. It is made if there is none.",
  ),
});

const documented = operationsOf("Tokens");

/** Only a user's own login may manage tokens: an API token must not create one with more scopes. */
export const tokenRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .use(noStore)
    .use(withoutCookie)
    .get(
      "/",
      documented(requireLogin, {
        id: "listTokens",
        summary: "List the API tokens",
        about: "Returns the user's tokens, newest first, without their secrets.",
        answers: { 200: pageOf(ApiTokens, "The tokens.") },
      }),
      validate("query", PageQuery),
      async (c) => {
        const page = await services.apiTokens.list(c.var.caller.user.id, pageRequest(c.req.valid("query")));
        return c.json(withNextLink(c, page, tokenMeta), 200);
      },
    )
    .post(
      "/",
      documented(requireLogin, {
        id: "createToken",
        summary: "Create an API token",
        about:
          "Creates a credential with these scopes. Its secret is in this response only: the service stores only a hash.",
        answers: { 201: json(CreatedApiToken, "The secret and the token.") },
        errors: ["limit_reached"],
      }),
      validate("json", NewToken),
      async (c) => {
        const created = await createApiToken(services, c.var.caller.user.id, c.req.valid("json"));
        return c.json({ token: created.secret, meta: tokenMeta(created.token) }, 201);
      },
    )
    .delete(
      "/:tokenId",
      documented(requireLogin, {
        id: "revokeToken",
        summary: "Revoke an API token",
        about: "The token is refused from then on.",
        answers: noContent("The token is revoked."),
        errors: ["not_found"],
      }),
      async (c) => {
        await revokeApiToken(services, c.var.caller.user.id, c.req.param("tokenId"));
        return c.body(null, 204);
      },
    );

const tokenMeta = ({ hash: _hash, userId: _userId, rendersInto, ...meta }: ApiToken) => ({
  ...meta,
  ...(rendersInto && { rendersInto }),
});
