import { createMcpHandler, originValidationResponse } from "@modelcontextprotocol/server";
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import type { ApiDocument } from "../document/types.ts";
import { noIdleTimeout } from "../middleware/no-idle-timeout.ts";
import type { Dispatch } from "../middleware/operations.ts";
import { readJsonBody } from "../request/json-body.ts";
import { type RunningCalls, runningCalls } from "./cancellation.ts";
import { textResources } from "./resources.ts";
import { createServer, type Parts, type RequestContext } from "./server.ts";
import { prepareTools } from "./toolset.ts";

export type McpOptions = {
  readonly dispatch: Dispatch;
  readonly readDocument: () => Promise<ApiDocument>;
  /** The address of the service; by default that of the request. */
  readonly publicUrl?: string | undefined;
  readonly corsOrigins: readonly string[];
};

/** The Model Context Protocol, revisions 2026-07-28 and 2025-11-25, for the caller of the API's own credentials. */
export function mcpRoutes(services: Services, options: McpOptions) {
  const running = runningCalls();
  let parts: Promise<Parts> | undefined;
  const handler = createMcpHandler(async ({ authInfo }) => {
    parts ??= options.readDocument().then(partsOf);
    // safe because the route below passes it
    return createServer(await parts, authInfo!.extra!.context as RequestContext);
  }, handlerOptions);

  return new Hono<AppEnv>().post("/", allowedOrigin(options), noIdleTimeout, async (c) => {
    const caller = await c.var.identify();
    c.set("caller", caller);
    await readJsonBody(c);
    const body: Message = await c.req.json();
    const clientName = `${caller.user.id} ${c.req.header(sessionHeader) ?? ""}`;
    if (body?.method === "notifications/cancelled") running.cancel(`${clientName} ${body.params?.requestId}`);
    const context = requestContext(c, services, options, { running, clientName });
    const authInfo = { token: "", clientId: caller.user.id, scopes: [...caller.scopes], extra: { context } };
    const response = await handler.fetch(c.req.raw, { parsedBody: body, authInfo });
    if (body?.method === "initialize") response.headers.set(sessionHeader, crypto.randomUUID());
    return response;
  });
}

type Message = { readonly method?: unknown; readonly params?: { readonly requestId?: unknown } } | null;

/** Names the client in its later requests, which older ones need to cancel a call. Nothing is stored for it. */
const sessionHeader = "Mcp-Session-Id";

// a subscription would hear nothing: tools and resources never change while the process runs
const handlerOptions = { maxSubscriptions: 0 };

const partsOf = (document: ApiDocument): Parts => ({
  version: document.info.version,
  tools: prepareTools(document),
  resources: textResources(document),
});

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

type Client = { readonly running: RunningCalls; readonly clientName: string };

function requestContext(c: Context<AppEnv>, services: Services, options: McpOptions, client: Client): RequestContext {
  const { requestId, caller, logError } = c.var;
  const { dispatch, publicUrl = new URL(c.req.url).origin } = options;
  const address = c.env?.requestIP?.(c.req.raw) ?? null;
  return {
    caller,
    services,
    requestId,
    logError,
    publicUrl,
    headers: c.req.raw.headers,
    dispatch: async (request) => dispatch(request, { requestIP: () => address }),
    cancellable: (id, signal, run) => client.running.during(`${client.clientName} ${id}`, signal, run),
  };
}
