import { Hono } from "hono";
import type { UsageRecord } from "../../domain/ai/provider-calls.ts";
import { usedBytes } from "../../domain/files/storage.ts";
import type { Services } from "../../services.ts";
import { json, page as pageOf } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate } from "../request/validate.ts";
import { PageQuery } from "../schemas/common.ts";
import { ProviderCalls, Storage } from "./views.ts";

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
