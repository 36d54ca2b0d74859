import { DomainError } from "../../errors.ts";
import { isId } from "../shared/ids.ts";
import type { AccessTokens, Session } from "./access-tokens.ts";
import { isSessionId } from "./active-sessions.ts";
import { type ApiTokenStore, authenticateApiToken, hasApiTokenPrefix } from "./api-tokens.ts";
import { type Scope, scopes } from "./scopes.ts";
import type { User, UserStore } from "./users.ts";

/** The user who sends a request, and the scopes of the credential. A login has every scope. */
export type Caller = {
  readonly user: User;
  readonly via: "login" | "api_token";
  readonly scopes: readonly Scope[];
  /** See `ApiToken`. */
  readonly rendersInto?: string | undefined;
};

/** Checks scopes that depend on the content of a request, beyond those of its route. Throws insufficient_scope. */
export function assertScopes({ scopes: granted }: Caller, required: readonly Scope[]): void {
  if (required.every((scope) => granted.includes(scope))) return;
  throw new DomainError("insufficient_scope", { required, granted });
}

type AuthenticationPorts = {
  readonly users: Pick<UserStore, "findLoggedIn">;
  readonly apiTokens: ApiTokenStore;
  readonly accessTokens: AccessTokens;
};

/** Returns the caller of an access token or an API token. Throws invalid_token. */
export async function authenticate(ports: AuthenticationPorts, credential: string): Promise<Caller> {
  const session = await sessionFromToken(ports, credential);
  if (session) return loggedInCaller(await ports.users.findLoggedIn(session));
  const { user, token } = await authenticateApiToken(ports, credential);
  const { scopes: granted, rendersInto } = token;
  return { user, via: "api_token", scopes: granted, ...(rendersInto && { rendersInto }) };
}

/** The session that an access token was issued for, which may have ended. Undefined for an API token. */
export async function sessionFromToken(
  { accessTokens }: Pick<AuthenticationPorts, "accessTokens">,
  credential: string,
): Promise<Session | undefined> {
  if (hasApiTokenPrefix(credential)) return undefined;
  const session = await accessTokens.verify(credential);
  if (!isId("user", session.userId) || !isSessionId(session.sessionId)) throw new DomainError("invalid_token", {});
  return session;
}

/** The caller of a session whose user was found. Throws invalid_token. */
export function loggedInCaller(user: User | undefined): Caller {
  if (!user) throw new DomainError("invalid_token", {});
  return { user, via: "login", scopes };
}
