/** A signal that aborts with another one until `release`. */
export type LinkedSignal = { readonly signal: AbortSignal; release(): void };

/**
 * Follows a signal that lives as long as the process. AbortSignal.any is not enough: its result is kept as long as its
 * sources if anything listens, so each request would stay in memory.
 */
export function linkSignal(source: AbortSignal): LinkedSignal {
  const linked = new AbortController();
  const abort = () => linked.abort(source.reason);
  if (source.aborted) abort();
  else source.addEventListener("abort", abort, { once: true });
  return { signal: linked.signal, release: () => source.removeEventListener("abort", abort) };
}
