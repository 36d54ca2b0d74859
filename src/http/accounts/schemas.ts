import { z } from "zod";
import { named, namedObject } from "../../domain/shared/schemas.ts";
import { Name, SameId, textUpTo } from "../schemas/common.ts";

const Email = z.string().trim().toLowerCase().max(254).pipe(z.email());

const Password = textUpTo(256)
  .refine((password) => [...password].length >= 8, "Must have at least 8 characters.")
  .meta({ minLength: 8, maxLength: 256, description: "8 to 256 characters, any Unicode." });

export const Registration = namedObject("Registration", { email: Email, password: Password, name: Name });

/** Accepts any strings: values that no user can have registered give a wrong login (401), not invalid input (400). */
export const Login = namedObject("LoginRequest", { email: z.string().trim().toLowerCase(), password: z.string() });

/** Logs in, or registers a new user if there is a name. */
export const NewPageSession = named(
  "NewPageSession",
  z
    .object({
      email: z.string(),
      password: z.string(),
      name: z.string().optional().meta({ description: "Registers a new user.", minLength: 1, maxLength: 200 }),
    })
    .pipe(z.union([Registration, Login.extend({ name: z.undefined().optional() })])),
);

/** The e-mail address may be sent back unchanged. */
export const AccountChanges = namedObject("AccountChanges", {
  id: SameId,
  email: Email.optional(),
  name: Name.optional(),
});

/** Accepts any string as the old password, as `Login` does. */
export const PasswordChange = namedObject("PasswordChange", { oldPassword: z.string(), newPassword: Password });

export const PasswordProof = namedObject("PasswordProof", { password: z.string() });

export const RefreshRequest = namedObject("RefreshRequest", { refreshToken: z.string().min(1).max(1000) });
