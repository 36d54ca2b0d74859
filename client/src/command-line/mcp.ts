import { createInterface } from "node:readline";
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Client } from "../index.ts";
import { type Context, signedInClient } from "./context.ts";

/** The parts of a JSON-RPC message that are needed to pass it on. */
type Message = {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly uri?: string;
    readonly requestId?: string | number;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly result?: { readonly protocolVersion?: string };
};

const versionKey = "io.modelcontextprotocol/protocolVersion";

/**
 * An MCP server on the standard input and output, for hosts that start programs: passes each message to the service and
 * writes its answers, one message per line. Ends after the last answer, once the input has ended.
 */
export async function bridge(context: Context): Promise<void> {
  const client = await signedInClient(context);
  const connection = new Bridge(client, context.signal, (message) =>
    process.stdout.write(`${JSON.stringify(message)}\n`),
  );
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  context.signal.addEventListener("abort", () => lines.close(), { once: true });
  const running = new Set<Promise<void>>();
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const passed: Promise<void> = connection.pass(line).finally(() => running.delete(passed));
    running.add(passed);
  }
  await Promise.all(running);
}

class Bridge {
  readonly #calls = new Map<string | number, AbortController>();
  /** Headers of the handshake of 2025-11-25, which later requests repeat. */
  #handshake: Readonly<Record<string, string>> = {};

  constructor(
    readonly client: Pick<Client, "fetch">,
    readonly interrupted: AbortSignal,
    readonly write: (message: object) => void,
  ) {}

  async pass(line: string): Promise<void> {
    const message = parse(line);
    if (!message) return this.write(failure(null, -32700, "The line is not a JSON-RPC message."));
    // over HTTP, closing the request cancels it, at any process of the service
    if (message.method === "notifications/cancelled") return this.#calls.get(message.params?.requestId ?? "")?.abort();
    const call = new AbortController();
    if (message.id !== undefined) this.#calls.set(message.id, call);
    try {
      await this.#send(line, message, AbortSignal.any([call.signal, this.interrupted]));
    } catch (error) {
      if (!call.signal.aborted && message.id !== undefined) this.write(failure(message.id, -32000, sentenceOf(error)));
    } finally {
      if (message.id !== undefined) this.#calls.delete(message.id);
    }
  }

  async #send(body: string, message: Message, signal: AbortSignal): Promise<void> {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(versionOf(message) ? standardHeaders(message) : this.#handshake),
    };
    const response = await this.client.fetch("/mcp", { method: "POST", headers, body, signal });
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
      for await (const answer of events(response)) this.#receive(answer, response);
      return;
    }
    const answer = parse(await response.text());
    if (isRpc(answer)) this.#receive(answer, response);
    else if (message.id !== undefined) this.write(failure(message.id, -32000, refusalOf(response, answer)));
  }

  #receive(answer: Message, { headers }: Response): void {
    const session = headers.get("mcp-session-id");
    const version = answer.result?.protocolVersion;
    if (session && version) this.#handshake = { "mcp-session-id": session, "mcp-protocol-version": version };
    this.write(answer);
  }
}

async function* events(response: Response): AsyncGenerator<Message> {
  const parsed = response
    // safe because every response with events has a body
    .body!.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream());
  const reader = parsed.getReader();
  for (let { value } = await reader.read(); value; { value } = await reader.read()) {
    const message = parse(value.data);
    if (message) yield message;
  }
}

function parse(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const isRpc = (message: Message | undefined): message is Message => message !== undefined && "jsonrpc" in message;

/** A message of 2026-07-28 names its revision; one of 2025-11-25 does not. */
function versionOf({ params }: Message): string | undefined {
  const version = params?._meta?.[versionKey];
  return typeof version === "string" ? version : undefined;
}

/** Headers in which 2026-07-28 repeats parts of the message. */
function standardHeaders(message: Message): Record<string, string> {
  const name = message.params?.name ?? message.params?.uri;
  return {
    "mcp-protocol-version": versionOf(message) ?? "",
    "mcp-method": message.method ?? "",
    ...(name && { "mcp-name": name }),
  };
}

const failure = (id: string | number | null, code: number, message: string) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});

/** The service's own sentence, if the answer has one. */
const refusalOf = ({ status }: Response, answer: object | undefined): string =>
  answer && "error" in answer && typeof answer.error === "string" ? answer.error : `The service answered ${status}.`;

const sentenceOf = (error: unknown): string =>
  `The service cannot be reached: ${error instanceof Error ? error.message : String(error)}`;
