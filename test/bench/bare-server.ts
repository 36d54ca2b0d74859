import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";

/** The minimal upload server: writes the request body to disk unchanged. */
const [path = ""] = process.argv.slice(2);

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  fetch: async ({ body }) => {
    // safe because it is the same stream; the type in node:stream/web only has more methods
    await pipeline(Readable.fromWeb(body as unknown as ReadableStream), createWriteStream(path, { flush: true }));
    return new Response(null, { status: 201 });
  },
});
console.log(`address ${server.url.origin}`);
