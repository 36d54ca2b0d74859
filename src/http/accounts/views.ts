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
  accessToken: z.string().describe("A JWT for the Authorization header."),
  refreshToken: z.string().describe("Works once, at POST /api/auth/refresh."),
};

export const TokenPair = namedObject("TokenPair", tokens);

export const Login = namedObject("Login", { user: User, ...tokens });

export const Session = namedObject("Session", {
  id: Id,
  userAgent: z.string().nullable().describe("The User-Agent of the login."),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.describe("In milliseconds, accurate to ten minutes."),
  expiresAt: Timestamp.describe("The session ends then unless its tokens are refreshed. In milliseconds."),
  current: z.boolean().describe("True for the session of this request."),
});

export const Sessions = z.array(Session);

const ApiToken = namedObject("ApiToken", {
  id: Id,
  name: z.string(),
  tokenPrefix: z.string().describe("The first characters of the secret."),
  scopes: z.array(z.enum(scopes)),
  lastUsedAt: Timestamp.nullable().describe("In milliseconds, accurate to a minute; null if never used."),
  expiresAt: Timestamp.nullable().describe("In milliseconds; null for a token that never expires."),
  createdAt: Timestamp,
  rendersInto: z.string().optional().describe("The name of the project for renders; absent for the usual one."),
});

export const ApiTokens = z.array(ApiToken);

export const CreatedApiToken = namedObject("CreatedApiToken", {
  token: z.string().describe("The secret. No other response has it."),
  meta: ApiToken,
});

export const ProviderKey = namedObject("ProviderKey", {
  provider: z.string().describe("The provider's name, which all its rows of `GET /api/providers` share."),
  name: z.string(),
  createdAt: Timestamp,
});

export const ProviderKeys = z.array(ProviderKey);
