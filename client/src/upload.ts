import type { Asset } from "./api.ts";
import type { Connection } from "./connection.ts";
import { readError } from "./errors.ts";
import { type FormFields, randomHex, streamedForm } from "./form.ts";
import { withRetries } from "./retry.ts";
import { isServerRuntime } from "./runtime.ts";
import { type OpenSource, openSource, type UploadSource } from "./source.ts";

/** The destination of a file: the assets of a project, or a work's media. */
export type UploadTarget =
  | { readonly projectId: string; readonly workId?: undefined }
  | { readonly projectId: string; readonly workId: string; readonly slot: MediaSlot };

export type MediaSlot = "reference" | "audio" | `scene/${number}/image` | `scene/${number}/video`;

/** Bytes of the file, without the form around it; `totalBytes` is undefined for a stream. */
export type UploadProgress = { readonly sentBytes: number; readonly totalBytes: number | undefined };

export type UploadOptions = {
  /** The asset's display name; by default, the file name. */
  readonly name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** By default, the name of the File or of the path. */
  readonly filename?: string | undefined;
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The number of attempts; a stream can be sent only once. */
  readonly attempts?: number | undefined;
  /**
   * The service adds one asset per key, however often the upload is repeated within 24 hours. By default each call has
   * a new key, which makes its own retries safe; pass one to repeat an upload after your program restarts.
   */
  readonly idempotencyKey?: string | undefined;
};

/** The media in a slot of a work. */
export type UploadedMedia = { readonly ok: true; readonly url: string };

/** Files of this size and above are not sent with an expired token. */
const checkTokenFromBytes = 1024 * 1024;

/** Uploads a file; retries if the connection breaks. */
export async function uploadFile(
  connection: Connection,
  target: UploadTarget,
  source: UploadSource,
  options: UploadOptions = {},
): Promise<Asset | UploadedMedia> {
  const opened = await openSource(source, options.filename);
  const attempts = opened.isRepeatable ? (options.attempts ?? 5) : 1;
  const headers = { "idempotency-key": options.idempotencyKey ?? randomHex(16) };
  await refreshTokenFirst(connection, opened, options.signal);
  return withRetries(
    async () => {
      const response = await sendForm(connection, target, opened, headers, options);
      if (!response.ok) throw await readError(response);
      return resultOf(target, await response.json());
    },
    { attempts, signal: options.signal },
  );
}

/** The result for the music slot calls its URL `audioUrl`. */
function resultOf({ workId }: UploadTarget, body: unknown): Asset | UploadedMedia {
  // safe because the target decides which of the two the service returns
  if (workId === undefined) return body as Asset;
  const { url, audioUrl } = body as { readonly url: string; readonly audioUrl?: string };
  return { ok: true, url: audioUrl ?? url };
}

/** Refreshes first, because a refused token would waste the upload, and a stream cannot be sent again. */
async function refreshTokenFirst(connection: Connection, source: OpenSource, signal: AbortSignal | undefined) {
  if (!connection.canRefresh) return;
  if (source.isRepeatable && source.sizeBytes !== undefined && source.sizeBytes < checkTokenFromBytes) return;
  const response = await connection.fetch("/api/auth/me", { ...(signal && { signal }) });
  await response.body?.cancel();
}

function pathOf(target: UploadTarget): string {
  const project = `/api/projects/${encodeURIComponent(target.projectId)}`;
  if (target.workId === undefined) return `${project}/assets`;
  return `${project}/works/${encodeURIComponent(target.workId)}/media/${target.slot}`;
}

function fieldOf(target: UploadTarget): string {
  if (target.workId === undefined) return "file";
  return { reference: "video", audio: "audio" }[target.slot as string] ?? "file";
}

function textFields(target: UploadTarget, { name, tags }: UploadOptions): FormFields {
  if (target.workId !== undefined) return [];
  const fields: [string, string][] = [];
  if (name !== undefined) fields.push(["name", name]);
  if (tags !== undefined) fields.push(["tags", JSON.stringify(tags)]);
  return fields;
}

function sendForm(
  connection: Connection,
  target: UploadTarget,
  source: OpenSource,
  headers: Record<string, string>,
  options: UploadOptions,
): Promise<Response> {
  const form = { path: pathOf(target), field: fieldOf(target), fields: textFields(target, options), headers };
  // browsers cannot send streams over HTTP/1.1
  const isInBrowser = !isServerRuntime && connection.usesGlobalFetch;
  return isInBrowser
    ? sendFromBrowser(connection, form, source, options)
    : sendFromServer(connection, form, source, options);
}

type Form = {
  readonly path: string;
  readonly field: string;
  readonly fields: FormFields;
  readonly headers: Record<string, string>;
};

function sendFromServer(
  connection: Connection,
  { path, field, fields, headers }: Form,
  source: OpenSource,
  { onProgress, signal }: UploadOptions,
): Promise<Response> {
  const { filename, mimeType, sizeBytes } = source;
  const onSent = (sentBytes: number) => onProgress?.({ sentBytes, totalBytes: sizeBytes });
  return connection.withToken((token) => {
    const form = streamedForm(fields, { field, filename, mimeType, sizeBytes, bytes: source.chunks() }, onSent);
    const formHeaders = {
      "content-type": form.contentType,
      ...(form.sizeBytes !== undefined && { "content-length": `${form.sizeBytes}` }),
    };
    const init: RequestInit & { duplex: "half" } = {
      method: "POST",
      headers: { ...headers, ...formHeaders },
      body: form.body,
      duplex: "half",
      ...(signal && { signal }),
    };
    return connection.send(path, init, token);
  }, source.isRepeatable);
}

async function sendFromBrowser(
  connection: Connection,
  { path, field, fields, headers }: Form,
  source: OpenSource,
  { onProgress, signal }: UploadOptions,
): Promise<Response> {
  const blob = source.blob ?? (await new Response(streamOfChunks(source)).blob());
  const form = new FormData();
  for (const [name, value] of fields) form.set(name, value);
  form.set(field, blob, source.filename);
  const onSent = (sentBytes: number) =>
    onProgress?.({ sentBytes: Math.min(sentBytes, blob.size), totalBytes: blob.size });
  return connection.withToken((token) => {
    const authorization = token === undefined ? undefined : { authorization: `Bearer ${token}` };
    return sendWithXhr(`${connection.baseUrl}${path}`, form, {
      headers: { ...headers, ...authorization },
      onSent,
      signal,
    });
  });
}

function streamOfChunks(source: OpenSource): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = source.chunks()[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      // a copy, because a stream of a response does not accept shared memory
      else controller.enqueue(new Uint8Array(value));
    },
  });
}

type XhrOptions = {
  readonly headers: Record<string, string>;
  readonly onSent: (sentBytes: number) => void;
  readonly signal?: AbortSignal | undefined;
};

/** POSTs a form from a browser, where only XMLHttpRequest reports upload progress. */
function sendWithXhr(url: string, form: FormData, options: XhrOptions): Promise<Response> {
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
