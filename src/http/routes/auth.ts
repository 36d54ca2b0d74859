import { Hono } from "hono";
import { closeSession, openSession, refreshSession } from "../../domain/auth/sessions.ts";
import { registerUser, verifyCredentials } from "../../domain/auth/users.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { noStore } from "../middleware/response-headers.ts";
import { failureLimit } from "../request/failure-limit.ts";
import { validate } from "../request/validate.ts";
import { Login, RefreshRequest, Registration } from "../schemas/auth.ts";

export const authRoutes = (services: Services) => {
  const limitFailures = failureLimit(services.rateLimiter);
  return new Hono<AppEnv>()
    .use(noStore)
    .post("/register", validate("json", Registration), async (c) => {
      const registration = c.req.valid("json");
      const user = await limitFailures(c, registration.email, () => registerUser(services, registration));
      return c.json({ user, ...(await openSession(services, user.id)) }, 201);
    })
    .post("/login", validate("json", Login), async (c) => {
      const login = c.req.valid("json");
      const user = await limitFailures(c, login.email, () => verifyCredentials(services, login));
      return c.json({ user, ...(await openSession(services, user.id)) }, 200);
    })
    .post("/refresh", validate("json", RefreshRequest), async (c) => {
      return c.json(await refreshSession(services, c.req.valid("json").refreshToken), 200);
    })
    .post("/logout", validate("json", RefreshRequest), async (c) => {
      await closeSession(services, c.req.valid("json").refreshToken);
      return c.body(null, 204);
    })
    .get("/me", requireScopes(), (c) => c.json(c.var.caller.user, 200));
};
