import { randomHex } from "./form.ts";
import { nodeFiles } from "./runtime.ts";

/** The destination of a download. Exactly one of `finish` and `discard` is called, last. */
export type Sink = {
  write(chunk: Uint8Array): Promise<void>;
  /** Discards what was written. */
  restart(): Promise<void>;
  finish(): Promise<Blob | undefined>;
  discard(reason: unknown): Promise<void>;
};

export function blobSink(type: string): Sink {
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  return {
    async write(chunk) {
      // a copy, because a Blob does not accept shared memory
      chunks.push(new Uint8Array(chunk));
    },
    async restart() {
      chunks = [];
    },
    finish: async () => new Blob(chunks, { type }),
    discard: async () => {},
  };
}

/** Writes to a temporary file beside `path`. */
export async function fileSink(path: string): Promise<Sink> {
  const files = nodeFiles();
  const temporaryPath = `${path}.${randomHex(4)}.part`;
  const file = await files.open(temporaryPath, "wx");
  let position = 0;
  return {
    async write(chunk) {
      for (let written = 0; written < chunk.length; ) {
        const { bytesWritten } = await file.write(chunk, written, chunk.length - written, position);
        written += bytesWritten;
        position += bytesWritten;
      }
    },
    async restart() {
      await file.truncate(0);
      position = 0;
    },
    async finish() {
      await file.close();
      await files.rename(temporaryPath, path);
      return undefined;
    },
    async discard() {
      await file.close();
      await files.rm(temporaryPath, { force: true });
    },
  };
}

/** Writes to a stream and closes it; written bytes cannot be discarded. */
export function streamSink(stream: WritableStream<Uint8Array>): Sink {
  const writer = stream.getWriter();
  return {
    write: (chunk) => writer.write(chunk),
    async restart() {
      throw new TypeError("The export has changed during the download, and a stream cannot begin again.");
    },
    async finish() {
      await writer.close();
      return undefined;
    },
    discard: (reason) => writer.abort(reason).catch(() => {}),
  };
}
