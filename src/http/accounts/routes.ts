import { type Context, Hono } from "hono";
import { loginThrottle } from "../../domain/accounts/login-throttle.ts";
import { closeSession, openSession, refreshSession } from "../../domain/accounts/sessions.ts";
import { registerUser, verifyCredentials } from "../../domain/accounts/users.ts";
import type { Services } from "../../services.ts";
import { json, noContent } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { anyone } from "../middleware/require-scopes.ts";
import { noStore } from "../middleware/response-headers.ts";
import { operationsOf } from "../openapi.ts";
import type { ClientAddressOf } from "../request/client-address.ts";
import type { PageCookie } from "../request/page-cookie.ts";
import { validate } from "../request/validate.ts";
import { accountRoutes } from "./account-routes.ts";
import { cookieRoutes } from "./cookie-routes.ts";
import { Login, RefreshRequest, Registration } from "./schemas.ts";
import { sessionRoutes } from "./session-routes.ts";
import { Login as LoginView, TokenPair } from "./views.ts";

const documented = operationsOf("Accounts");

export const authRoutes = (services: Services, addressOf: ClientAddressOf, cookie: PageCookie) => {
  const throttle = loginThrottle(services.rateLimiter);
  return new Hono<AppEnv>()
    .use(noStore)
    .post(
      "/register",
      documented(anyone, {
        id: "register",
        summary: "Register",
        about:
          "Creates a user and logs in. Passwords have 8 to 256 characters; each e-mail can be registered once, whatever its case.",
        answers: { 201: json(LoginView, "The user, and the tokens of a first session.") },
        errors: ["email_taken", "rate_limited"],
      }),
      validate("json", Registration),
      async (c) => {
        const registration = c.req.valid("json");
        const attempt = { email: registration.email, address: addressOf(c) };
        const registered = await throttle.throttleRegistration(attempt, async (job) => {
          const registered = await registerUser(services, registration, attempt.address, job);
          return { user: registered.user, ...(await openSession(services, registered, userAgent(c))) };
        });
        return c.json(registered, 201);
      },
    )
    .post(
      "/login",
      documented(anyone, {
        id: "login",
        summary: "Log in",
        about:
          "Opens a session. An access token is valid for 7 days by default, a refresh token for 30; an unknown e-mail and a wrong password give the same answer in the same time.",
        answers: { 200: json(LoginView, "The user, and the tokens of the new session.") },
        errors: ["invalid_credentials", "rate_limited"],
      }),
      validate("json", Login),
      async (c) => {
        const login = c.req.valid("json");
        const attempt = { email: login.email, address: addressOf(c) };
        const verified = await throttle.throttleLogin(attempt, (job) => verifyCredentials(services, login, job));
        return c.json({ user: verified.user, ...(await openSession(services, verified, userAgent(c))) }, 200);
      },
    )
    .post(
      "/refresh",
      documented(anyone, {
        id: "refreshTokens",
        summary: "Refresh the tokens",
        about:
          "Exchanges a refresh token for a new pair. A token works once: using it again more than 10 seconds later ends its session.",
        answers: { 200: json(TokenPair, "The new pair.") },
        errors: ["invalid_token"],
      }),
      validate("json", RefreshRequest),
      async (c) => {
        return c.json(await refreshSession(services, c.req.valid("json").refreshToken), 200);
      },
    )
    .post(
      "/logout",
      documented(anyone, {
        id: "logout",
        summary: "Log out",
        about:
          "Ends the session of a refresh token; its access tokens end with it. An unknown token gives the same answer.",
        answers: noContent("The session has ended."),
      }),
      validate("json", RefreshRequest),
      async (c) => {
        await closeSession(services, c.req.valid("json").refreshToken);
        return c.body(null, 204);
      },
    )
    .route("/", accountRoutes(services, addressOf, throttle))
    .route("/session", cookieRoutes(services, { addressOf, cookie, throttle }))
    .route("/sessions", sessionRoutes(services));
};

const userAgent = (c: Context<AppEnv>): string | undefined => c.req.header("user-agent");
