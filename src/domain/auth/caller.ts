import { DomainError } from "../../errors.ts";
import { isId } from "../shared/ids.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { type ApiTokenStore, authenticateApiToken, hasApiTokenPrefix } from "./api-tokens.ts";
import { type Scope, scopes } from "./scopes.ts";
import type { User, UserStore } from "./users.ts";

/** The user who sends a request and the scopes of the credential. A login has every scope. */
export type Caller = {
  readonly user: User;
  readonly via: "login" | "api_token";
  readonly scopes: readonly Scope[];
};

/** Checks scopes that depend on the content of a request, beyond those of its route. Throws insufficient_scope. */
export function assertScopes({ scopes: granted }: Caller, required: readonly Scope[]): void {
  if (required.every((scope) => granted.includes(scope))) return;
  throw new DomainError("insufficient_scope", { required, granted });
}

type AuthenticationPorts = {
  readonly users: UserStore;
  readonly apiTokens: ApiTokenStore;
  readonly accessTokens: AccessTokens;
};

/** Returns the caller of an access token or an API token. Throws invalid_token. */
export async function authenticate(ports: AuthenticationPorts, credential: string): Promise<Caller> {
  if (hasApiTokenPrefix(credential)) {
    const token = await authenticateApiToken(ports, credential);
    return { user: await requireUser(ports, token.userId), via: "api_token", scopes: token.scopes };
  }
  const userId = await ports.accessTokens.verify(credential);
  return { user: await requireUser(ports, userId), via: "login", scopes };
}

async function requireUser({ users }: AuthenticationPorts, userId: string): Promise<User> {
  const user = isId("user", userId) ? await users.find(userId) : undefined;
  if (!user) throw new DomainError("invalid_token", {});
  return user;
}
