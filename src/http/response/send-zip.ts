import { makeZip, predictLength } from "client-zip";
import type { Context } from "hono";
import { contentDisposition } from "./send-file.ts";

/** A file of an archive, opened when its turn comes. */
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

/** Sends files as a zip file without compression: a stream whose length is known ahead. */
export function sendZip(c: Context, { filename, entries, lastModified }: Zip): Response {
  const metadata = entries.map(({ name, size }) => ({ name, size, lastModified }));
  c.header("Content-Type", "application/zip");
  c.header("Content-Length", `${predictLength(metadata)}`);
  c.header("Content-Disposition", contentDisposition("attachment", filename));
  if (c.req.method === "HEAD") return c.body(null, 200);
  return c.body(makeZip(opened(entries, lastModified), { buffersAreUTF8: true }) as ReadableStream, 200);
}

async function* opened(entries: readonly ZipEntry[], lastModified: Date) {
  for (const { name, size, open } of entries) yield { name, size, lastModified, input: await open() };
}
