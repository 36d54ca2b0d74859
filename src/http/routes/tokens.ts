import { Hono } from "hono";
import { z } from "zod";
import { type ApiToken, createApiToken, revokeApiToken } from "../../domain/auth/api-tokens.ts";
import { scopes } from "../../domain/auth/scopes.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { requireLogin } from "../middleware/require-scopes.ts";
import { neverStored } from "../middleware/response-headers.ts";
import { pageItems, pageRequest } from "../request/paging.ts";
import { PageQuery, trimmedUpTo } from "../request/schemas.ts";
import { validate } from "../request/validate.ts";

const isWithoutRepeats = (items: readonly string[]) => new Set(items).size === items.length;

const NewToken = z.object({
  name: trimmedUpTo(100),
  scopes: z
    .array(z.enum(scopes, `Must be one of ${scopes.join(", ")}.`))
    .min(1, "Must name at least one scope.")
    .refine(isWithoutRepeats, "Must not name a scope twice."),
  expiresInDays: z.int().min(1).max(3650).nullish(),
});

/** Only a user's own login manages tokens, so that a token can never make a stronger one. */
export const tokenRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .use(neverStored)
    .get("/", requireLogin, validate("query", PageQuery), async (c) => {
      const page = await services.apiTokens.list(c.var.caller.user.id, pageRequest(c.req.valid("query")));
      return c.json(pageItems(c, page).map(tokenMeta), 200);
    })
    .post("/", requireLogin, validate("json", NewToken), async (c) => {
      const { secret: token, token: stored } = await createApiToken(
        services,
        c.var.caller.user.id,
        c.req.valid("json"),
      );
      return c.json({ token, meta: tokenMeta(stored) }, 201);
    })
    .delete("/:tokenId", requireLogin, async (c) => {
      await revokeApiToken(services, c.var.caller.user.id, c.req.param("tokenId"));
      return c.body(null, 204);
    });

const tokenMeta = ({ hash: _hash, userId: _userId, ...meta }: ApiToken) => meta;
