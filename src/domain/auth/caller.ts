import { DomainError } from "../../errors.ts";
import { isId } from "../shared/ids.ts";
import type { AccessTokens, Session } from "./access-tokens.ts";
import { type ApiTokenStore, authenticateApiToken, hasApiTokenPrefix } from "./api-tokens.ts";
import { type Scope, scopes } from "./scopes.ts";
import { isSessionId } from "./sessions.ts";
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
    return { user: requireUser(await ports.users.find(token.userId)), via: "api_token", scopes: token.scopes };
  }
  const session = await ports.accessTokens.verify(credential);
  return { user: requireUser(await findLoggedIn(ports, session)), via: "login", scopes };
}

const findLoggedIn = async ({ users }: AuthenticationPorts, session: Session): Promise<User | undefined> =>
  isId("user", session.userId) && isSessionId(session.sessionId) ? users.findLoggedIn(session) : undefined;

function requireUser(user: User | undefined): User {
  if (!user) throw new DomainError("invalid_token", {});
  return user;
}
