import { Hono } from "hono";
import { type ApiToken, createApiToken, revokeApiToken } from "../../domain/auth/api-tokens.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { requireLogin } from "../middleware/require-scopes.ts";
import { noStore } from "../middleware/response-headers.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate } from "../request/validate.ts";
import { PageQuery } from "../schemas/common.ts";
import { NewToken } from "../schemas/tokens.ts";

/** Only a user's own login manages tokens: an API token must not create one with more scopes. */
export const tokenRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .use(noStore)
    .get("/", requireLogin, validate("query", PageQuery), async (c) => {
      const page = await services.apiTokens.list(c.var.caller.user.id, pageRequest(c.req.valid("query")));
      return c.json(withNextLink(c, page, tokenMeta), 200);
    })
    .post("/", requireLogin, validate("json", NewToken), async (c) => {
      const created = await createApiToken(services, c.var.caller.user.id, c.req.valid("json"));
      return c.json({ token: created.secret, meta: tokenMeta(created.token) }, 201);
    })
    .delete("/:tokenId", requireLogin, async (c) => {
      await revokeApiToken(services, c.var.caller.user.id, c.req.param("tokenId"));
      return c.body(null, 204);
    });

const tokenMeta = ({ hash: _hash, userId: _userId, ...meta }: ApiToken) => meta;
