/** A span as it arrived, in protobuf's encoding of OTLP. */
export type ReceivedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly isFailed: boolean;
};

/** An OpenTelemetry receiver that keeps spans and the bytes that they came in. */
export function traceReceiver() {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (new URL(request.url).pathname !== "/v1/traces") return new Response(null, { status: 404 });
      const body = Buffer.from(await request.arrayBuffer());
      bodies.push(body);
      spans.push(...spansIn(body));
      return new Response(new Uint8Array(), { headers: { "content-type": "application/x-protobuf" } });
    },
  });
  return { url: server.url.origin, spans, bodies, stop: () => server.stop(true) };
}

type Field = { readonly number: number; readonly bytes: Buffer; readonly value: number };

function fieldsOf(message: Buffer): readonly Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < message.length; ) {
    const tag = varint(message, at);
    const [number, type] = [tag.value >>> 3, tag.value & 7];
    const none = Buffer.alloc(0);
    if (type === 0) {
      const { value, next } = varint(message, tag.next);
      fields.push({ number, bytes: none, value });
      at = next;
    } else if (type === 2) {
      const length = varint(message, tag.next);
      at = length.next + length.value;
      fields.push({ number, bytes: message.subarray(length.next, at), value: 0 });
    } else {
      at = tag.next + (type === 1 ? 8 : 4);
      fields.push({ number, bytes: message.subarray(tag.next, at), value: 0 });
    }
  }
  return fields;
}

/** Numbers above 2^53 lose digits: none of those that the tests read. */
function varint(bytes: Buffer, start: number) {
  let value = 0;
  let at = start;
  for (let factor = 1; ; factor *= 128, at++) {
    value += (bytes[at]! & 127) * factor;
    if (bytes[at]! < 128) return { value, next: at + 1 };
  }
}

const inside = (message: Buffer, number: number) => fieldsOf(message).filter((field) => field.number === number);

const spansIn = (request: Buffer): readonly ReceivedSpan[] =>
  inside(request, 1)
    .flatMap(({ bytes }) => inside(bytes, 2))
    .flatMap(({ bytes }) => inside(bytes, 2))
    .map(({ bytes }) => spanOf(bytes));

function spanOf(message: Buffer): ReceivedSpan {
  const bytes = (number: number) => inside(message, number)[0]?.bytes ?? Buffer.alloc(0);
  const attributes = inside(message, 9).map((field) => {
    const [key] = inside(field.bytes, 1);
    const [value] = inside(field.bytes, 2);
    const [content] = value ? fieldsOf(value.bytes) : [];
    return [key!.bytes.toString(), content?.number === 1 ? content.bytes.toString() : content?.value];
  });
  return {
    traceId: bytes(1).toString("hex"),
    spanId: bytes(2).toString("hex"),
    parentSpanId: bytes(4).toString("hex"),
    name: bytes(5).toString(),
    kind: inside(message, 6)[0]?.value ?? 0,
    attributes: Object.fromEntries(attributes),
    // 2 is the code of errors
    isFailed: inside(bytes(15), 3)[0]?.value === 2,
  };
}
