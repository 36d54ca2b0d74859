import type { Engine } from "../../../engine/ports.ts";
import { sha256Of } from "../../../platform/values.ts";
import type { VideoCaptions } from "../../captions/video.ts";
import type { Inputs } from "../../provenance/inputs.ts";
import { isFromTrainedModel, type Production } from "../../provenance/statement.ts";
import { canonicalJson } from "../../shared/json.ts";
import { requireFound } from "../../shared/versioned.ts";
import { type CompleteRequest, rowRequest, type StoredRequestPorts } from "../request/fill-from-editor.ts";
import { type ExportJob, requireDone } from "./jobs.ts";

/** A film as a value that determines all its bytes except the signature. */
type FilmValue = {
  readonly format: "reelwright.film";
  readonly version: 1;
  /** Equal for two films with the same bytes, on any machine. */
  readonly id: string;
  /** A complete request, which depends neither on the work nor on its editor. */
  readonly request: { readonly [field: string]: unknown };
  readonly inputs: Inputs;
  readonly timeline: string;
  readonly captions?: VideoCaptions;
  readonly engine: Engine;
};

/** Throws not_ready before the export is done, and not_found for an export of an earlier version. */
export async function filmValueOf(ports: StoredRequestPorts, job: ExportJob): Promise<FilmValue> {
  const { captions } = job;
  const stored = "row" in job.request ? await rowRequest(ports, job.request) : job.request;
  const production = requireProduction(job);
  const { inputs, timeline, engine } = production;
  const request = settled(withLanguage(stored, captions), production);
  const id = sha256Of(canonicalJson({ request: withoutIds(request), inputs, timeline, engine }));
  const film = { format: "reelwright.film", version: 1, id, request, inputs, timeline, engine } as const;
  return { ...film, ...(captions && { captions }) };
}

/** Line breaks and capitals depend on the language of the work, which another machine may not have. */
const withLanguage = (request: CompleteRequest, film: VideoCaptions | undefined): CompleteRequest =>
  request.captions && film
    ? { ...request, captions: { ...request.captions, language: film.captions.language } }
    : request;

/** Removes parts that only one service knows: the brand (its overlays stay), the models, and the work's language. */
function settled(request: CompleteRequest, { statement: { ingredients }, label: shown }: Production): CompleteRequest {
  if (!request.options) return request;
  const { brand, ...options } = request.options;
  const { disclosure } = options;
  const own = typeof disclosure === "object" ? disclosure : {};
  const label = shown
    ? { disclosure: { ...own, ...shown } }
    : disclosure === "auto" && { disclosure: ingredients.some(isFromTrainedModel) ? {} : ("off" as const) };
  return { ...request, options: { ...options, ...label } };
}

/** Throws not_ready before the export is done, and not_found for an export of an earlier version. */
export function requireProduction(job: ExportJob): Production {
  requireDone(job);
  return requireFound(job.production);
}

/** Replaces names by their files, which are the inputs. The checks of a video do not change it. */
const withoutIds = (request: CompleteRequest): unknown =>
  JSON.parse(JSON.stringify(request, (key, value) => (idFields.has(key) ? undefined : value)));

const idFields: ReadonlySet<string> = new Set([
  "projectId",
  "workId",
  "sceneIndex",
  "assetId",
  "fontAssetId",
  "transitionAssetId",
  "audioUrl",
  "gate",
  "platforms",
  "rules",
]);
