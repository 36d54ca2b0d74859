/** A multipart form with one file, as bytes that are produced while they are sent. */

export type FormFields = readonly (readonly [name: string, value: string])[];

type FormFile = {
  readonly field: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly sizeBytes: number | undefined;
};

type StreamedForm = {
  readonly contentType: string;
  readonly sizeBytes: number | undefined;
  readonly body: ReadableStream<Uint8Array>;
};

/** Quotes names as browsers do. */
const quoted = (name: string) => `"${name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22")}"`;

/** Calls `onSent` with the number of the file's bytes that were handed over so far. */
export function streamedForm(fields: FormFields, file: FormFile, onSent: (sentBytes: number) => void): StreamedForm {
  const boundary = `reelwright-${randomHex(16)}`;
  const encoder = new TextEncoder();
  const part = (disposition: string) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}`;
  const texts = fields.map(([name, value]) => `${part(`name=${quoted(name)}`)}\r\n\r\n${value}\r\n`);
  const fileDisposition = `name=${quoted(file.field)}; filename=${quoted(file.filename)}`;
  const head = encoder.encode(`${texts.join("")}${part(fileDisposition)}\r\nContent-Type: ${file.mimeType}\r\n\r\n`);
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes: file.sizeBytes === undefined ? undefined : head.length + file.sizeBytes + tail.length,
    body: streamOf(formBytes(head, file.bytes, tail, onSent)),
  };
}

async function* formBytes(
  head: Uint8Array,
  file: AsyncIterable<Uint8Array>,
  tail: Uint8Array,
  onSent: (sentBytes: number) => void,
) {
  let sentBytes = 0;
  yield head;
  for await (const chunk of file) {
    yield chunk;
    sentBytes += chunk.length;
    onSent(sentBytes);
  }
  yield tail;
}

/** Replaces `ReadableStream.from`, which some browsers lack. */
function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The chunks of a stream; Safari's streams cannot be iterated. */
export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** `crypto.randomUUID` exists only on secure pages. */
export function randomHex(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
