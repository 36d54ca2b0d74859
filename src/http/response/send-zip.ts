import { makeZip, predictLength } from "client-zip";
import type { Context } from "hono";
import { yieldIfBusy } from "../../platform/cpu.ts";
import { contentDisposition } from "./send-file.ts";

/** A file of an archive, opened when it is written. */
export type ZipEntry = {
  readonly name: string;
  readonly size: number;
  open(): Promise<ReadableStream<Uint8Array> | string>;
};

export const textEntry = (name: string, text: string): ZipEntry => ({
  ...{ name, size: Buffer.byteLength(text) },
  open: async () => text,
});

type Zip = { readonly filename: string; readonly entries: readonly ZipEntry[]; readonly lastModified: Date };

/** Bun sends streams chunked, without a length: small archives are not streamed. */
const maxBytesInMemory = 4 * 1024 * 1024;

/** Sends files as a zip file without compression, so that its length is known. */
export async function sendZip(c: Context, { filename, entries, lastModified }: Zip): Promise<Response> {
  const length = predictLength(entries.map(({ name, size }) => ({ name, size, lastModified })));
  c.header("Content-Type", "application/zip");
  c.header("Content-Length", `${length}`);
  c.header("Content-Disposition", contentDisposition("attachment", filename));
  if (c.req.method === "HEAD") return c.body(null, 200);
  const zip = zipStream(entries, lastModified);
  return c.body(length > maxBytesInMemory ? zip : await new Response(zip).bytes(), 200);
}

/** Yields to other requests between chunks. A cancelled stream closes the open file, which makeZip leaves open. */
function zipStream(entries: readonly ZipEntry[], lastModified: Date): ReadableStream<Uint8Array> {
  let file: ReadableStreamDefaultReader<Uint8Array> | undefined;
  async function* read(stream: ReadableStream<Uint8Array>) {
    file = stream.getReader();
    for (let part = await file.read(); !part.done; part = await file.read()) yield part.value;
  }
  async function* opened() {
    for (const { name, size, open } of entries) {
      const input = await open();
      yield { name, size, lastModified, input: typeof input === "string" ? input : read(input) };
    }
  }
  const zip = (makeZip(opened(), { buffersAreUTF8: true }) as ReadableStream<Uint8Array>).getReader();
  return new ReadableStream({
    async pull(controller) {
      await yieldIfBusy();
      const { value, done } = await zip.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      await Promise.allSettled([zip.cancel(reason), file?.cancel(reason)]);
    },
  });
}
