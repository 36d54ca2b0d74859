import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

type Server = { readonly url: string };
type Headers = Readonly<Record<string, string>>;

const identity = { name: "test", version: "1" };

const options = (token: string, headers: Headers) => ({
  requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } },
});

/** The client of SDK version 2, which asks for the newest revision that both sides know. */
export async function newClient({ url }: Server, token: string, headers: Headers = {}): Promise<Client> {
  const client = new Client(identity, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), options(token, headers)));
  return client;
}

/** The client of SDK version 2 with the handshake of 2025-11-25. */
export async function handshakeClient({ url }: Server, token: string, headers: Headers = {}): Promise<Client> {
  const client = new Client(identity);
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), options(token, headers)));
  return client;
}

/** The client of SDK version 1, which knows 2025-11-25 at most. */
export async function firstClient({ url }: Server, token: string, headers: Headers = {}): Promise<FirstClient> {
  const client = new FirstClient(identity);
  await client.connect(new FirstTransport(new URL("/mcp", url), options(token, headers)));
  return client;
}

/** The structured result of a tool; throws its error. */
// biome-ignore lint/suspicious/noExplicitAny: tests check the fields that they read
export async function callTool(client: Pick<Client, "callTool">, name: string, args: object = {}): Promise<any> {
  const result = await client.callTool({ name, arguments: { ...args } });
  const [first] = result.content as { text?: string }[];
  if (result.isError) throw new Error(first?.text);
  return result.structuredContent;
}

/** The text of a failed call; throws if it did not fail. */
export async function failureOf(client: Pick<Client, "callTool">, name: string, args: object = {}): Promise<string> {
  const result = await client.callTool({ name, arguments: { ...args } });
  const [first] = result.content as { text: string }[];
  if (!result.isError) throw new Error(`${name} has not failed: ${first?.text}`);
  return first!.text;
}
