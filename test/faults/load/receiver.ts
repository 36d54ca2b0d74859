/** Receives the webhooks of exports; fails now and then, as receivers do. */
export function startReceiver(port: number) {
  /** The webhook-ids and types that came for each export. */
  const events = new Map<string, { readonly id: string; readonly type: string }[]>();
  let received = 0;
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { type, data } = await request.json();
      received += 1;
      if (received % 17 === 0) return new Response(null, { status: 500 });
      const id = request.headers.get("webhook-id") ?? "";
      events.set(data.id, [...(events.get(data.id) ?? []), { id, type }]);
      return new Response(null, { status: 204 });
    },
  });
  return { url: `${server.url.origin}/events`, events, end: () => server.stop(true) };
}
