import { type Context, Hono } from "hono";
import { recentNames } from "../../domain/auth/admission.ts";
import { limitedLogin } from "../../domain/auth/limited-login.ts";
import { limitedRegistration } from "../../domain/auth/limited-registration.ts";
import { closeSession, openSession, refreshSession } from "../../domain/auth/sessions.ts";
import { registerUser, verifyCredentials } from "../../domain/auth/users.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { noStore } from "../middleware/response-headers.ts";
import type { ClientAddressOf } from "../request/client-address.ts";
import { validate } from "../request/validate.ts";
import { Login, RefreshRequest, Registration } from "../schemas/auth.ts";
import { accountRoutes } from "./account.ts";
import { sessionRoutes } from "./sessions.ts";

export const authRoutes = (services: Services, addressOf: ClientAddressOf) => {
  const recentPairs = recentNames();
  const withinLoginLimits = limitedLogin(services.rateLimiter, recentPairs);
  const withinRegistrationLimits = limitedRegistration(services.rateLimiter, recentPairs);
  return new Hono<AppEnv>()
    .use(noStore)
    .post("/register", validate("json", Registration), async (c) => {
      const registration = c.req.valid("json");
      const attempt = { email: registration.email, address: addressOf(c) };
      const registered = await withinRegistrationLimits(attempt, async (job) => {
        const registered = await registerUser(services, registration, job);
        return { user: registered.user, ...(await openSession(services, registered, userAgent(c))) };
      });
      return c.json(registered, 201);
    })
    .post("/login", validate("json", Login), async (c) => {
      const login = c.req.valid("json");
      const attempt = { email: login.email, address: addressOf(c) };
      const verified = await withinLoginLimits(attempt, (job) => verifyCredentials(services, login, job));
      return c.json({ user: verified.user, ...(await openSession(services, verified, userAgent(c))) }, 200);
    })
    .post("/refresh", validate("json", RefreshRequest), async (c) => {
      return c.json(await refreshSession(services, c.req.valid("json").refreshToken), 200);
    })
    .post("/logout", validate("json", RefreshRequest), async (c) => {
      await closeSession(services, c.req.valid("json").refreshToken);
      return c.body(null, 204);
    })
    .route("/", accountRoutes(services, addressOf, withinLoginLimits))
    .route("/sessions", sessionRoutes(services));
};

const userAgent = (c: Context<AppEnv>): string | undefined => c.req.header("user-agent");
