import { Hono } from "hono";
import { z } from "zod";
import { closeSession, openSession, refreshSession } from "../../domain/auth/sessions.ts";
import { registerUser, requireLogin } from "../../domain/auth/users.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { neverStored } from "../middleware/response-headers.ts";
import { failureLimit } from "../request/failure-limit.ts";
import { Name, textUpTo } from "../request/schemas.ts";
import { validate } from "../request/validate.ts";

const Email = z.string().trim().toLowerCase().max(254).pipe(z.email("Must be an e-mail address."));
const Password = textUpTo(256)
  .refine((password) => [...password].length >= 8, "Must have at least 8 characters.")
  .meta({ minLength: 8, maxLength: 256 });

const Registration = z.object({ email: Email, password: Password, name: Name });
// as loose as can be: what nobody can have registered with is a wrong login, not a wrong form
const Login = z.object({ email: z.string().trim().toLowerCase(), password: z.string() });
const Refresh = z.object({ refreshToken: z.string().min(1).max(1000) });

export const authRoutes = (services: Services) => {
  const limited = failureLimit(services.rateLimiter);
  return new Hono<AppEnv>()
    .use(neverStored)
    .post("/register", validate("json", Registration), async (c) => {
      const registration = c.req.valid("json");
      const user = await limited(c, registration.email, () => registerUser(services, registration));
      return c.json({ user, ...(await openSession(services, user.id)) }, 201);
    })
    .post("/login", validate("json", Login), async (c) => {
      const login = c.req.valid("json");
      const user = await limited(c, login.email, () => requireLogin(services, login));
      return c.json({ user, ...(await openSession(services, user.id)) }, 200);
    })
    .post("/refresh", validate("json", Refresh), async (c) => {
      return c.json(await refreshSession(services, c.req.valid("json").refreshToken), 200);
    })
    .post("/logout", validate("json", Refresh), async (c) => {
      await closeSession(services, c.req.valid("json").refreshToken);
      return c.body(null, 204);
    })
    .get("/me", requireScopes(), (c) => c.json(c.var.caller.user, 200));
};
