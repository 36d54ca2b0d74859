import type { Scope } from "./scopes.ts";
import type { User } from "./users.ts";

/** Who asks, and what that credential may do. A user's own login carries every scope. */
export type Caller = {
  readonly user: User;
  readonly via: "login" | "api_token";
  readonly scopes: readonly Scope[];
};
