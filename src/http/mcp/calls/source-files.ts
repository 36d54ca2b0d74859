import { Readable } from "node:stream";
import { z } from "zod";
import { findInternalUrl } from "../../../domain/media-sources/internal-files.ts";
import { DomainError, invalid } from "../../../errors.ts";
import { assetPath } from "../../files/internal-urls.ts";
import type { ToolCall } from "./tool.ts";
import { idOf } from "./tool-call.ts";

/** A file that a tool passes on as a stream, so that it is never whole in memory. */
type SourceFile = { readonly bytes: AsyncIterable<Uint8Array>; readonly filename: string };

const maxBase64Characters = 3_900_000;

export const urlArgument = z
  .url({ protocol: /^https?$/ })
  .max(8192)
  .describe("A public http or https URL of the file, or a URL of this service.");

export const dataArgument = z
  .base64()
  .max(maxBase64Characters)
  .describe("The bytes of the file in base64: at most 2.9 MB of them.");

/** Opens the file of assetId, url or data. A file to be stored is fetched up to `roomBytes`, which may throw. */
export async function withSourceFile<Result>(
  call: ToolCall,
  use: (file: SourceFile) => Promise<Result>,
  roomBytes: () => Promise<number> = async () => Number.POSITIVE_INFINITY,
): Promise<Result> {
  const { assetId, url, data } = call.args as { assetId?: string; url?: string; data?: string };
  if ([assetId, url, data].filter((value) => value !== undefined).length !== 1) {
    throw invalid("", "Name the file by exactly one of the arguments that this tool has for it: assetId, url or data.");
  }
  if (data !== undefined) return use(fromData(call, data));
  return url === undefined
    ? use(await storedFile(call, assetUrl(call), "assetId"))
    : fromUrl(call, url, use, roomBytes);
}

const assetUrl = ({ args }: ToolCall) => assetPath(idOf(args, "projectId"), idOf(args, "assetId"));

function fromData({ args: { filename } }: ToolCall, data: string): SourceFile {
  return { bytes: Readable.from([Buffer.from(data, "base64")]), filename: `${filename ?? "file"}` };
}

async function fromUrl<Result>(
  call: ToolCall,
  url: string,
  use: (file: SourceFile) => Promise<Result>,
  roomBytes: () => Promise<number>,
): Promise<Result> {
  const { services, caller, signal } = call;
  if (await findInternalUrl(services, caller, url)) return use(await storedFile(call, url, "url"));
  const maxBytes = Math.min(services.settings.maxUploadBytes, await roomBytes());
  const received = await services.fetcher.download(url, { path: "url", maxBytes, owner: caller.user.id, signal });
  try {
    return await use({ bytes: Bun.file(received.path).stream(), filename: lastName(url) });
  } finally {
    await services.files.discard(received);
  }
}

function lastName(url: string): string {
  const name = new URL(url).pathname.split("/").at(-1) || "file";
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

async function storedFile({ services, caller }: ToolCall, url: string, path: string): Promise<SourceFile> {
  const found = await findInternalUrl(services, caller, url);
  if (!found?.file) throw new DomainError("asset_missing", { path, what: "The file" });
  const { filename, sizeBytes } = found.file;
  return { bytes: await services.files.read(found.file, 0, sizeBytes), filename };
}

export function formWith(field: string, { bytes, filename }: SourceFile, fields: Readonly<Record<string, unknown>>) {
  const boundary = `form-${crypto.randomUUID()}`;
  const head = (name: string, more = "") =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${head(name)}${typeof value === "string" ? value : JSON.stringify(value)}\r\n`],
  );
  async function* parts() {
    yield Buffer.from(`${texts.join("")}${head(field, `; filename="${escaped(filename)}"`)}`);
    yield* bytes;
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    // safe because Bun's Response takes the web stream that node:stream makes
    body: Readable.toWeb(Readable.from(parts())) as unknown as ReadableStream<Uint8Array>,
  };
}

const escaped = (filename: string) => filename.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
