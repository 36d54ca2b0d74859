const attempts = 6;

/** The preview is no longer in the service's cache. */
export class GoneError extends Error {}

/** Downloads a part. Waits while the service is busy or unreachable. */
export async function download(url: string, signal: AbortSignal | undefined): Promise<ArrayBuffer> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, { signal: signal ?? null }).catch((error: unknown) => {
      if (signal?.aborted || attempt === attempts) throw error;
      return undefined;
    });
    if (response?.ok) return await response.arrayBuffer();
    if (response?.status === 404) throw new GoneError("The preview is not known any more.");
    if (response && (response.status !== 503 || attempt === attempts)) throw new Error(`${response.status}`);
    await new Promise((resolve) => setTimeout(resolve, 500 * attempt));
    signal?.throwIfAborted();
  }
}
