import { DomainError } from "../../errors.ts";
import { isId } from "../shared/ids.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { type ApiTokenStore, looksLikeApiSecret, useApiToken } from "./api-tokens.ts";
import { type Scope, scopes } from "./scopes.ts";
import type { User, UserStore } from "./users.ts";

/** Who asks, and what that credential may do. A user's own login carries every scope. */
export type Caller = {
  readonly user: User;
  readonly via: "login" | "api_token";
  readonly scopes: readonly Scope[];
};

/** For what a request asks for beside its route's own scopes. */
export function assertScopes({ scopes: granted }: Caller, required: readonly Scope[]): void {
  if (required.every((scope) => granted.includes(scope))) return;
  throw new DomainError("insufficient_scope", { required, granted });
}

type Credentials = {
  readonly users: UserStore;
  readonly apiTokens: ApiTokenStore;
  readonly accessTokens: AccessTokens;
};

/** The caller behind an access token or an API token; throws invalid_token. */
export async function callerBehind(credentials: Credentials, credential: string): Promise<Caller> {
  if (looksLikeApiSecret(credential)) {
    const token = await useApiToken(credentials, credential);
    return { user: await requireUser(credentials, token.userId), via: "api_token", scopes: token.scopes };
  }
  const userId = await credentials.accessTokens.verify(credential);
  return { user: await requireUser(credentials, userId), via: "login", scopes };
}

async function requireUser({ users }: Credentials, userId: string): Promise<User> {
  const user = isId("user", userId) ? await users.find(userId) : undefined;
  if (!user) throw new DomainError("invalid_token", {});
  return user;
}
