import { type Context, Hono } from "hono";
import type { Session } from "../../domain/accounts/access-tokens.ts";
import { endAllSessions } from "../../domain/accounts/active-sessions.ts";
import type { Attempt, LoginThrottle } from "../../domain/accounts/login-throttle.ts";
import { changePassword, renameUser, revisionOf, type User } from "../../domain/accounts/users.ts";
import { jobsOfFilms } from "../../domain/films/provider-jobs.ts";
import { authorizeRemoval, removeAccount } from "../../domain/removals/removal.ts";
import { requireSameIds } from "../../domain/shared/versioned.ts";
import { DomainError, invalid } from "../../errors.ts";
import type { Services } from "../../services.ts";
import { noContent, resource, versioned } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { requireLogin, requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import type { ClientAddressOf } from "../request/client-address.ts";
import { validate } from "../request/validate.ts";
import { expectedRevision, withEtag } from "../response/etag.ts";
import { AccountChanges, PasswordChange, PasswordProof } from "./schemas.ts";
import { User as UserSchema } from "./views.ts";

const documented = operationsOf("Accounts");

/** The caller's own account. Only a login may change it: an API token is limited to its scopes. */
export const accountRoutes = (services: Services, addressOf: ClientAddressOf, { throttleLogin }: LoginThrottle) => {
  /** A wrong password here counts as a failed login. */
  const attemptOf = (c: Context<AppEnv>): Attempt => ({ email: c.var.caller.user.email, address: addressOf(c) });

  return new Hono<AppEnv>()
    .get(
      "/me",
      documented(requireScopes(), {
        id: "getMe",
        summary: "Read your account",
        about: "Returns the user of the credential.",
        answers: versioned(UserSchema, "The user."),
      }),
      (c) => c.json(userView(c, c.var.caller.user), 200),
    )
    .put(
      "/me",
      documented(requireLogin, {
        id: "updateMe",
        summary: "Rename your account",
        about: "Changes the name. The e-mail cannot be changed; sending it back unchanged is allowed.",
        answers: { 200: resource(UserSchema, "The changed user.") },
        errors: ["id_mismatch", "precondition_failed"],
      }),
      validate("json", AccountChanges),
      async (c) => {
        const { user } = c.var.caller;
        const { name, email } = requireSameIds(c.req.valid("json"), { id: user.id });
        if (email !== undefined && email !== user.email) throw invalid("email", "Cannot be changed.");
        return c.json(userView(c, await renameUser(services, user, name, expectedRevision(c))), 200);
      },
    )
    .delete(
      "/me",
      documented(requireLogin, {
        id: "deleteMe",
        summary: "Delete your account",
        about:
          "Removes the user with everything that belongs to them: projects, files, exports, tokens and sessions. Needs the password.",
        answers: noContent("The account is deleted."),
        errors: ["invalid_credentials", "precondition_failed", "rate_limited"],
      }),
      validate("json", PasswordProof),
      async (c) => {
        const { user } = c.var.caller;
        const proof = { user, ...c.req.valid("json") };
        const passwordHash = await throttleLogin(attemptOf(c), (job) =>
          authorizeRemoval(services, proof, expectedRevision(c), job),
        );
        const cancelJobs = await jobsOfFilms(services, { userId: user.id });
        await removeAccount(services, user, passwordHash, c.var.logError);
        await cancelJobs();
        return c.body(null, 204);
      },
    )
    .post(
      "/password",
      documented(requireLogin, {
        id: "changePassword",
        summary: "Change the password",
        about: "Replaces the password and ends all other sessions of the user. API tokens stay valid.",
        answers: { 200: resource(UserSchema, "The user.") },
        errors: ["invalid_credentials", "rate_limited"],
      }),
      validate("json", PasswordChange),
      async (c) => {
        const change = { user: c.var.caller.user, ...c.req.valid("json") };
        const session = await requireSession(c);
        const changed = await throttleLogin(attemptOf(c), (job) => changePassword(services, session, change, job));
        return c.json(userView(c, changed), 200);
      },
    )
    .post(
      "/logout-all",
      documented(requireLogin, {
        id: "logoutEverywhere",
        summary: "Log out everywhere",
        about: "Ends all sessions of the user, including this one. API tokens stay valid.",
        answers: noContent("All sessions have ended."),
      }),
      async (c) => {
        await endAllSessions(services, c.var.caller.user.id);
        return c.body(null, 204);
      },
    );
};

const userView = (c: Context<AppEnv>, user: User) => withEtag(c, { ...user, revision: revisionOf(user) });

/** The session of a request that `requireLogin` accepted. */
async function requireSession(c: Context<AppEnv>): Promise<Session> {
  const session = await c.var.sessionFromToken();
  if (!session) throw new DomainError("invalid_token", {});
  return session;
}
