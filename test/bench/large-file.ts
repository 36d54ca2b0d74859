import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const chunkBytes = 1024 * 1024;
const headerBytes = 44;

/** Writes a WAV file of exactly this size: 16-bit stereo at 48 kHz. */
export async function writeLargeWav(path: string, sizeBytes: number): Promise<void> {
  async function* chunks() {
    yield wavHeader(sizeBytes);
    const noise = crypto.getRandomValues(new Uint8Array(65_536));
    const chunk = Buffer.alloc(chunkBytes, noise);
    for (let left = sizeBytes - headerBytes; left > 0; left -= chunkBytes) yield chunk.subarray(0, left);
  }
  await pipeline(Readable.from(chunks()), createWriteStream(path));
}

function wavHeader(sizeBytes: number): Buffer {
  const header = Buffer.from("RIFF....WAVEfmt ....................data....", "latin1");
  const byteRate = 192_000;
  const frameBytes = 4;
  for (const [value, offset] of [
    [sizeBytes - 8, 4],
    [16, 16],
    [48_000, 24],
    [byteRate, 28],
    [sizeBytes - headerBytes, 40],
  ] as const)
    header.writeUInt32LE(value, offset);
  for (const [value, offset] of [
    [1, 20],
    [2, 22],
    [frameBytes, 32],
    [16, 34],
  ] as const)
    header.writeUInt16LE(value, offset);
  return header;
}

/** Copies a file on the same disk; the copy is flushed when this resolves. */
export const copyToDisk = (from: string, to: string): Promise<void> =>
  pipeline(createReadStream(from, { highWaterMark: chunkBytes }), createWriteStream(to, { flush: true }));

/** Streams a file as the form field `file` and returns the response status. */
export async function sendForm(url: string, path: string, headers: Record<string, string> = {}): Promise<number> {
  const boundary = "the-boundary";
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="large.wav"\r\n\r\n`;
  const tail = `\r\n--${boundary}--\r\n`;
  async function* body() {
    yield Buffer.from(head);
    yield* createReadStream(path, { highWaterMark: chunkBytes });
    yield Buffer.from(tail);
  }
  const sending = request(url, {
    method: "POST",
    headers: {
      ...headers,
      "Content-Type": `multipart/form-data; boundary=${boundary}`,
      "Content-Length": (await stat(path)).size + head.length + tail.length,
    },
  });
  const responded: Promise<[IncomingMessage]> = once(sending, "response") as Promise<[IncomingMessage]>;
  await pipeline(Readable.from(body()), sending);
  const [response] = await responded;
  response.resume();
  return response.statusCode ?? 0;
}
