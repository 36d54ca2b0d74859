import { reportStreamedBytes } from "../../platform/cpu.ts";

/** The server cannot be reached, breaks the connection, or redirects to another origin. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";

  /** False if the server cannot have received the request. */
  constructor(
    message: string,
    readonly mayHaveArrived = true,
  ) {
    super(message);
  }
}

/** The response exceeds its size limit. The rest was not read. */
export class ResponseTooLargeError extends Error {
  override readonly name = "ResponseTooLargeError";
}

/** Far more than the text of any model. */
export const maxTextResponseBytes = 16 * 2 ** 20;

const maxRedirects = 3;

type Send = (input: string | URL | Request, init: RequestInit) => Promise<Response>;

export const asFetch = (send: Send): typeof fetch =>
  // safe because fetch's only other property, preconnect, is a hint
  ((input: string | URL | Request, init: RequestInit = {}) => send(input, init)) as typeof fetch;

/**
 * A fetch for requests that carry keys and cost money. It limits the decoded size of each response, follows redirects
 * only for GET within the origin, and sends each request exactly once. Throws the signal's reason, NetworkError or
 * ResponseTooLargeError.
 */
export const limitedFetch = ({ maxBytes }: { readonly maxBytes: number }): typeof fetch =>
  asFetch(async (input, init) => {
    const response = await fetchSameOrigin(new URL(String(input)), init);
    return limitResponse(response, maxBytes, init.signal);
  });

async function fetchSameOrigin(url: URL, init: RequestInit): Promise<Response> {
  const isGet = (init.method ?? "GET") === "GET";
  let response = await fetchOnce(url, init);
  for (let redirects = 0; isRedirect(response); redirects++) {
    const target = new URL(response.headers.get("location") ?? "", url);
    await response.body?.cancel();
    if (!isGet || target.origin !== url.origin || redirects === maxRedirects) {
      throw new NetworkError("The redirect is not allowed.");
    }
    response = await fetchOnce(target, init);
  }
  return response;
}

const isRedirect = ({ status }: Response) => [301, 302, 303, 307, 308].includes(status);

/** No keep-alive: a paid request on a dead connection cannot be sent again. No timeout: the signal has one. */
const sendOnce: RequestInit & { timeout?: boolean } = { keepalive: false, timeout: false, redirect: "manual" };

async function fetchOnce(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, ...sendOnce });
  } catch (error) {
    // fetch's own error message may contain the URL and the headers
    init.signal?.throwIfAborted();
    throw new NetworkError("The connection failed.", !isUnconnected(error));
  }
}

/** Bun's codes for a server that refuses the connection or has no address. */
const isUnconnected = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  ["ConnectionRefused", "ECONNREFUSED", "ENOTFOUND", "FailedToOpenSocket"].includes(String(error.code));

type Signal = RequestInit["signal"];

function limitResponse(response: Response, maxBytes: number, signal: Signal): Response {
  const { status, statusText, headers } = response;
  const body = response.body && limitBody(response.body.getReader(), maxBytes, signal);
  return new Response(body, { status, statusText, headers });
}

function limitBody(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number, signal: Signal) {
  let bytes = 0;
  const readNext = async () => {
    try {
      return await reader.read();
    } catch {
      signal?.throwIfAborted();
      throw new NetworkError("The connection broke.");
    }
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await readNext();
      if (done) return controller.close();
      bytes += value.byteLength;
      if (bytes > maxBytes) {
        await reader.cancel();
        throw new ResponseTooLargeError("The response is too large.");
      }
      reportStreamedBytes(value.byteLength);
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
