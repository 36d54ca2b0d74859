import { z } from "zod";
import { scopes } from "../../domain/accounts/scopes.ts";
import { namedObject } from "../../domain/shared/schemas.ts";
import { trimmedUpTo } from "../schemas/common.ts";

const hasNoRepeats = (items: readonly string[]) => new Set(items).size === items.length;

export const NewToken = namedObject("NewApiToken", {
  name: trimmedUpTo(100),
  scopes: z
    .array(z.enum(scopes))
    .min(1, "Must name at least one scope.")
    .refine(hasNoRepeats, "Must not name a scope twice."),
  expiresInDays: z.int().min(1).max(3650).nullish().describe("Days; null or absent for a token that never expires."),
});
