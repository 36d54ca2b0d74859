import { z } from "zod";
import type { FileManifest } from "../timeline/source.ts";

const text = z.string().max(1000);

/** The result of a process that reads the manifest of a file. */
export const FileManifestResult: z.ZodType<FileManifest> = z.object({
  state: z.enum(["valid", "invalid", "unchecked"]),
  sources: z.array(text).max(100).readonly(),
  failures: z.array(text).max(100).readonly(),
  isIntact: z.boolean(),
  generator: text.optional(),
  signer: z.object({ subject: text, sha256: text }).readonly().optional(),
});
