type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** A request as it was sent, with what came back. */
type Exchange = { readonly url: string; readonly headers: Headers; readonly response: Response };

/** What happens to the response of one request; every other request passes. */
export type Fault = {
  readonly matches: (url: string, init: RequestInit) => boolean;
  /** `fetch` rejects, though the service has answered. */
  readonly isLost?: boolean;
  /** The connection breaks after so many bytes of the body. */
  readonly cutAfterBytes?: number;
  /** The connection breaks after the first part of the body, such as an event. */
  readonly isCutAfterFirstChunk?: boolean;
  /** Sent instead of the request. */
  readonly instead?: () => Response;
};

/** A `fetch` over real HTTP whose connections break once for each fault, and a list of what was sent. */
export function breakingFetch(...faults: readonly Fault[]) {
  const pending = [...faults];
  const exchanges: Exchange[] = [];
  const send: Fetch = async (url, init = {}) => {
    const fault = pending.find(({ matches }) => matches(url, init));
    if (fault) pending.splice(pending.indexOf(fault), 1);
    const response = fault?.instead?.() ?? (await fetch(url, init));
    exchanges.push({ url, headers: new Headers(init.headers), response });
    if (fault?.isLost) {
      await response.body?.cancel();
      throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
    }
    if (fault?.isCutAfterFirstChunk) return cut(response, 1, (chunk) => chunk);
    return fault?.cutAfterBytes === undefined ? response : cut(response, fault.cutAfterBytes);
  };
  return { fetch: send, exchanges };
}

type Keep = (chunk: Uint8Array, leftBytes: number) => Uint8Array;

/** `keep` returns what is still delivered of a chunk. */
function cut(response: Response, afterBytes: number, keep: Keep = (chunk, left) => chunk.subarray(0, left)): Response {
  const reader = response.body!.getReader();
  let left = afterBytes;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // not with the last bytes, because an error drops those that were not read yet
        if (left <= 0) return controller.error(new TypeError("terminated"));
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(keep(value, left));
        left -= value.length;
        if (left <= 0) await reader.cancel();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, headers: response.headers });
}
