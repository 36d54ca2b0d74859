/** A request that a fake server received. */
export type ReceivedRequest = {
  readonly method: string;
  readonly path: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** True if the client closed the connection before it had the response. */
  aborted: boolean;
  /** Resolves when it does. */
  readonly left: Promise<void>;
};

type Reply = (request: ReceivedRequest, params: Record<string, string>) => Response | Promise<Response>;

/** The replies of a server by method and path pattern, such as "POST /v1/responses". */
export type Routes = Record<string, Reply>;

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever came over the wire
export const jsonBody = (request: ReceivedRequest | undefined): any =>
  JSON.parse(new TextDecoder().decode(request?.bytes));

/** A provider's server with scripted replies. It records every request. */
export function fakeServer(routes: Routes) {
  const requests: ReceivedRequest[] = [];
  const patterns = Object.entries(routes).map(([route, reply]) => {
    const [method, pattern] = route.split(" ");
    return { method, pattern: new URLPattern({ pathname: pattern! }), reply };
  });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    async fetch(request) {
      const { method, headers } = request;
      const url = new URL(request.url);
      const path = url.pathname;
      const { promise: left, resolve: leave } = Promise.withResolvers<void>();
      const bytes = await request.bytes();
      const received: ReceivedRequest = { method, path, url, headers, bytes, aborted: false, left };
      request.signal.addEventListener("abort", () => {
        received.aborted = true;
        leave();
      });
      requests.push(received);
      for (const { pattern, reply, ...route } of patterns) {
        const match = route.method === method && pattern.exec({ pathname: path });
        // safe because the groups of a matching path are strings
        if (match) return reply(received, match.pathname.groups as Record<string, string>);
      }
      return new Response("Not served", { status: 404 });
    },
  });
  return {
    url: server.url.origin,
    requests,
    requestsTo: (method: string, path: RegExp) =>
      requests.filter((request) => request.method === method && path.test(request.path)),
    stop: () => server.stop(true),
  };
}
