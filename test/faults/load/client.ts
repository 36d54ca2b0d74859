/** One attempt at a request. `status` is undefined if the connection was lost. */
export type Attempt = {
  readonly at: number;
  readonly milliseconds: number;
  readonly method: string;
  /** Without ids. */
  readonly route: string;
  readonly status?: number;
  /** The response came from the front, not from the service. */
  readonly isOfFront: boolean;
  readonly retryAfter?: string | undefined;
  readonly body?: string;
};

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
export type Reply = { readonly status: number; readonly json: any; readonly bytes: Uint8Array };

type Sent = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: () => BodyInit;
  /** Of one attempt. */
  readonly timeoutMs?: number;
  /** True for a failure that every repetition would get. */
  readonly isFinal?: (reply: Reply) => boolean;
};

const defaultTimeoutMs = 60_000;
const maxPauseMs = 2_000;

/** Sends requests as a client that follows the documentation: what was lost, 409 of a key, 429 and 503 are repeated. */
export function retryingClient(baseUrl: string, attempts: Attempt[], isStopped: () => boolean) {
  const open = new Set<{ readonly name: string; readonly since: number }>();
  async function once(path: string, sent: Sent) {
    const entry = { name: `${sent.method ?? "GET"} ${path}`, since: Date.now() };
    open.add(entry);
    return await attempt(path, sent).finally(() => open.delete(entry));
  }

  async function attempt(path: string, { method = "GET", headers = {}, body, timeoutMs }: Sent) {
    const at = Date.now();
    const common = { at, method, route: routeOf(path) };
    const since = () => Date.now() - at;
    try {
      const signal = AbortSignal.timeout(timeoutMs ?? defaultTimeoutMs);
      const response = await fetch(baseUrl + path, { method, headers, body: body?.() ?? null, signal });
      const bytes = await response.bytes();
      const retryAfter = response.headers.get("retry-after") ?? undefined;
      const text = response.status >= 400 ? new TextDecoder().decode(bytes).slice(0, 300) : "";
      const { status } = response;
      const isOfFront = /The service cannot be reached right now/.test(text);
      attempts.push({ ...common, milliseconds: since(), status, isOfFront, retryAfter, ...(text && { body: text }) });
      return { status, bytes, retryAfter, isJson: /json/.test(response.headers.get("content-type") ?? "") };
    } catch (error) {
      attempts.push({ ...common, milliseconds: since(), isOfFront: false, body: String(error) });
      return undefined;
    }
  }

  /** The first reply that no repetition would change; undefined once the load was stopped. */
  const send = async (path: string, sent: Sent = {}): Promise<Reply | undefined> => {
    while (!isStopped()) {
      const reply = await once(path, sent);
      if (reply) {
        const { status, bytes, isJson } = reply;
        const read: Reply = { status, bytes, json: isJson ? JSON.parse(new TextDecoder().decode(bytes)) : undefined };
        if (!isRepeatable(status) || sent.isFinal?.(read)) return read;
      }
      await Bun.sleep(Math.min(maxPauseMs, 1000 * Number(reply?.retryAfter ?? 0.3)));
    }
    return undefined;
  };
  return Object.assign(send, { open });
}

export type Send = ReturnType<typeof retryingClient>;

/** 409 is that of an Idempotency-Key or of a scene: the load asks for nothing else that conflicts. */
const isRepeatable = (status: number): boolean => status === 409 || status === 429 || status >= 500;

const routeOf = (path: string): string =>
  path
    .replace(/\?.*/, "")
    .replaceAll(/\/[a-z]+_[0-9A-Za-z-]+/g, "/:id")
    .replaceAll(/\/\d+(?=\/|$)/g, "/:n");

/** A multipart form with one file. */
export function formWith(field: string, bytes: Uint8Array, name: string, type: string): () => FormData {
  return () => {
    const form = new FormData();
    form.append(field, new File([new Uint8Array(bytes)], name, { type }));
    return form;
  };
}
