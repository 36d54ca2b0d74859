/** Unlike `crypto.randomUUID`, also works without TLS. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");

/** A request without a known answer. */
type Unanswered = { readonly name: string; readonly key: string; readonly at: number };

const storageKey = "reelwright.unanswered";
/** The service forgets keys after 24 hours. */
const keptMs = 23 * 60 * 60 * 1000;
const maxKept = 50;

/** POSTs that neither create nor pay. */
const readOnly = /\/(session|estimate|validate|preview|frame)$/;
/** Headers that choose a model are part of a request, as for the service. */
const choosing = /-(provider|model-id)$/;

type Sent = {
  readonly method?: string | undefined;
  readonly url: string;
  readonly headers: Headers;
  readonly body?: unknown;
};

/** The Idempotency-Key of a request, and a function to call with its response, or without one if none came. */
export type RequestKey = { readonly key: string; end(response?: Response): Promise<void> };

/**
 * Gives each request that creates or pays an Idempotency-Key. A request whose answer was lost gets the same key when it
 * is sent again, also after a reload of the page.
 */
export function requestKeys(storage: Pick<Storage, "getItem" | "setItem">, now: () => number = Date.now) {
  const inFlight = new Set<string>();
  const read = (): readonly Unanswered[] => {
    try {
      const kept: Unanswered[] = JSON.parse(storage.getItem(storageKey) ?? "[]");
      return kept.filter(({ at }) => now() - at < keptMs);
    } catch {
      return [];
    }
  };
  const write = (kept: readonly Unanswered[]) => {
    try {
      storage.setItem(storageKey, JSON.stringify(kept.slice(-maxKept)));
    } catch {
      // without room in the browser, a key lasts for one attempt
    }
  };
  return (sent: Sent): RequestKey | undefined => {
    const { method = "GET", url } = sent;
    const path = url.replace(/[?#].*/, "");
    if (method !== "POST" || readOnly.test(path)) return undefined;
    const name = nameOf(path, sent);
    // a concurrent equal request counts as a new one
    if (inFlight.has(name)) return { key: newId(), end: async () => {} };
    const kept = read();
    const { key = newId() } = kept.find((each) => each.name === name) ?? {};
    if (!kept.some((each) => each.name === name)) write([...kept, { name, key, at: now() }]);
    inFlight.add(name);
    return {
      key,
      async end(response) {
        if (response && (await isFinal(response))) write(read().filter((each) => each.name !== name));
        inFlight.delete(name);
      },
    };
  };
}

/** False if the request may still run, or can be repeated unchanged. */
async function isFinal(response: Response): Promise<boolean> {
  if (response.ok) return true;
  if (response.status === 429 || response.status === 503) return false;
  const { code } = await response
    .clone()
    .json()
    .catch(() => ({}));
  // an answer without a code comes from a proxy
  return code !== undefined && code !== "request_in_progress";
}

function nameOf(path: string, { headers, body }: Sent): string {
  const chosen = [...headers].filter(([name]) => choosing.test(name));
  return `${path} ${hashOf(JSON.stringify([chosen, contentOf(body)]))}`;
}

const contentOf = (body: unknown): unknown =>
  body instanceof FormData
    ? [...body].map(([name, value]) => [
        name,
        value instanceof File ? [value.name, value.size, value.lastModified] : value,
      ])
    : body;

/** A 64-bit hash; `crypto.subtle` exists only on secure origins. */
function hashOf(text: string): string {
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 2_654_435_761);
    other = Math.imul(other ^ code, 1_597_334_677);
  }
  return [one, other].map((part) => (part >>> 0).toString(36)).join("-");
}
