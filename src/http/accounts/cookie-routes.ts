import { Hono } from "hono";
import { endSession } from "../../domain/accounts/active-sessions.ts";
import type { LoginThrottle } from "../../domain/accounts/login-throttle.ts";
import { openCookieSession } from "../../domain/accounts/sessions.ts";
import { registerUser, verifyCredentials } from "../../domain/accounts/users.ts";
import type { Services } from "../../services.ts";
import { noContent } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { anyone, requireLogin } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import type { ClientAddressOf } from "../request/client-address.ts";
import type { PageCookie } from "../request/page-cookie.ts";
import { validate } from "../request/validate.ts";
import { NewPageSession } from "./schemas.ts";

const documented = operationsOf("Accounts");

type Login = {
  readonly addressOf: ClientAddressOf;
  readonly cookie: PageCookie;
  readonly throttle: LoginThrottle;
};

/** Logs pages of this service in and out; the login is a cookie. */
export const cookieRoutes = (services: Services, { addressOf, cookie, throttle }: Login) =>
  new Hono<AppEnv>()
    .post(
      "/",
      documented(anyone, {
        id: "openPageSession",
        summary: "Log in with a cookie",
        about:
          "For pages of this service: opens a session whose secret is a cookie that no script can read, for 30 days. A body with a name registers the user first. Pages of other sites cannot use it: programs log in at POST /api/auth/login.",
        answers: noContent("The session is open, and its cookie is set."),
        errors: ["invalid_credentials", "email_taken", "cross_site_request", "rate_limited"],
      }),
      (c, next) => {
        cookie.refuseOtherSites(c);
        return next();
      },
      validate("json", NewPageSession),
      async (c) => {
        const body = c.req.valid("json");
        const attempt = { email: body.email, address: addressOf(c) };
        const verified =
          body.name === undefined
            ? await throttle.throttleLogin(attempt, (job) => verifyCredentials(services, body, job))
            : await throttle.throttleRegistration(attempt, (job) => registerUser(services, body, attempt.address, job));
        cookie.set(c, await openCookieSession(services, verified, c.req.header("user-agent")));
        return c.body(null, 204);
      },
    )
    .delete(
      "/",
      documented(requireLogin, {
        id: "closePageSession",
        summary: "Log out with a cookie",
        about: "Ends the session of this request, and removes its cookie.",
        answers: noContent("The session has ended."),
        errors: ["not_found"],
      }),
      async (c) => {
        const session = await c.var.sessionFromToken();
        // safe because requireLogin accepts sessions only
        await endSession(services, session!);
        cookie.remove(c);
        return c.body(null, 204);
      },
    );
