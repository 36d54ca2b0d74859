import { chunksOf } from "./form.ts";
import { nodeFiles } from "./runtime.ts";

type Chunks = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** A file to upload: a Blob, a path or `file:` URL (Node, Bun, Deno), a stream, or a function that opens a new stream. */
export type UploadSource = Blob | string | URL | Chunks | (() => Chunks | Promise<Chunks>);

export type OpenSource = {
  readonly filename: string;
  readonly mimeType: string;
  readonly sizeBytes: number | undefined;
  /** False for a stream, whose bytes can be read only once. */
  readonly isRepeatable: boolean;
  readonly blob?: Blob;
  chunks(): AsyncIterable<Uint8Array>;
};

/** The service recognizes a file by its bytes. */
const anyType = "application/octet-stream";

export async function openSource(source: UploadSource, filename: string | undefined): Promise<OpenSource> {
  if (source instanceof Blob) return openBlob(source, filename);
  if (typeof source === "string" || source instanceof URL) return openPath(source, filename);
  const isRepeatable = typeof source === "function";
  return {
    filename: filename ?? "file",
    mimeType: anyType,
    sizeBytes: undefined,
    isRepeatable,
    async *chunks() {
      yield* iterate(typeof source === "function" ? await source() : source);
    },
  };
}

const iterate = (chunks: Chunks): AsyncIterable<Uint8Array> =>
  chunks instanceof ReadableStream ? chunksOf(chunks) : chunks;

function openBlob(blob: Blob, filename: string | undefined): OpenSource {
  const ownName = (blob as { readonly name?: unknown }).name;
  const lastPart = typeof ownName === "string" ? ownName.split(/[\\/]/).at(-1) : undefined;
  return {
    filename: filename ?? lastPart ?? "file",
    mimeType: blob.type || anyType,
    sizeBytes: blob.size,
    isRepeatable: true,
    blob,
    chunks: () => chunksOf(blob.stream()),
  };
}

async function openPath(path: string | URL, filename: string | undefined): Promise<OpenSource> {
  const files = nodeFiles();
  const { size } = await files.stat(path);
  const ownName = typeof path === "string" ? path : decodeURIComponent(path.pathname);
  return {
    filename: filename ?? ownName.split(/[\\/]/).at(-1) ?? "file",
    mimeType: anyType,
    sizeBytes: size,
    isRepeatable: true,
    async *chunks() {
      const file = await files.open(path, "r");
      // closes the file at its end
      yield* file.createReadStream();
    },
  };
}
