import { createMcpHandler, originValidationResponse } from "@modelcontextprotocol/server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { invalid } from "../../errors.ts";
import { linkSignal, once } from "../../platform/async.ts";
import { yieldIfBusy } from "../../platform/cpu.ts";
import { type ConcurrencyLimit, concurrencyLimit } from "../../platform/limits/concurrency-limit.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import type { CallRoute } from "../call-route.ts";
import type { ApiDocument } from "../document/types.ts";
import { noIdleTimeout } from "../middleware/no-idle-timeout.ts";
import { requireScopes, withoutCookie } from "../middleware/require-scopes.ts";
import { readJsonBody } from "../request/json-body.ts";
import { fillIn, preparedField } from "./prepared-results.ts";
import { textResources } from "./resources.ts";
import { createServer, fieldOfResponse, type Message, type Parts, type RequestContext } from "./server.ts";
import { listedTools, prepareTools, prepareUnlistedTools } from "./toolset.ts";

type McpOptions = {
  readonly callRoute: CallRoute;
  readonly readDocument: () => Promise<ApiDocument>;
  /** The base URL of the service; by default, the request's. */
  readonly publicUrl?: string | undefined;
  readonly corsOrigins: readonly string[];
};

/** The Model Context Protocol, revisions 2026-07-28 and 2025-11-25, with the API's own credentials. */
export function mcpRoutes(services: Services, options: McpOptions) {
  const running = runningCalls();
  const limit = concurrencyLimit(callsAtOnce);
  const readParts = once(async () => partsOf(await options.readDocument()));
  const handler = createMcpHandler(
    // safe because the route below passes it
    async ({ authInfo }) => createServer(await readParts(), authInfo!.extra!.context as RequestContext),
    handlerOptions,
  );

  return new Hono<AppEnv>().post(
    "/",
    allowedOrigin(options),
    withoutCookie,
    noIdleTimeout,
    anyCredential,
    async (c) => {
      // safe because each field is read as unknown
      const body = (await readJsonBody(c)) as Message;
      if (Array.isArray(body)) throw invalid("", "JSON-RPC batches are not accepted: send one message per request.");
      const caller = c.get("caller");
      const clientName = `${caller.user.id} ${c.req.header(sessionHeader) ?? ""}`;
      if (body?.method === "notifications/cancelled") running.cancel(`${clientName} ${body.params?.requestId}`);
      const context = requestContext(c, services, options, { running, limit, clientName });
      const authInfo = { token: "", clientId: caller.user.id, scopes: [...caller.scopes], extra: { context } };
      const field = fieldOfResponse(await readParts(), body, c.req.query("tools"));
      // otherwise the messages of many connections would run one after another
      await yieldIfBusy();
      const response = await handler.fetch(c.req.raw, { parsedBody: body, authInfo });
      if (field) return fillIn(response, field);
      if (body?.method === "initialize") response.headers.set(sessionHeader, crypto.randomUUID());
      return response;
    },
  );
}

/** Identifies the client in later requests, which older clients need to cancel a call. Nothing is stored. */
const sessionHeader = "Mcp-Session-Id";

// subscriptions would stay silent: tools and resources never change while the process runs
const handlerOptions = { maxSubscriptions: 0 };

/** Yields to other requests. */
async function partsOf(document: ApiDocument): Promise<Parts> {
  await yieldIfBusy();
  const tools = prepareTools(document);
  await yieldIfBusy();
  const toolList = preparedField("tools", listedTools(tools));
  await yieldIfBusy();
  const unlistedTools = prepareUnlistedTools(document);
  return { version: document.info.version, tools, unlistedTools, toolList, resources: textResources(document) };
}

/** Refuses pages of foreign sites; programs send no Origin. */
function allowedOrigin({ publicUrl, corsOrigins }: McpOptions) {
  const names = ["localhost", "127.0.0.1", "[::1]", ...[publicUrl, ...corsOrigins].flatMap(hostnameOf)];
  const allowsAll = corsOrigins.includes("*");
  return createMiddleware<AppEnv>(async (c, next) => {
    const refused = allowsAll ? undefined : originValidationResponse(c.req.raw, names);
    if (refused) return refused;
    await next();
  });
}

const hostnameOf = (url: string | undefined) => (url && URL.canParse(url) ? [new URL(url).hostname] : []);

/** Limits for one user. Waiting calls hold their arguments, up to 4 MB each, in memory. */
const callsAtOnce = {
  concurrency: Number.POSITIVE_INFINITY,
  perOwner: 8,
  maxQueuedPerOwner: 24,
  maxQueued: 200,
  retryAfterSeconds: 5,
};

// without its description: the API document describes the routes of the API only
const describedCredential = requireScopes();
const anyCredential: MiddlewareHandler<AppEnv> = (c, next) => describedCredential(c, next);

type Client = { readonly running: RunningCalls; readonly limit: ConcurrencyLimit; readonly clientName: string };

function requestContext(c: Context<AppEnv>, services: Services, options: McpOptions, client: Client): RequestContext {
  const { requestId, caller, logError, leaveUserSlot } = c.var;
  const { callRoute, publicUrl = new URL(c.req.url).origin } = options;
  return {
    caller,
    services,
    requestId,
    logError,
    publicUrl,
    headers: c.req.raw.headers,
    callRoute: (request, call) => callRoute(c, { request, ...call }),
    inUserSlot(signal, run) {
      // the routes that a tool calls take their own turns
      leaveUserSlot();
      return client.limit(run, { owner: caller.user.id, signal });
    },
    cancellable: (id, signal, run) => client.running.during(`${client.clientName} ${id}`, signal, run),
  };
}

/** The calls of older clients that are running in this process, by the name of the request. */
type RunningCalls = {
  /** Aborts the signal that `run` gets when `signal` aborts or `cancel` is called with the same name. */
  during<Result>(name: string, signal: AbortSignal, run: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  cancel(name: string): void;
};

/**
 * A client of 2025-11-25 cancels a call by a notification in another request. It identifies the call by its own number,
 * so the name must contain the user and the client's session too.
 */
function runningCalls(): RunningCalls {
  const running = new Map<string, AbortController>();
  return {
    async during(name, signal, run) {
      const cancelled = new AbortController();
      running.set(name, cancelled);
      const linked = linkSignal(signal);
      try {
        return await run(AbortSignal.any([linked.signal, cancelled.signal]));
      } finally {
        linked.release();
        if (running.get(name) === cancelled) running.delete(name);
      }
    },
    cancel: (name) => running.get(name)?.abort(),
  };
}
