/** A request that a stand-in took. */
export type Taken = {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The client broke the connection before it had its answer. */
  aborted: boolean;
};

type Reply = (taken: Taken, params: Record<string, string>) => Response | Promise<Response>;

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever came over the wire
export const jsonOf = (taken: Taken | undefined): any => JSON.parse(new TextDecoder().decode(taken?.bytes));

/** A provider's server in a few lines: answers "POST /v1/responses" and the like, and remembers what it was asked. */
export function standIn(replies: Record<string, Reply>) {
  const taken: Taken[] = [];
  const patterns = Object.entries(replies).map(([route, reply]) => {
    const [method, pattern] = route.split(" ");
    return { method, pattern: new URLPattern({ pathname: pattern! }), reply };
  });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const call = { method: request.method, path: pathname, headers: request.headers, aborted: false };
      const full: Taken = { ...call, bytes: await request.bytes() };
      request.signal.addEventListener("abort", () => {
        full.aborted = true;
      });
      taken.push(full);
      for (const { method, pattern, reply } of patterns) {
        const match = method === request.method && pattern.exec({ pathname });
        // safe because the groups of a path that matched are strings
        if (match) return reply(full, match.pathname.groups as Record<string, string>);
      }
      return new Response("Not served", { status: 404 });
    },
  });
  return {
    url: server.url.origin,
    taken,
    to: (method: string, path: RegExp) => taken.filter((call) => call.method === method && path.test(call.path)),
    stop: () => server.stop(true),
  };
}
