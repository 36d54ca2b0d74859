import type { Previewer, PreviewPart, PreviewPlan, PreviewQuality } from "../../../engine/ports.ts";
import { toSeconds } from "../../../engine/timeline/time.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import type { Caller } from "../../accounts/caller.ts";
import { applyBrand } from "../../brand/branding.ts";
import type { BrandPorts } from "../../brand/resolve.ts";
import type { AspectRatio } from "../../shared/schemas.ts";
import { requireFound } from "../../shared/versioned.ts";
import type { Work } from "../../works/works.ts";
import { type CompleteRequest, fillFromEditor } from "../request/fill-from-editor.ts";
import { type ResolveExportPorts, resolveExport } from "../request/resolve.ts";
import type { ExportRequest } from "../request/schema.ts";
import { canvasOf, requireTarget, targetTimeline } from "../request/targets.ts";
import { type FindWarningsPorts, findWarnings } from "../request/validation/find-warnings.ts";
import { savedWarnings } from "../request/validation/saved-warnings.ts";
import type { Warning } from "../request/warnings.ts";

export type Preview = PreviewPlan & {
  readonly canvas: Canvas;
  readonly framesPerSecond: number;
  readonly frames: number;
  readonly durationSeconds: number;
  readonly delaySeconds: number;
  readonly quality: PreviewQuality;
  readonly warnings: readonly Warning[];
};

type PreviewPorts = BrandPorts & ResolveExportPorts & FindWarningsPorts & { readonly previewer: Previewer };

type PreviewRequest = {
  readonly caller: Caller;
  readonly work: Work;
  readonly request: ExportRequest;
  /** The request's quality by default, if it is a preview's. */
  readonly quality?: PreviewQuality | undefined;
  /** The first target of the request by default. */
  readonly target?: AspectRatio | undefined;
  readonly signal: AbortSignal;
};

/** Plans the video of the request. Throws every error that an export would have before it renders. */
export async function previewExport(
  ports: PreviewPorts,
  { caller, work, request, quality: wanted, target: named, signal }: PreviewRequest,
): Promise<Preview> {
  const filled = await fillFromEditor(ports, request, work);
  const owner = caller.user.id;
  const brandContext = { userId: owner, projectId: work.projectId, canvas: canvasOf(filled, work) };
  const { request: complete, use: brand } = await applyBrand(ports, brandContext, filled);
  // the saved targets limit the export, not what can be viewed
  const target = requireTarget(named === undefined ? complete : request, named);
  const quality = wanted ?? (complete.options?.quality === "draft" ? "draft" : "standard");
  const shown: CompleteRequest = {
    ...complete,
    options: { ...complete.options, quality, targets: target === "" ? undefined : [target] },
  };
  const resolved = await resolveExport(ports, caller, work, shown, signal);
  try {
    const timeline = targetTimeline(target, resolved.timeline);
    const { rate, canvas, track } = timeline;
    const found = await findWarnings(ports, { ...resolved, brand }, { owner, signal });
    const options = { owner, signal, quality, projectId: work.projectId, workId: work.id };
    const plan = await ports.previewer.plan(timeline, { ...options, isSoundLost: resolved.sounds.areDownloaded });
    return {
      ...plan,
      canvas,
      quality,
      framesPerSecond: rate.num / rate.den,
      frames: track.frames,
      durationSeconds: toSeconds(track.frames, rate),
      delaySeconds: toSeconds(plan.delayFrames, rate),
      warnings: [...found, ...savedWarnings(request, work)],
    };
  } finally {
    await resolved.dispose();
  }
}

type ReadPreviewPorts = { readonly previewer: Previewer };

/** Reads a part of a preview of the work, and renders it if it is missing. Throws not_found for an unknown preview. */
export const readPreview = async (
  { previewer }: ReadPreviewPorts,
  { id: workId, projectId }: Work,
  { preview, part, ...options }: Required<TaskOptions> & { readonly preview: string; readonly part: PreviewPart },
): Promise<Uint8Array> => requireFound(await previewer.read(preview, part, { ...options, projectId, workId }));
