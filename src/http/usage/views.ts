import { z } from "zod";
import { purposes } from "../../domain/ledger/call.ts";
import { Id, namedObject, Seconds, Timestamp } from "../schemas/responses.ts";

const ProviderCall = namedObject("ProviderCall", {
  id: Id,
  provider: z.string(),
  model: z.string(),
  purpose: z.enum(purposes),
  milliseconds: z.int().min(0).describe("How long the call took."),
  outcome: z.string().describe("`ok`, `cancelled`, or the code of the error."),
  inputTokens: z.int().optional(),
  outputTokens: z.int().optional(),
  seconds: Seconds.optional().describe("Duration of the generated video or voice, or of the transcribed sound."),
  createdAt: Timestamp,
});

export const ProviderCalls = namedObject("ProviderCalls", { calls: z.array(ProviderCall) });

const StoredFiles = namedObject("StoredFiles", { files: z.int().min(0), bytes: z.int().min(0) });

export const Storage = namedObject("Storage", {
  usedBytes: z.int().min(0),
  allowedBytes: z.number(),
  assets: StoredFiles,
  workMedia: StoredFiles,
  generatedMedia: StoredFiles,
  exports: StoredFiles,
  documents: StoredFiles,
});
