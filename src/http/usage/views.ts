import { z } from "zod";
import { purposes } from "../../domain/ledger/call.ts";
import { Id, named, Seconds, Timestamp } from "../schemas/responses.ts";

const ProviderCall = named(
  "ProviderCall",
  z.object({
    id: Id,
    provider: z.string(),
    model: z.string(),
    purpose: z.enum(purposes),
    milliseconds: z.int().min(0).meta({ description: "How long the call took." }),
    outcome: z.string().meta({ description: "`ok`, `cancelled`, or the code of the error." }),
    inputTokens: z.int().optional(),
    outputTokens: z.int().optional(),
    seconds: Seconds.optional().meta({
      description: "Duration of the generated video or voice, or of the transcribed sound.",
    }),
    createdAt: Timestamp,
  }),
);

export const ProviderCalls = named("ProviderCalls", z.object({ calls: z.array(ProviderCall) }));

const StoredFiles = named("StoredFiles", z.object({ files: z.int().min(0), bytes: z.int().min(0) }));

export const Storage = named(
  "Storage",
  z.object({
    usedBytes: z.int().min(0),
    allowedBytes: z.number(),
    assets: StoredFiles,
    workMedia: StoredFiles,
    generatedMedia: StoredFiles,
    exports: StoredFiles,
    documents: StoredFiles,
  }),
);
