import { randomBytes } from "node:crypto";
import { sha256Of } from "../../platform/values.ts";

/** 256 random bits as hex. */
export const newSecret = (): string => randomBytes(32).toString("hex");

/** The stored form of a secret. SHA-256 suffices, because 256 random bits cannot be guessed. */
export const hashSecret = (secret: string): string => sha256Of(secret);
