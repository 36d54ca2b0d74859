import { canonicalJson } from "../../../domain/shared/json.ts";
import { sha256Of } from "../../../platform/values.ts";
import type { Arguments, Tool, ToolCall, ToolResult } from "../calls/tool.ts";
import {
  type BuiltFilm,
  type Creative,
  creativeOf,
  filmOfManifest,
  filmOfTask,
  isAtRest,
  orderFilm,
  taskIdOf,
  taskStatus,
  type Wanted,
  wantedFormats,
} from "./creatives.ts";
import { listFormats } from "./formats.ts";
import {
  AdcpFailure,
  answered,
  BuildRequest,
  CapabilitiesRequest,
  errorOf,
  FormatsRequest,
  type Manifest,
  majorVersion,
  type PreviewOne,
  PreviewRequest,
  readRequest,
  refused,
  TaskRequest,
} from "./protocol.ts";

const answer = (args: Arguments, payload: object, status?: string): ToolResult => ({
  structured: answered(args, payload, status),
});

const capabilities = async ({ args }: ToolCall): Promise<ToolResult> => {
  readRequest(CapabilitiesRequest, args);
  return answer(args, {
    adcp: { major_versions: [majorVersion], idempotency: { supported: true, replay_ttl_seconds: 24 * 60 * 60 } },
    supported_protocols: ["creative"],
    creative: { has_creative_library: false, supports_generation: true, supports_transformation: true },
    specialisms: ["creative-generative", "creative-template"],
  });
};

const agentUrl = ({ publicUrl }: Pick<ToolCall, "publicUrl">) => `${publicUrl}/mcp`;

const formats = async (call: ToolCall): Promise<ToolResult> =>
  answer(call.args, listFormats(readRequest(FormatsRequest, call.args), agentUrl(call)));

async function build(call: ToolCall): Promise<ToolResult> {
  const request = readRequest(BuildRequest, call.args);
  const { target_format_id: one, target_format_ids: many, creative_manifest: manifest, message } = request;
  // the protocol's own test client sends both, and means the list
  if (!one && !many)
    throw new AdcpFailure("INVALID_REQUEST", "Send target_format_id or target_format_ids.", "target_format_id");
  const wanted = wantedFormats(many ?? [one!], many ? "target_format_ids" : "target_format_id");
  const known = request.creative_id
    ? await filmOfTask(call, request.creative_id, "creative_id")
    : message?.trim()
      ? undefined
      : await filmOfManifest(call, manifest);
  const built = known ?? (await orderFilm(call, { ...request, manifest, key: request.idempotency_key }, wanted));
  return buildResult(call, built, wanted, { ...request, isMany: many !== undefined, manifest });
}

type Shown = Pick<BuildRequest, "include_preview" | "preview_inputs" | "preview_output_format"> & {
  readonly isMany: boolean;
  readonly manifest?: Manifest | undefined;
};

async function buildResult(call: ToolCall, built: BuiltFilm, wanted: readonly Wanted[], shown: Shown) {
  const { args } = call;
  const status = taskStatus(built.film);
  const task_id = taskIdOf(built);
  if (!isAtRest(built.film)) return answer(args, { task_id, ...progressOf(built) }, "submitted");
  if (status === "input-required") {
    const message = built.film.waitingReason ?? "The film waits for a decision.";
    return answer(args, { task_id, message, reason: "APPROVAL_REQUIRED" }, status);
  }
  if (status !== "completed") throw new AdcpFailure("CREATIVE_REJECTED", built.film.error ?? "The film was cancelled.");
  const creatives = await Promise.all(wanted.map((each) => creativeOf(call, built, each, shown.manifest)));
  const manifests = creatives.map(({ manifest }) => manifest);
  const asked = { inputs: shown.preview_inputs, output_format: shown.preview_output_format };
  const each = shown.isMany ? creatives.map((creative) => [creative]) : [creatives];
  const previews = each.map((group) => previewsOf(group, asked));
  const preview = shown.include_preview && {
    previews: previews.flatMap((made, index) =>
      made.previews.map((one) => ({
        ...one,
        ...(shown.isMany && { preview_id: `${one.preview_id}-${index}`, format_id: wanted[index]!.formatId }),
      })),
    ),
    expires_at: earliest(creatives),
  };
  return answer(args, {
    ...(shown.isMany ? { creative_manifests: manifests } : { creative_manifest: manifests[0] }),
    expires_at: earliest(creatives),
    ...(preview && { preview }),
    ...{ vendor_cost: Number(built.film.spent.amount), currency: built.film.spent.currency },
    ext: { reelwright: { creative_id: task_id, warnings: built.film.warnings } },
  });
}

function progressOf({ film: { steps } }: BuiltFilm) {
  const done = steps.filter(({ status }) => status === "done" || status === "skipped").length;
  const current = steps.find(({ status }) => status === "running")?.id;
  const percentage = Math.round((100 * done) / Math.max(1, steps.length));
  return { percentage, total_steps: steps.length, ...(current && { current_step: current }) };
}

const earliest = (creatives: readonly Creative[]) =>
  new Date(Math.min(...creatives.map(({ expiresAt }) => expiresAt))).toISOString();

const defaultInput = { name: "Default" };

/** A preview of each set of inputs. Macros change nothing here: they belong to the tags of an ad server. */
function previewsOf(creatives: readonly Creative[], { inputs, output_format = "url" }: Partial<PreviewOne>) {
  const renders = creatives.map(({ url, mimeType, format, width, height }, index) => ({
    render_id: `${format.id}-${index}`,
    output_format,
    ...(output_format !== "html" && { preview_url: url }),
    ...(output_format !== "url" && { preview_html: elementOf(url, mimeType, width, height) }),
    ...{ role: index === 0 ? "primary" : format.id, dimensions: { width, height } },
  }));
  const previews = (inputs?.length ? inputs : [defaultInput]).map((input, index) => ({
    ...{ preview_id: `preview-${index}`, renders, input },
  }));
  return { previews, expires_at: earliest(creatives) };
}

