import { Readable } from "node:stream";
import { z } from "zod";
import { addGeneratedMedia } from "../../../domain/files/generated-media.ts";
import { storageRoom } from "../../../domain/files/storage.ts";
import { isId } from "../../../domain/shared/ids.ts";
import { sha256Of } from "../../../platform/values.ts";
import type { CreatedReview } from "../../reviews/views.ts";
import { FailedRequest } from "../calls/failures.ts";
import type { ExportView } from "../calls/follow-export.ts";
import { formWith, withSourceFile } from "../calls/source-files.ts";
import type { ToolCall } from "../calls/tool.ts";
import { type FilmView, followFilm, isAtRest, modelsOf } from "../tools/films.ts";
import { type CreativeFormat, findFormat, outputAsset } from "./formats.ts";
import { AdcpFailure, type BuildRequest, type FormatId, type Manifest } from "./protocol.ts";

/** A film as the protocol's task: its creatives are made from it once it is done. */
export type BuiltFilm = { readonly film: FilmView; readonly projectId: string };

export type Wanted = { readonly formatId: FormatId; readonly format: CreativeFormat };

/** Throws AdcpFailure for a format that the service does not make. */
export function wantedFormats(ids: readonly FormatId[], field: string): readonly Wanted[] {
  return ids.map((formatId) => {
    const format = findFormat(formatId);
    if (!format) throw new AdcpFailure("UNSUPPORTED_FEATURE", `There is no format ${formatId.id} here.`, field);
    return { formatId, format };
  });
}

/** Below the minute after which most clients give up; the film continues. */
const waitSeconds = 45;

const TextAsset = z.looseObject({ asset_type: z.literal("text"), content: z.string().max(5000) });
const ImageAsset = z.looseObject({ asset_type: z.literal("image"), url: z.url().max(8000) });

type Order = Pick<BuildRequest, "message" | "quality" | "account" | "brand"> & {
  readonly manifest?: Manifest | undefined;
  readonly key: string;
  /** Uses no model that costs money. */
  readonly isFree?: boolean;
};

/** Orders a film for all formats of a request and waits for it. The same key gets the same film. */
export async function orderFilm(call: ToolCall, order: Order, wanted: readonly Wanted[]): Promise<BuiltFilm> {
  const projectId = await projectOf(call, order);
  const assets = Object.entries(order.manifest?.assets ?? {});
  const texts = assets.flatMap(([name, asset]) => {
    const { data } = TextAsset.safeParse(asset);
    return data ? [`${name}: ${data.content}`] : [];
  });
  const text = [order.message, ...texts].filter(Boolean).join("\n").slice(0, 20_000);
  const urls = assets.flatMap(([name, asset]) => {
    const { data } = ImageAsset.safeParse(asset);
    return data && name !== outputAsset.display ? [data.url] : [];
  });
  const assetIds = await Promise.all(urls.slice(0, maxImages).map((url) => addImage(call, projectId, url, order.key)));
  const pictures = assetIds.filter((id) => id !== undefined);
  if (!text && pictures.length === 0)
    throw new AdcpFailure("INVALID_REQUEST", "Send a message, or texts and images in creative_manifest.", "message");
  const body = { ...filmOf(order, wanted), models: modelsFor(call, order), brief: { text, assetIds: pictures } };
  const path = `/api/projects/${projectId}/films`;
  const film: FilmView = await (
    await call.request(path, posted(body, { "idempotency-key": order.key, ...(!order.isFree && keysOf(call)) }))
  ).json();
  return { projectId, film: await followFilm(call, `${path}/${film.id}`, waitSeconds) };
}

const maxImages = 5;
const isDraft = ({ quality }: Order) => quality === "draft";

function filmOf(order: Order, wanted: readonly Wanted[]) {
  const videos = wanted.filter(({ format }) => format.kind === "video");
  const milliseconds = videos.map(({ formatId }) => formatId.duration_ms).find(Boolean);
  const targets = [...new Set(wanted.map(({ format }) => format.target))];
  const size = isDraft(order) ? { width: 360, height: 640 } : { width: 1080, height: 1920 };
  // a banner needs one picture
  const still = { seconds: 3, scenes: 1, voice: false, captions: false, music: false };
  if (videos.length === 0) return { targets: targets.slice(0, 4), resolution: { width: 360, height: 640 }, ...still };
  return { targets, resolution: size, seconds: milliseconds === undefined ? 15 : milliseconds / 1000 };
}

function modelsFor(call: ToolCall, order: Order): object {
  if (order.isFree) return { ...localModels, video: false };
  return { ...modelsOf(call), ...(isDraft(order) && { video: false }) };
}

