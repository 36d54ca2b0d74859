import { createHash, randomBytes } from "node:crypto";

/** 256 random bits as hex. */
export const newSecret = (): string => randomBytes(32).toString("hex");

/** The stored form of a secret. SHA-256 suffices, because 256 random bits cannot be guessed. */
export const hashSecret = (secret: string): string => createHash("sha256").update(secret).digest("hex");
