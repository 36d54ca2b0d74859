import { png } from "../../support/uploads.ts";

/** A provider of images that counts how often each prompt is paid for. */
export async function startProvider(port: number, responseMs = 400) {
  const calls = new Map<string, number>();
  const image = (await png(64, 64).bytes()).toBase64();
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { prompt } = await request.json();
      const [order] = /order-[\w-]+/.exec(prompt) ?? ["unknown"];
      calls.set(order, (calls.get(order) ?? 0) + 1);
      await Bun.sleep(responseMs);
      return Response.json({ created: 1, data: [{ b64_json: image }] });
    },
  });
  return { url: `${server.url.origin}/v1`, calls, end: () => server.stop(true) };
}