const localModels = { llm: { provider: "local" }, image: { provider: "local" } };

const keysOf = ({ headers }: ToolCall) =>
  Object.fromEntries([...headers].filter(([name]) => /^x-(?:[a-z]+-)?api-key$/.test(name)));

/** The project that an account names by its id, or by the domain of its brand. */
async function projectOf(call: ToolCall, { account, brand }: Order): Promise<string> {
  const id = account && "account_id" in account ? account.account_id : undefined;
  if (typeof id === "string" && isId("proj", id)) return id;
  const own = account && "brand" in account ? (account.brand as { readonly domain: string }) : undefined;
  const name = own?.domain ?? brand?.domain ?? (typeof id === "string" ? id : "AdCP");
  const projects: readonly Named[] = await (await call.request("/api/projects?limit=1000")).json();
  const found = projects.find((project) => project.name === name);
  return (found ?? ((await (await call.request("/api/projects", posted({ name }))).json()) as Named)).id;
}

type Named = { readonly id: string; readonly name: string };

/** Undefined for a picture that could not be had: the film is made without it. */
async function addImage(call: ToolCall, projectId: string, url: string, key: string): Promise<string | undefined> {
  const path = `/api/projects/${projectId}/assets`;
  const headers = { "idempotency-key": `${key.slice(0, 200)}.${sha256Of(url).slice(0, 16)}` };
  const add = async (file: Parameters<typeof formWith>[1]) => {
    const { contentType, body } = formWith("file", file, {});
    const init = { method: "POST", headers: { ...headers, "content-type": contentType }, body };
    return ((await (await call.request(path, init)).json()) as Named).id;
  };
  const room = () => storageRoom(call.services, call.caller.user.id);
  try {
    return await withSourceFile({ ...call, args: { url } }, add, room);
  } catch (error) {
    if (leavesOut(error)) return undefined;
    throw error;
  }
}

const unreadable = [
  "url_unreachable",
  "url_not_allowed",
  "unsupported_media_type",
  "payload_too_large",
  "validation_error",
];

const leavesOut = (error: unknown) => {
  const code = error instanceof FailedRequest ? error.body.code : (error as { readonly code?: string }).code;
  return unreadable.includes(`${code}`);
};

const Built = z.looseObject({ reelwright: z.looseObject({ project_id: z.string(), film_id: z.string() }) });

/** The film that a manifest of this service names. Throws not_found for those of others. */
export async function filmOfManifest(call: ToolCall, manifest: Manifest | undefined): Promise<BuiltFilm | undefined> {
  const { data } = Built.safeParse(manifest?.ext);
  if (!data) return undefined;
  const { project_id: projectId, film_id: filmId } = data.reelwright;
  if (!isId("proj", projectId) || !isId("film", filmId)) return undefined;
  return { projectId, film: await (await call.request(`/api/projects/${projectId}/films/${filmId}`)).json() };
}

/** The user's film of a task or creative id, which is `proj_… .film_…`. */
export async function filmOfTask(call: ToolCall, taskId: string, field: string): Promise<BuiltFilm> {
  const [projectId = "", filmId = ""] = taskId.split(".");
  const reelwright = { project_id: projectId, film_id: filmId };
  const found = await filmOfManifest(call, { format_id: noFormat, assets: {}, ext: { reelwright } });
  if (!found) throw new AdcpFailure("REFERENCE_NOT_FOUND", "There is no such task or creative.", field);
  return found;
}

const noFormat = { agent_url: "", id: "none" };

export const taskIdOf = ({ projectId, film }: BuiltFilm) => `${projectId}.${film.id}`;

/** The state of a film in the protocol's words. */
export function taskStatus({ status }: FilmView) {
  if (status === "done") return "completed";
  if (status === "error") return "failed";
  if (status === "cancelled") return "canceled";
  return status === "waiting" ? "input-required" : "working";
}

export { isAtRest };

/** One creative of a film: its file under a URL that needs no token, and where it came from. */
export type Creative = {
  readonly manifest: Manifest & { readonly provenance: object };
  readonly url: string;
  readonly mimeType: string;
  readonly format: CreativeFormat;
  readonly width: number;
  readonly height: number;
  readonly expiresAt: number;
};

