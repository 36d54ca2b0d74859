import { z } from "zod";
import type { SeenFile } from "../../domain/ai/models.ts";
import { DomainError } from "../../errors.ts";
import type { Access } from "../client/credentials.ts";
import { asProviderError, failedResponse, unusable } from "../client/errors.ts";
import { cappedFetch, textAnswerBytes } from "../client/limited-fetch.ts";
import { patiently, pause } from "../client/retry.ts";

export type FilmUpload = {
  readonly access: Access;
  readonly film: Pick<SeenFile, "path" | "sizeBytes">;
  readonly mimeType: string;
};

const GoogleFile = z.object({
  name: z.string().regex(/^files\/[\w-]+$/),
  uri: z.string(),
  state: z.string().optional(),
});
type GoogleFile = z.output<typeof GoogleFile>;

const Uploaded = z.object({ file: GoogleFile });

/** Parts must be multiples of this. Sent whole, a film would be whole in memory: Bun streams no file over TLS. */
const partBytes = 8 * 2 ** 20;

const send = cappedFetch({ maxBytes: textAnswerBytes });

/** Uploads a film and answers it as soon as a model can watch it. It is kept there until `removeFilm`. */
export async function uploadFilm(upload: FilmUpload, signal: AbortSignal): Promise<GoogleFile> {
  const uploadUrl = await patiently(() => startUpload(upload, signal), signal);
  const file = await uploadParts(upload, uploadUrl, signal);
  try {
    return await watchable(upload, file, signal);
  } catch (error) {
    await removeFilm(upload.access, file);
    throw error;
  }
}

async function startUpload({ access, film, mimeType }: FilmUpload, signal: AbortSignal): Promise<string> {
  const url = uploadsUrl(access);
  const headers = {
    ...keyOf(access),
    "content-type": "application/json",
    "x-goog-upload-protocol": "resumable",
    "x-goog-upload-command": "start",
    "x-goog-upload-header-content-length": `${film.sizeBytes}`,
    "x-goog-upload-header-content-type": mimeType,
  };
  const body = JSON.stringify({ file: { display_name: "film" } });
  const response = await answerOf(access, () => send(url, { method: "POST", headers, body, signal }));
  await response.body?.cancel();
  const told = response.headers.get("x-goog-upload-url") ?? "";
  // nobody's film goes where an answer alone points to
  if (URL.canParse(told) && new URL(told).origin === new URL(url).origin) return told;
  throw unusable(access, "it names no place for the film");
}

async function uploadParts(upload: FilmUpload, url: string, signal: AbortSignal): Promise<GoogleFile> {
  const { sizeBytes } = upload.film;
  for (let offset = 0; ; offset += partBytes) {
    const part = {
      start: offset,
      end: Math.min(offset + partBytes, sizeBytes),
      isLast: offset + partBytes >= sizeBytes,
    };
    const response = await patiently(() => uploadPart(upload, url, part, signal), signal);
    if (part.isLast) return (await read(upload.access, response, Uploaded)).file;
    await response.body?.cancel();
  }
}

type Part = { readonly start: number; readonly end: number; readonly isLast: boolean };

function uploadPart({ access, film }: FilmUpload, url: string, { start, end, isLast }: Part, signal: AbortSignal) {
  const command = isLast ? "upload, finalize" : "upload";
  const headers = { "x-goog-upload-command": command, "x-goog-upload-offset": `${start}` };
  const body = Bun.file(film.path).slice(start, end);
  return answerOf(access, () => send(url, { method: "POST", headers, body, signal }));
}

/** Google looks at a film for some seconds before a model may. */
async function watchable({ access }: FilmUpload, uploaded: GoogleFile, signal: AbortSignal): Promise<GoogleFile> {
  let file = uploaded;
  for (let wait = 250; file.state === "PROCESSING"; wait = Math.min(wait * 2, 5_000)) {
    await pause(wait, signal);
    file = await patiently(() => statusOf(access, uploaded, signal), signal);
  }
  if (file.state === undefined || file.state === "ACTIVE") return file;
  throw new DomainError("provider_error", { reason: `${access.providerName} could not read the film` });
}

const statusOf = async (access: Access, { name }: GoogleFile, signal: AbortSignal): Promise<GoogleFile> =>
  read(
    access,
    await answerOf(access, () => send(`${access.baseUrl}/${name}`, { headers: keyOf(access), signal })),
    GoogleFile,
  );

/** Under a short deadline of its own, for it comes last. Never throws: after two days Google removes a film by itself. */
export async function removeFilm(access: Access, { name }: Pick<GoogleFile, "name">): Promise<void> {
  const options = { method: "DELETE", headers: keyOf(access), signal: AbortSignal.timeout(5_000) };
  try {
    await (await send(`${access.baseUrl}/${name}`, options)).body?.cancel();
  } catch {}
}

const keyOf = ({ apiKey }: Access) => ({ "x-goog-api-key": apiKey });

/** `https://host/v1beta` takes uploads at `https://host/upload/v1beta`. */
const uploadsUrl = ({ baseUrl }: Access) => `${baseUrl.replace(/\/[^/]+$/, "/upload$&")}/files`;

async function answerOf(access: Access, run: () => Promise<Response>): Promise<Response> {
  try {
    const response = await run();
    if (response.ok) return response;
    throw ofTheFilm(await failedResponse(response, access));
  } catch (error) {
    throw asProviderError(error, access);
  }
}

/** No word of models or of the request: the caller had no part in it. */
function ofTheFilm(failure: DomainError): DomainError {
  if (!["provider_model_unavailable", "provider_rejected_request"].includes(failure.code)) return failure;
  return new DomainError("provider_error", { reason: "it did not take the film" });
}

async function read<Shape>(access: Access, response: Response, shape: z.ZodType<Shape>): Promise<Shape> {
  try {
    return shape.parse(await response.json());
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError)
      throw unusable(access, "it tells nothing of the film");
    throw asProviderError(error, access);
  }
}
