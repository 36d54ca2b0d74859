type Received = { readonly headers: Headers; readonly body: string };

/** Receives the events of webhooks. */
export function webhookReceiver() {
  const received: Received[] = [];
  let onReceived = () => {};
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      received.push({ headers: request.headers, body: await request.text() });
      onReceived();
      return new Response(null, { status: 204 });
    },
  });
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  return {
    received,
    webhook: { url: `http://127.0.0.1:${server.port}/hook`, secret },
    /** Of a service that may send to it. */
    settings: { FETCH_EXTRA_PORTS: `${server.port}`, ALLOW_PRIVATE_NETWORK: "true" },
    /** The requests, once there are so many. */
    receivedOnce: (count: number) =>
      new Promise<readonly Received[]>((resolve) => {
        onReceived = () => received.length >= count && resolve(received);
        onReceived();
      }),
    stop: () => server.stop(true),
  };
}
