import { reportStreamedBytes } from "../../platform/gc.ts";

/** A server that cannot be reached, that breaks off, or that sends one elsewhere. */
export class BrokenWire extends Error {
  override readonly name = "BrokenWire";
}

/** The answer was larger than any sane one; its rest was not read. */
export class OversizedAnswer extends Error {
  override readonly name = "OversizedAnswer";
}

/** Far more than any text. */
export const textAnswerBytes = 16 * 2 ** 20;

const maxRedirects = 3;

type Options = RequestInit & { timeout?: boolean };

/**
 * A fetch for keys and large answers: it counts the decoded bytes of every answer and breaks off past `maxBytes`, leaves
 * no origin, and sends every request exactly once. Throws the signal's reason, BrokenWire or OversizedAnswer.
 */
export const cappedFetch = ({ maxBytes }: { readonly maxBytes: number }): typeof fetch => {
  const send = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const answer = await onItsOrigin(new URL(String(input)), init);
    return capped(answer, maxBytes, init.signal);
  };
  // safe because the one property that fetch has besides, preconnect, is a hint
  return send as typeof fetch;
};

async function onItsOrigin(url: URL, init: RequestInit): Promise<Response> {
  const isGet = (init.method ?? "GET") === "GET";
  let answer = await once(url, init);
  for (let redirects = 0; isRedirect(answer); redirects++) {
    const target = new URL(answer.headers.get("location") ?? "", url);
    await answer.body?.cancel();
    if (!isGet || target.origin !== url.origin || redirects === maxRedirects) throw new BrokenWire("It redirects.");
    answer = await once(target, init);
  }
  return answer;
}

const isRedirect = ({ status }: Response) => [301, 302, 303, 307, 308].includes(status);

/**
 * A kept connection may have died unseen, and what is paid for cannot be sent again: so none is kept. Bun's own timeout
 * of some minutes is off: the signal has the deadline.
 */
const onceAndPatiently: Options = { keepalive: false, timeout: false, redirect: "manual" };

async function once(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, ...onceAndPatiently });
  } catch {
    // what fetch itself says may hold the address and headers
    init.signal?.throwIfAborted();
    throw new BrokenWire("The connection failed.");
  }
}

type Signal = RequestInit["signal"];

function capped(answer: Response, maxBytes: number, signal: Signal): Response {
  const { status, statusText, headers } = answer;
  const body = answer.body && cappedBody(answer.body.getReader(), maxBytes, signal);
  return new Response(body, { status, statusText, headers });
}

function cappedBody(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number, signal: Signal) {
  let bytes = 0;
  const next = async () => {
    try {
      return await reader.read();
    } catch {
      signal?.throwIfAborted();
      throw new BrokenWire("The connection broke off.");
    }
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await next();
      if (done) return controller.close();
      bytes += value.byteLength;
      if (bytes > maxBytes) {
        await reader.cancel();
        throw new OversizedAnswer("The answer is too large.");
      }
      reportStreamedBytes(value.byteLength);
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
