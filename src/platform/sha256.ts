import { createHash } from "node:crypto";

/** Returns hexadecimal digits. */
export const sha256Of = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");
