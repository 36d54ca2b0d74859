import type { FrameRenderer } from "../../../engine/ports.ts";
import { halveTimeline } from "../../../engine/timeline/reframe.ts";
import { frameAt, toSeconds } from "../../../engine/timeline/time.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { invalid } from "../../../errors.ts";
import { applyBrand } from "../../brand/branding.ts";
import type { BrandPorts } from "../../brand/resolve.ts";
import type { AspectRatio } from "../../shared/schemas.ts";
import type { Work } from "../../works/works.ts";
import { fillFromEditor } from "../request/fill-from-editor.ts";
import { type ResolveLayoutPorts, resolveLayout } from "../request/resolve.ts";
import type { ExportRequest } from "../request/schema.ts";
import { canvasOf, requireTarget, targetTimeline } from "../request/targets.ts";

export type FrameRequest = {
  readonly work: Work;
  readonly request: ExportRequest;
  /** The first target of the request by default. */
  readonly target?: AspectRatio | undefined;
  /** Another size to lay the target out in. */
  readonly canvas?: Canvas | undefined;
  readonly owner: string;
  readonly signal: AbortSignal;
};

type RenderFramePorts = BrandPorts & ResolveLayoutPorts & { readonly frameRenderer: FrameRenderer };

/** In pixels. `width` scales the frame proportionally, `maxSide` reduces it if a side is longer. */
type FrameSize = { readonly width?: number; readonly maxSide?: number };

/** Renders one frame of the request's video as PNG. */
export async function renderFrame(
  ports: RenderFramePorts,
  frameRequest: FrameRequest,
  { seconds, ...wanted }: FrameSize & { readonly seconds: number },
): Promise<Uint8Array> {
  const { timeline, ...options } = await resolveFrames(ports, frameRequest);
  const { rate, track, canvas } = timeline;
  const durationSeconds = toSeconds(track.frames, rate);
  if (!(seconds >= 0 && seconds < durationSeconds)) {
    throw invalid("t", `Must lie inside the video: from 0 to before ${Number(durationSeconds.toFixed(3))} seconds.`);
  }
  const frame = Math.min(frameAt(seconds, rate), track.frames - 1);
  return await ports.frameRenderer.frame(timeline, { ...options, frame, size: scaledSize(canvas, wanted) });
}

const maxSide = 4096;

function scaledSize(canvas: Canvas, { width: wanted = canvas.width, maxSide: bound = Infinity }: FrameSize): Canvas {
  const longerSide = wanted * Math.max(1, canvas.height / canvas.width);
  // the quotient may be just below a whole number
  const width = Math.max(1, Math.floor(wanted * Math.min(1, bound / longerSide) + 1e-6));
  const height = Math.max(1, Math.round((canvas.height * width) / canvas.width));
  if (height <= maxSide) return { width, height };
  throw invalid("width", `At this width the image would be more than ${maxSide} pixels high.`);
}

/** Renders frames of the whole video into one PNG: `columns` × `rows`, or fewer if the video has fewer frames. */
export async function renderContactSheet(
  ports: RenderFramePorts,
  frameRequest: FrameRequest,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): Promise<Uint8Array> {
  const { timeline, ...options } = await resolveFrames(ports, frameRequest);
  const frames = middleFrames(timeline.track.frames, columns * rows);
  return await ports.frameRenderer.contactSheet(timeline, { ...options, frames, columns });
}

/** Divides a video into equal parts and takes the middle frame of each. */
function middleFrames(frames: number, maxParts: number): readonly number[] {
  const parts = Math.min(frames, maxParts);
  return Array.from({ length: parts }, (_, index) => Math.floor(((index + 0.5) * frames) / parts));
}

/** Throws errors of the request's video, but not of its music, which is not looked up. */
async function resolveFrames(
  ports: BrandPorts & ResolveLayoutPorts,
  { work, request, target: named, canvas, owner, signal }: FrameRequest,
) {
  const filled = await fillFromEditor(ports, request, work);
  const brandContext = { userId: owner, projectId: work.projectId, canvas: canvasOf(filled, work) };
  const { request: complete } = await applyBrand(ports, brandContext, filled);
  // the saved targets limit the export, not what can be viewed
  const target = requireTarget(named === undefined ? complete : request, named);
  const { timeline } = await resolveLayout(ports, work, complete, { owner, signal });
  const { quality = "standard" } = complete.options ?? {};
  const sized = quality === "draft" ? halveTimeline(timeline) : timeline;
  return { timeline: targetTimeline(target, sized, canvas), quality, owner, projectId: work.projectId, signal };
}
