import { z } from "zod";
import type { InspectedFile } from "../../engine/ports.ts";
import { DomainError } from "../../errors.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { badResponse, readErrorResponse, toProviderError } from "../client/errors.ts";
import { limitedFetch, maxTextResponseBytes } from "../client/limited-fetch.ts";
import { exponentialBackoff, poll, withRetry } from "../client/retry.ts";
import { keyHeader } from "./auth.ts";

type VideoUpload = {
  readonly credentials: ModelCredentials;
  readonly video: Pick<InspectedFile, "path" | "sizeBytes">;
  readonly mimeType: string;
};

const GoogleFile = z.object({
  name: z.string().regex(/^files\/[\w-]+$/),
  uri: z.string(),
  state: z.string().optional(),
});
type GoogleFile = z.output<typeof GoogleFile>;

const UploadResponse = z.object({ file: GoogleFile });

/** Google requires multiples of this size. Bun streams no file over TLS: a whole one would be in memory. */
const chunkBytes = 8 * 2 ** 20;

const send = limitedFetch({ maxBytes: maxTextResponseBytes });

/** Uploads a video and returns it once a model can read it. Google stores it until `deleteVideo`. */
export async function uploadVideo(upload: VideoUpload, signal: AbortSignal): Promise<GoogleFile> {
  const uploadUrl = await withRetry(() => startUpload(upload, signal), signal);
  const file = await uploadChunks(upload, uploadUrl, signal);
  try {
    return await untilActive(upload, file, signal);
  } catch (error) {
    await deleteVideo(upload.credentials, file);
    throw error;
  }
}

async function startUpload({ credentials, video, mimeType }: VideoUpload, signal: AbortSignal): Promise<string> {
  const url = uploadsUrl(credentials);
  const headers = {
    ...keyHeader(credentials),
    "content-type": "application/json",
    "x-goog-upload-protocol": "resumable",
    "x-goog-upload-command": "start",
    "x-goog-upload-header-content-length": `${video.sizeBytes}`,
    "x-goog-upload-header-content-type": mimeType,
  };
  const body = JSON.stringify({ file: { display_name: "film" } });
  const response = await successful(credentials, () => send(url, { method: "POST", headers, body, signal }));
  await response.body?.cancel();
  const uploadUrl = response.headers.get("x-goog-upload-url") ?? "";
  // never send a user's video to another origin because a response says so
  if (URL.canParse(uploadUrl) && new URL(uploadUrl).origin === new URL(url).origin) return uploadUrl;
  throw badResponse(credentials, "it contains no valid upload URL");
}

async function uploadChunks(upload: VideoUpload, url: string, signal: AbortSignal): Promise<GoogleFile> {
  const { sizeBytes } = upload.video;
  for (let start = 0; ; start += chunkBytes) {
    const end = Math.min(start + chunkBytes, sizeBytes);
    const chunk = { start, end, isLast: start + chunkBytes >= sizeBytes };
    const response = await withRetry(() => uploadChunk(upload, url, chunk, signal), signal);
    if (chunk.isLast) return (await parseJson(upload.credentials, response, UploadResponse)).file;
    await response.body?.cancel();
  }
}

type Chunk = { readonly start: number; readonly end: number; readonly isLast: boolean };

function uploadChunk(
  { credentials, video }: VideoUpload,
  url: string,
  { start, end, isLast }: Chunk,
  signal: AbortSignal,
) {
  const command = isLast ? "upload, finalize" : "upload";
  const headers = { "x-goog-upload-command": command, "x-goog-upload-offset": `${start}` };
  const body = Bun.file(video.path).slice(start, end);
  return successful(credentials, () => send(url, { method: "POST", headers, body, signal }));
}

const statusBackoff = exponentialBackoff({ firstMs: 250, maxMs: 5_000 });

/** Google processes a video for some seconds before a model can read it. */
async function untilActive(
  { credentials }: VideoUpload,
  uploaded: GoogleFile,
  signal: AbortSignal,
): Promise<GoogleFile> {
  const file = await poll(uploaded, () => withRetry(() => statusOf(credentials, uploaded, signal), signal), {
    isDone: ({ state }) => state !== "PROCESSING",
    backoff: statusBackoff,
    signal,
  });
  if (file.state === undefined || file.state === "ACTIVE") return file;
  throw new DomainError("provider_error", { reason: `${credentials.providerName} could not read the video` });
}

async function statusOf(credentials: ModelCredentials, { name }: GoogleFile, signal: AbortSignal): Promise<GoogleFile> {
  const options = { headers: keyHeader(credentials), signal };
  const response = await successful(credentials, () => send(`${credentials.baseUrl}/${name}`, options));
  return parseJson(credentials, response, GoogleFile);
}

/** Has its own short timeout, because it runs last. Never throws: Google deletes files itself after two days. */
export async function deleteVideo(credentials: ModelCredentials, { name }: Pick<GoogleFile, "name">): Promise<void> {
  const options = { method: "DELETE", headers: keyHeader(credentials), signal: AbortSignal.timeout(5_000) };
  try {
    await (await send(`${credentials.baseUrl}/${name}`, options)).body?.cancel();
  } catch {}
}

/** `https://host/v1beta` takes uploads at `https://host/upload/v1beta`. */
const uploadsUrl = ({ baseUrl }: ModelCredentials) => `${baseUrl.replace(/\/[^/]+$/, "/upload$&")}/files`;

/** The response if its status is a success. Throws a DomainError otherwise. */
async function successful(credentials: ModelCredentials, request: () => Promise<Response>): Promise<Response> {
  try {
    const response = await request();
    if (response.ok) return response;
    throw uploadError(await readErrorResponse(response, credentials));
  } catch (error) {
    throw toProviderError(error, credentials);
  }
}

/** Errors about the model or the request would mislead the caller, who did not make the upload request. */
function uploadError(failure: DomainError): DomainError {
  if (!["provider_model_unavailable", "provider_rejected_request"].includes(failure.code)) return failure;
  return new DomainError("provider_error", { reason: "it did not accept the video" });
}

async function parseJson<Body>(
  credentials: ModelCredentials,
  response: Response,
  schema: z.ZodType<Body>,
): Promise<Body> {
  try {
    return schema.parse(await response.json());
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) {
      throw badResponse(credentials, "it does not describe the uploaded file");
    }
    throw toProviderError(error, credentials);
  }
}
