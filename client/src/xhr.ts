type XhrOptions = {
  readonly headers: Record<string, string>;
  readonly onSent: (sentBytes: number) => void;
  readonly signal?: AbortSignal | undefined;
};

/** POSTs a form from a browser, where only XMLHttpRequest reports upload progress. */
export function sendWithXhr(url: string, form: FormData, options: XhrOptions): Promise<Response> {
  // a service worker has none
  if (typeof XMLHttpRequest === "undefined") return sendWithFetch(url, form, options);
  const { headers, onSent, signal } = options;
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const abort = () => xhr.abort();
    xhr.upload.onprogress = ({ loaded }) => onSent(loaded);
    xhr.onload = () => resolve(responseOf(xhr));
    // the same error that `fetch` rejects with without a connection
    xhr.onerror = () => reject(new TypeError("The upload failed: there is no connection to the service."));
    xhr.onabort = () => reject(signal?.reason);
    xhr.onloadend = () => signal?.removeEventListener("abort", abort);
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener("abort", abort, { once: true });
    xhr.open("POST", url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.send(form);
  });
}

function sendWithFetch(url: string, form: FormData, { headers, signal }: XhrOptions): Promise<Response> {
  return fetch(url, { method: "POST", headers, body: form, ...(signal && { signal }) });
}

function responseOf(xhr: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of xhr
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/)) {
    const [name, value] = line.split(/: (.*)/s);
    if (name && value !== undefined) headers.append(name, value);
  }
  return new Response(xhr.responseText || null, { status: xhr.status, statusText: xhr.statusText, headers });
}
