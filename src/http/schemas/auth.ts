import { z } from "zod";
import { Name, textUpTo } from "./common.ts";

const Email = z.string().trim().toLowerCase().max(254).pipe(z.email());

const Password = textUpTo(256)
  .refine((password) => [...password].length >= 8, "Must have at least 8 characters.")
  .meta({ minLength: 8, maxLength: 256 });

export const Registration = z.object({ email: Email, password: Password, name: Name });

/** Accepts any strings: values that no user can have registered are a wrong login (401), not invalid input (400). */
export const Login = z.object({ email: z.string().trim().toLowerCase(), password: z.string() });

export const RefreshRequest = z.object({ refreshToken: z.string().min(1).max(1000) });
