import { createHash } from "node:crypto";

/** In hexadecimal digits. */
export const sha256Of = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");
