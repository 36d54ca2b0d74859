import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { Caller } from "../../../domain/accounts/caller.ts";
import type { Services } from "../../../services.ts";

export type Arguments = Readonly<Record<string, unknown>>;

export type Progress = { readonly progress: number; readonly total?: number; readonly message?: string };

/** Options of a request inside the app. */
export type InnerRequest = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
  readonly json?: object;
  /** Provider headers that the caller did not choose. */
  readonly assumed?: readonly string[];
  /** By default, the signal of the call. */
  readonly signal?: AbortSignal;
};

/** Changes to the request that the arguments alone would make. */
export type OwnRequest = {
  readonly query?: Readonly<Record<string, string>>;
  /** Another route, with the same headers. */
  readonly path?: string;
  readonly json?: object;
  readonly form?: { readonly contentType: string; readonly body: BodyInit };
};

/** One call of a tool. Its requests have the caller and the id of the MCP request. */
export type ToolCall = {
  /** Checked arguments of the tool's route and of `extra`; the route checks the rest. */
  readonly args: Arguments;
  readonly caller: Caller;
  readonly services: Services;
  /** Headers of the MCP request. */
  readonly headers: Headers;
  /** Aborts when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** The base URL of the service, without a trailing slash. */
  readonly publicUrl: string;
  /** Sends the request of the tool's own route; throws `FailedRequest` for an error. */
  send(change?: OwnRequest): Promise<Response>;
  /** Sends another request inside the app; throws `FailedRequest` for an error. */
  request(path: string, init?: InnerRequest): Promise<Response>;
  /** Does nothing if the client did not ask for progress. */
  report(progress: Progress): Promise<void>;
};

export type ToolResult = {
  /** Also sent as JSON text. */
  readonly structured?: object;
  readonly content?: readonly ContentBlock[];
};

export type Tool = {
  readonly name: string;
  readonly title: string;
  /** Says what it does, when to use it, and which tool comes before. */
  readonly description: string;
  /** The operation whose route it calls: arguments, scopes and result come from there. */
  readonly operation: string;
  /** Arguments of the route that agents do not need. */
  readonly omit?: readonly string[];
  /**
   * Arguments that are described by a sentence instead of their schema; an empty one leaves the type alone. A path such
   * as `texts.mask` names a field of an object, or of a list's items.
   */
  readonly brief?: Readonly<Record<string, string>>;
  /** Another tool with the same lists and objects, so that a model reads each schema once. */
  readonly sameAs?: string;
  /** Arguments that the route does not have, or that replace those of the route. */
  readonly extra?: z.ZodObject;
  /** All arguments of a tool of another protocol, which reads them itself; unknown ones are ignored. */
  readonly input?: z.ZodObject;
  /** How another protocol writes an error. */
  readonly refused?: (args: Arguments, error: unknown, requestId: string) => CallToolResult;
  /** The field that holds the result, if it is a list. */
  readonly list?: string;
  /** For a POST that changes nothing. */
  readonly isReadOnly?: boolean;
  /** For a tool that calls external hosts; tools with a provider always do. */
  readonly isOpenWorld?: boolean;
  /** By default sends the route's request and returns its JSON. */
  readonly run?: (call: ToolCall) => Promise<ToolResult>;
};
