import { createHash, randomBytes } from "node:crypto";

/** 256 bits of chance, as text. */
export const newSecret = (): string => randomBytes(32).toString("hex");

/** How a secret of 256 bits is stored: it needs no slow hash, for nobody can guess it. */
export const secretHash = (secret: string): string => createHash("sha256").update(secret).digest("hex");
