import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { failureText, isUnexpected } from "./calls/failures.ts";
import { runRoute } from "./calls/results.ts";
import type { Arguments, Progress, ToolResult } from "./calls/tool.ts";
import { type CallContext, toolCall } from "./calls/tool-call.ts";
import { instructions } from "./guide.ts";
import { type PreparedField, preparedField } from "./prepared-results.ts";
import { mimeType, type Resources } from "./resources.ts";
import { asksProvider, listedTools, type PreparedTool } from "./toolset.ts";

/** Values that all requests share. */
export type Parts = {
  readonly version: string;
  readonly tools: ReadonlyMap<string, PreparedTool>;
  readonly unlistedTools: ReadonlyMap<string, PreparedTool>;
  readonly toolList: PreparedField;
  readonly resources: Resources;
};

/** Values of one request. */
export type RequestContext = Omit<CallContext, "signal" | "report"> & {
  readonly logError: (error: unknown) => void;
  /** Limits the calls of a user that run at once; throws busy if too many wait. */
  inUserSlot<Result>(signal: AbortSignal, run: () => Promise<Result>): Promise<Result>;
  /** Runs a call whose signal aborts on `notifications/cancelled` of an older client. */
  cancellable<Result>(
    id: string | number,
    signal: AbortSignal,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>;
};

const cacheHint = { ttlMs: 3_600_000, cacheScope: "public" as const };

/** The prepared field for a message whose response the server leaves empty. */
export function fieldOfResponse(
  { tools, toolList, resources }: Parts,
  message: Message,
  sets: string | undefined,
): PreparedField | undefined {
  if (message?.method === "tools/list")
    return sets === undefined ? toolList : preparedField("tools", listedTools(tools, sets));
  return message?.method === "resources/read" ? resources.texts.get(message.params?.uri) : undefined;
}

/** A client's message; nothing about it is validated. */
export type Message = {
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown; readonly uri?: unknown } | null;
} | null;

export function createServer({ version, tools, unlistedTools, resources }: Parts, context: RequestContext): Server {
  const server = new Server(
    { name: "reelwright", title: "Reelwright", version },
    {
      capabilities: { tools: {}, resources: {} },
      instructions,
      cacheHints: { "tools/list": cacheHint, "resources/list": cacheHint },
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: [] }));
  server.setRequestHandler("tools/call", ({ params: { name, arguments: args = {} } }, ctx) => {
    const found = tools.get(name) ?? unlistedTools.get(name);
    if (!found)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${JSON.stringify(name.slice(0, 100))}.`,
      );
    return context.cancellable(ctx.mcpReq.id, ctx.mcpReq.signal, (signal) =>
      callTool(found, args, { ...context, signal, report: reporter(ctx) }),
    );
  });
  server.setRequestHandler("resources/list", () => ({ resources: resources.list }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    if (!resources.texts.has(uri)) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType, text: "" }] };
  });
  return server;
}

/** Never throws: the message of an unexpected error must not reach the client. */
async function callTool(
  { tool, plan, listed }: PreparedTool,
  args: Arguments,
  context: CallContext & Pick<RequestContext, "logError" | "inUserSlot">,
): Promise<CallToolResult> {
  const stop = asksProvider(plan.inHeaders) ? startHeartbeat(context) : () => {};
  try {
    const names = Object.keys(tool.input ? args : (listed.inputSchema.properties ?? {}));
    const call = toolCall(tool, plan, names, args, context);
    const run = tool.run ?? ((own) => runRoute(tool, plan, own));
    return toCallResult(await context.inUserSlot(context.signal, () => run(call)));
  } catch (error) {
    if (isUnexpected(error) && !context.signal.aborted) context.logError(error);
    if (tool.refused) return tool.refused(args, error, context.requestId);
    return { isError: true, content: [{ type: "text", text: failureText(error, context.requestId) }] };
  } finally {
    stop();
  }
}

/** Hosts that read only the content get the same as JSON text. */
const toCallResult = ({ structured, content = [] }: ToolResult): CallToolResult => ({
  // safe because it is an object from JSON
  ...(structured && { structuredContent: structured as Record<string, unknown> }),
  content: [...(structured ? [{ type: "text" as const, text: JSON.stringify(structured) }] : []), ...content],
});

/** Reports only growing progress, as the protocol requires. */
function reporter({ mcpReq }: ServerContext): CallContext["report"] {
  const progressToken = mcpReq._meta?.progressToken;
  let last = -1;
  return async (state: Progress) => {
    if (progressToken === undefined || state.progress <= last) return;
    last = state.progress;
    await mcpReq.notify({ method: "notifications/progress", params: { progressToken, ...state } });
  };
}

const heartbeatMs = 5_000;

/** Reports that a model is still working: some clients stop waiting otherwise. */
function startHeartbeat({ report }: Pick<CallContext, "report">): () => void {
  const startedAt = Date.now();
  const beat = () => {
    const progress = Math.round((Date.now() - startedAt) / 1000);
    // a client that has left gets none
    report({ progress, message: `Working for ${progress} s` }).catch(() => {});
  };
  const timer = setInterval(beat, heartbeatMs);
  return () => clearInterval(timer);
}