/** Makes the creative of a format from a finished film. `given` returns with it: its click URL and texts. */
export async function creativeOf(
  call: ToolCall,
  built: BuiltFilm,
  { format, formatId }: Wanted,
  given: Manifest | undefined,
): Promise<Creative> {
  const { film, projectId } = built;
  const made = format.kind === "video" ? await videoOf(call, built, format) : await bannerOf(call, built, format);
  const { asset, expiresAt, ...about } = made;
  const words = Object.entries(given?.assets ?? {}).filter(
    ([name, each]) => name === "click_url" || TextAsset.safeParse(each).success,
  );
  return {
    ...{ ...about, format, expiresAt, url: asset.url },
    manifest: {
      format_id: formatId,
      assets: { ...Object.fromEntries(words), [outputAsset[format.kind]]: asset },
      provenance: await provenanceOf(call, film),
      ext: { reelwright: { project_id: projectId, film_id: film.id, work_id: film.workId, export_id: film.exportId } },
    },
  };
}

/** A review link makes the file readable without a token. */
async function videoOf(call: ToolCall, { film, projectId }: BuiltFilm, { target }: CreativeFormat) {
  const { exportId, workId } = film;
  const job: ExportView = await (await call.request(`/api/exports/${exportId}`)).json();
  const file = job.files?.find((each) => each.target === target) ?? job.files?.[0];
  if (!file) throw new AdcpFailure("REFERENCE_NOT_FOUND", "The video of the film was removed.");
  const link = { exportId, target: file.target, comment: false, approve: false, expiresInDays: 30 };
  const review: z.output<typeof CreatedReview> = await (
    await call.request(`/api/projects/${projectId}/works/${workId}/reviews`, posted(link))
  ).json();
  const secret = review.url.split("/").at(-1);
  const { width, height, durationSeconds, fps, expiresAt } = review;
  const asset = {
    asset_type: "video",
    url: `${call.publicUrl}/api/reviews/${secret}/file`,
    ...{ width, height, duration_ms: Math.round(durationSeconds * 1000), frame_rate: `${fps}` },
    ...{ container_format: "mp4", video_codec: "h264", file_size_bytes: file.size },
  };
  return { asset, width, height, mimeType: "video/mp4", expiresAt };
}

const posted = (json: object, headers: Readonly<Record<string, string>> = {}) => ({
  ...{ method: "POST", body: "{}", json },
  headers: { "content-type": "application/json", ...headers },
});

/** A frame of the film, composed in the size of the banner, for a day. */
async function bannerOf(call: ToolCall, { film }: BuiltFilm, { canvas }: CreativeFormat) {
  const value: FilmValue = await (await call.request(`/api/exports/${film.exportId}/film.json`)).json();
  const at = endOf(value) - beforeEndSeconds;
  const path = `/api/export/frame?t=${at}&canvas=${canvas.width}x${canvas.height}`;
  const png = await (await call.request(path, posted(value.request))).bytes();
  const received = await call.services.files.receive(Readable.from([png]), png.byteLength);
  const url = await addGeneratedMedia(call.services, call.caller.user, received, "image");
  const asset = { asset_type: "image", url: `${call.publicUrl}${url}`, ...canvas, format: "png" };
  const expiresAt = Number(new URL(asset.url).searchParams.get("expires"));
  return { asset, ...canvas, mimeType: "image/png", expiresAt };
}

type FilmValue = {
  readonly request: { readonly options?: object; readonly clips?: readonly { readonly end?: number }[] };
};

const endOf = ({ request: { clips = [] } }: FilmValue) => Math.max(1, ...clips.map(({ end = 0 }) => end));

/** A film ends with its name and what to do next, which have moved in by then. */
const beforeEndSeconds = 0.4;

type Provenance = {
  readonly digitalSourceType: string;
  readonly hasGeneratedParts: boolean;
  readonly models: readonly { readonly provider: string; readonly model: string }[];
  readonly generator: { readonly name: string; readonly version: string };
  readonly ingredients: readonly { readonly digitalSourceType?: string }[];
};

async function provenanceOf(call: ToolCall, { exportId, endedAt }: FilmView) {
  const response = await call.request(`/api/exports/${exportId}/provenance`);
  const { hasGeneratedParts, models, generator, ingredients }: Provenance = await response.json();
  const [model] = models;
  const isDrawn = ingredients.some(({ digitalSourceType }) => digitalSourceType === "algorithmicMedia");
  return {
    digital_source_type: hasGeneratedParts
      ? "composite_with_trained_algorithmic_media"
      : isDrawn
        ? "composite_synthetic"
        : "digital_creation",
    ai_tool: model
      ? { name: model.model, provider: model.provider }
      : { name: generator.name, version: generator.version },
    human_oversight: "prompt_only",
    declared_by: { agent_url: `${call.publicUrl}/mcp`, role: "tool" },
    ...(endedAt !== undefined && { created_time: new Date(endedAt).toISOString() }),
    disclosure: { required: hasGeneratedParts },
  };
}
