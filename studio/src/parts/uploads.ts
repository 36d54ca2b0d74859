import { signal } from "@preact/signals";
import { type Asset, keyOf, newId, pageHeader, sentenceOf } from "../api.ts";

/** A file that is being uploaded to a project. */
export type Upload = {
  readonly id: string;
  readonly projectId: string;
  readonly file: File;
  /** The sent share of its bytes, from 0 to 1. */
  readonly part: number;
  readonly asset?: Asset | undefined;
  readonly error?: string | undefined;
};

/** Uploads of all projects, which continue while other screens are shown. */
export const uploads = signal<readonly Upload[]>([]);

// a browser has six connections to a host: some are left for the page itself
const maxAtOnce = 3;
const waiting: Upload[] = [];
let running = 0;

const change = (id: string, changes: Partial<Upload>) => {
  uploads.value = uploads.value.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload));
};

/** Uploads files as assets of a project, a few at a time. */
export function addUploads(projectId: string, files: Iterable<File>): readonly Upload[] {
  const added = Array.from(files, (file) => ({ id: newId(), projectId, file, part: 0 }));
  uploads.value = [...uploads.value, ...added];
  for (const upload of added) enqueue(upload);
  return added;
}

export function retryUpload(upload: Upload): void {
  change(upload.id, { part: 0, error: undefined });
  enqueue(upload);
}

export function removeUploads(isRemoved: (upload: Upload) => boolean): void {
  uploads.value = uploads.value.filter((upload) => !isRemoved(upload));
}

function enqueue(upload: Upload): void {
  waiting.push(upload);
  void sendNext();
}

async function sendNext(): Promise<void> {
  if (running >= maxAtOnce) return;
  const next = waiting.shift();
  if (!next) return;
  // removed while waiting
  if (!uploads.value.some(({ id }) => id === next.id)) return sendNext();
  running += 1;
  try {
    const asset = await uploadAsset(next.projectId, next.file, (part) => change(next.id, { part }));
    change(next.id, { part: 1, asset });
  } catch (error) {
    change(next.id, { error: sentenceOf(error) });
  }
  running -= 1;
  void sendNext();
}

export const isUploading = ({ asset, error }: Upload): boolean => !asset && error === undefined;

// closing the page would stop the uploads
addEventListener("beforeunload", (event) => {
  if (uploads.value.some(isUploading)) event.preventDefault();
});

/** Uploads a file as an asset of a project; `fetch` would not report progress. */
export function uploadAsset(projectId: string, file: File, onProgress?: (part: number) => void): Promise<Asset> {
  const { promise, resolve, reject } = Promise.withResolvers<Asset>();
  const url = `/api/projects/${projectId}/assets`;
  const form = new FormData();
  form.set("file", file);
  const sent = keyOf({ method: "POST", url, headers: new Headers(), body: form });
  const request = new XMLHttpRequest();
  request.open("POST", url);
  for (const [name, value] of Object.entries(pageHeader)) request.setRequestHeader(name, value);
  if (sent) request.setRequestHeader("idempotency-key", sent.key);
  request.responseType = "json";
  request.upload.addEventListener("progress", ({ loaded, total }) => onProgress?.(total > 0 ? loaded / total : 0));
  request.addEventListener("load", () => {
    void sent?.end(Response.json(request.response, { status: request.status }));
    if (request.status === 201) resolve(request.response);
    else reject(new Error(request.response?.error ?? request.statusText));
  });
  request.addEventListener("error", () => {
    void sent?.end();
    reject(new TypeError("offline"));
  });
  request.send(form);
  return promise;
}
