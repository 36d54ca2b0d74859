import { makeZip, predictLength } from "client-zip";
import type { Context } from "hono";
import type { Approval, Batch } from "../../domain/batches/batch.ts";
import { hasEnded } from "../../domain/batches/batch.ts";
import { manifestCsv, manifestJson } from "../../domain/batches/manifest.ts";
import type { Services } from "../../domain/services.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { contentDisposition } from "../response/send-file.ts";

type Entry = { readonly name: string; readonly size: number; open(): Promise<ReadableStream<Uint8Array> | string> };

/**
 * The videos of a batch that has ended, and both manifests, as a zip file without compression: a stream whose length is
 * known ahead. Throws not_ready.
 */
export async function sendArchive(
  c: Context<AppEnv>,
  services: Services,
  batch: Batch,
  approval: Approval | undefined,
): Promise<Response> {
  if (!hasEnded(batch)) throw new DomainError("not_ready", {});
  const entries = await entriesOf(services, batch.id, approval);
  const lastModified = new Date(batch.createdAt);
  const metadata = entries.map(({ name, size }) => ({ name, size, lastModified }));
  c.header("Content-Type", "application/zip");
  c.header("Content-Length", `${predictLength(metadata)}`);
  c.header("Content-Disposition", contentDisposition("attachment", `${batch.name}.zip`));
  if (c.req.method === "HEAD") return c.body(null, 200);
  return c.body(makeZip(opened(entries, lastModified), { buffersAreUTF8: true }) as ReadableStream, 200);
}

async function entriesOf(
  { batches, files, internalUrls }: Services,
  batchId: string,
  approval: Approval | undefined,
): Promise<readonly Entry[]> {
  const videos = (await batches.videos(batchId, approval)).map(
    ({ fileName: name, key, sizeBytes: size }): Entry => ({ name, size, open: () => files.read({ key }, 0, size) }),
  );
  const manifest = { batchId, approval };
  const texts = [
    ["manifest.json", await joined(manifestJson({ batches, internalUrls }, manifest))],
    ["manifest.csv", await joined(manifestCsv({ batches, internalUrls }, manifest))],
  ] as const;
  return [...videos, ...texts.map(([name, text]) => ({ name, size: Buffer.byteLength(text), open: async () => text }))];
}

async function* opened(entries: readonly Entry[], lastModified: Date) {
  for (const { name, size, open } of entries) yield { name, size, lastModified, input: await open() };
}

export async function joined(parts: AsyncIterable<string>): Promise<string> {
  const texts: string[] = [];
  for await (const text of parts) texts.push(text);
  return texts.join("");
}

const encoder = new TextEncoder();

/** Sends a text in parts, as they are made. */
export function sendText(c: Context<AppEnv>, type: string, parts: AsyncGenerator<string>): Response {
  c.header("Content-Type", type);
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => void (await parts.return(undefined)),
  });
  return c.body(stream, 200);
}
