import { z } from "zod";
import { scopes } from "../../domain/accounts/scopes.ts";
import { Id, namedObject, Timestamp } from "../schemas/responses.ts";

export const User = namedObject("User", {
  id: Id,
  email: z.string(),
  name: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const tokens = {
  accessToken: z.string().meta({ description: "A JWT for the Authorization header." }),
  refreshToken: z.string().meta({ description: "Works once, at POST /api/auth/refresh." }),
};

export const TokenPair = namedObject("TokenPair", tokens);

export const Login = namedObject("Login", { user: User, ...tokens });

export const Session = namedObject("Session", {
  id: Id,
  userAgent: z.string().nullable().meta({ description: "The User-Agent of the login." }),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.meta({ description: "In milliseconds, accurate to ten minutes." }),
  expiresAt: Timestamp.meta({
    description: "The session ends then unless its tokens are refreshed. In milliseconds.",
  }),
  current: z.boolean().meta({ description: "True for the session of this request." }),
});

export const Sessions = z.array(Session);

const ApiToken = namedObject("ApiToken", {
  id: Id,
  name: z.string(),
  tokenPrefix: z.string().meta({ description: "The first characters of the secret." }),
  scopes: z.array(z.enum(scopes)),
  lastUsedAt: Timestamp.nullable().meta({
    description: "In milliseconds, accurate to a minute; null if never used.",
  }),
  expiresAt: Timestamp.nullable().meta({ description: "In milliseconds; null for a token that never expires." }),
  createdAt: Timestamp,
});

export const ApiTokens = z.array(ApiToken);

export const CreatedApiToken = namedObject("CreatedApiToken", {
  token: z.string().meta({ description: "The secret. No other response has it." }),
  meta: ApiToken,
});
