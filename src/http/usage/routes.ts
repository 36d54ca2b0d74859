import { Hono } from "hono";
import { z } from "zod";
import type { UsageRecord } from "../../domain/ai/provider-calls.ts";
import { usedBytes } from "../../domain/files/storage.ts";
import { purposes } from "../../domain/ledger/call.ts";
import type { Services } from "../../services.ts";
import { json, page as pageOf } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate } from "../request/validate.ts";
import { PageQuery } from "../schemas/common.ts";
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

const ProviderCalls = namedObject("ProviderCalls", { calls: z.array(ProviderCall) });

const StoredFiles = namedObject("StoredFiles", { files: z.int().min(0), bytes: z.int().min(0) });

const Storage = namedObject("Storage", {
  usedBytes: z.int().min(0),
  allowedBytes: z.number(),
  assets: StoredFiles,
  workMedia: StoredFiles,
  generatedMedia: StoredFiles,
  exports: StoredFiles,
  documents: StoredFiles,
});

const documented = operationsOf("Usage");

/** The caller's usage: calls of external providers, newest first, and storage. */
export const usageRoutes = ({ ledger, storageUsage, settings }: Services) =>
  new Hono<AppEnv>()
    .get(
      "/",
      documented(requireScopes(), {
        id: "listProviderCalls",
        summary: "List the calls of providers",
        about:
          "Returns the calls of external providers that the user's requests have made, newest first. The list has no keys, prompts or results.",
        answers: { 200: pageOf(ProviderCalls, "The calls.") },
      }),
      validate("query", PageQuery),
      async (c) => {
        const page = await ledger.list(c.var.caller.user.id, pageRequest(c.req.valid("query")));
        return c.json({ calls: withNextLink(c, page, callView) }, 200);
      },
    )
    .get(
      "/storage",
      documented(requireScopes(), {
        id: "getStorage",
        summary: "Read the storage in use",
        about: "Counts the user's files and their bytes. Shared bytes count once.",
        answers: { 200: json(Storage, "The storage in use, and what the user may store.") },
      }),
      async (c) => {
        const stored = await storageUsage.read(c.var.caller.user.id);
        return c.json({ usedBytes: usedBytes(stored), allowedBytes: settings.maxUserBytes, ...stored }, 200);
      },
    );

const callView = ({ userId: _, ...call }: UsageRecord) => call;