/** The URL is the service's own, so it has no character of HTML but `&`. */
function elementOf(url: string, mimeType: string, width: number, height: number): string {
  const source = `src="${url.replaceAll("&", "&amp;")}" width="${width}" height="${height}"`;
  return mimeType.startsWith("video/") ? `<video ${source} controls muted></video>` : `<img ${source} alt="">`;
}

async function preview(call: ToolCall): Promise<ToolResult> {
  const { args } = call;
  const { request_type, requests, creative_manifest, ...one } = readRequest(PreviewRequest, args);
  if (request_type === "variant")
    throw new AdcpFailure("UNSUPPORTED_FEATURE", "This agent serves no variants.", "request_type");
  if (request_type === "single") {
    if (!creative_manifest) throw new AdcpFailure("INVALID_REQUEST", "Is required.", "creative_manifest");
    const previews = await previewOf(call, { ...one, creative_manifest }, one.account);
    return answer(args, { response_type: "single", ...previews });
  }
  if (!requests) throw new AdcpFailure("INVALID_REQUEST", "Is required.", "requests");
  const results: object[] = [];
  // one at a time: each may make a film
  for (const request of requests) {
    results.push(
      await previewOf(call, request, one.account).then(
        (response) => ({ success: true, response }),
        (error) => ({ success: false, errors: [errorOf(error, "")] }),
      ),
    );
  }
  return answer(args, { response_type: "batch", results });
}

/** A manifest of this service shows its film. For others a film is made without models that cost money. */
async function previewOf(call: ToolCall, request: PreviewOne, account: PreviewRequest["account"]) {
  const { creative_manifest: manifest, format_id = manifest.format_id } = request;
  const wanted = wantedFormats([format_id], "format_id");
  const key = `preview.${sha256Of(canonicalJson({ manifest, format_id, account: account ?? {} }))}`;
  const order = {
    manifest,
    account,
    key,
    isFree: true,
    quality: "draft",
    brand: undefined,
    message: undefined,
  } as const;
  const built = (await filmOfManifest(call, manifest)) ?? (await orderFilm(call, order, wanted));
  if (built.film.status !== "done")
    throw new AdcpFailure("SERVICE_UNAVAILABLE", "The film is not done: send the request again.");
  return previewsOf(await Promise.all(wanted.map((each) => creativeOf(call, built, each, manifest))), request);
}

/** The state of a build that took longer than its call. Creatives come by build_creative with the task as creative_id. */
async function task(call: ToolCall): Promise<ToolResult> {
  const { task_id, include_result } = readRequest(TaskRequest, call.args);
  const built = await filmOfTask(call, task_id, "task_id");
  const { film } = built;
  const status = taskStatus(film);
  const times = { created_at: iso(film.createdAt), updated_at: iso(film.updatedAt) };
  const about = { task_id, task_type: "build_creative", protocol: "creative", ...times };
  const ended = film.endedAt !== undefined && { completed_at: iso(film.endedAt) };
  const error = status === "failed" && { error: { code: film.code ?? "error", message: film.error ?? "" } };
  const payload = { ...about, ...ended, ...error, progress: progressOf(built) };
  if (status !== "completed" || !include_result) return answer(call.args, payload, status);
  const ids = film.files.map(({ target }) => ({ agent_url: agentUrl(call), id: `video_${target.replace(":", "x")}` }));
  const creatives = await Promise.all(
    wantedFormats(ids, "task_id").map((each) => creativeOf(call, built, each, undefined)),
  );
  const manifests = creatives.map(({ manifest }) => manifest);
  const result = manifests.length === 1 ? { creative_manifest: manifests[0] } : { creative_manifests: manifests };
  return answer(call.args, { ...payload, result }, status);
}

const iso = (time: number) => new Date(time).toISOString();

/** A route for every user: these two tools call none. */
const needsNoScope = "listMotion";

/** The tools of a creative agent in the Ad Context Protocol. Their arguments and answers are the protocol's own. */
export const adcpTools: readonly Tool[] = [
  {
    name: "get_adcp_capabilities",
    title: "AdCP: capabilities",
    description: "For AdCP buyers: versions and protocols of this creative agent.",
    operation: needsNoScope,
    input: CapabilitiesRequest,
    isReadOnly: true,
    refused,
    run: capabilities,
  },
  {
    name: "list_creative_formats",
    title: "AdCP: formats",
    description: "For AdCP buyers: the videos and banners that build_creative makes.",
    operation: needsNoScope,
    input: FormatsRequest,
    isReadOnly: true,
    refused,
    run: formats,
  },
  {
    name: "build_creative",
    title: "AdCP: build a creative",
    description:
      "For AdCP buyers: makes a film from a brief and returns it as a creative manifest. Others use film_order.",
    operation: "orderFilm",
    input: BuildRequest,
    refused,
    run: build,
  },
  {
    name: "preview_creative",
    title: "AdCP: preview a creative",
    description: "For AdCP buyers: URLs that show a creative manifest, without cost.",
    operation: "orderFilm",
    input: PreviewRequest,
    refused,
    run: preview,
  },
];

/** Clients of the protocol call it by this name, which lists of tools do not allow. */
export const taskTool: Tool = {
  name: "tasks/get",
  title: "AdCP: a task",
  description: "Returns the state of a build.",
  operation: "getFilm",
  input: TaskRequest,
  isReadOnly: true,
  refused,
  run: task,
};
