import type { Context } from "hono";
import type { Approval, Batch } from "../../domain/batches/batch.ts";
import { hasEnded } from "../../domain/batches/batch.ts";
import { manifestCsv, manifestJson } from "../../domain/batches/manifest.ts";
import type { Services } from "../../domain/services.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { sendZip, textEntry, type ZipEntry } from "../response/send-zip.ts";

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
  if (!hasEnded(batch)) throw new DomainError("not_ready", { what: "batch" });
  const entries = await entriesOf(services, batch, approval);
  return sendZip(c, { filename: `${batch.name}.zip`, entries, lastModified: new Date(batch.createdAt) });
}

async function entriesOf(
  services: Services,
  batch: Batch,
  approval: Approval | undefined,
): Promise<readonly ZipEntry[]> {
  const { batches, files } = services;
  const videos = (await batches.videos(batch.id, approval)).map(
    ({ fileName: name, key, sizeBytes: size }): ZipEntry => ({
      name,
      size,
      open: () => files.read({ key, sizeBytes: size }, 0, size),
    }),
  );
  const manifest = { batch, approval };
  return [
    ...videos,
    textEntry("manifest.json", await joined(manifestJson(services, manifest))),
    textEntry("manifest.csv", await joined(manifestCsv(services, manifest))),
  ];
}

async function joined(parts: AsyncIterable<string>): Promise<string> {
  const texts: string[] = [];
  for await (const text of parts) texts.push(text);
  return texts.join("");
}

const encoder = new TextEncoder();

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
