import { invalid } from "../../errors.ts";
import { halved } from "../../timeline/reframe.ts";
import { frameAt, toSeconds } from "../../timeline/time.ts";
import type { Canvas, Timeline } from "../../timeline/timeline.ts";
import type { Services } from "../services.ts";
import type { Work } from "../works/works.ts";
import { completeRequest } from "./complete.ts";
import { checkExport } from "./resolve.ts";
import type { AspectRatio, ExportRequest, Quality } from "./schema.ts";
import { requireTarget, timelineFor } from "./targets.ts";

type Drawing = {
  readonly quality: Quality;
  /** Whose film it is: what was drawn is shared between films of one owner only. */
  readonly owner: string;
  readonly signal: AbortSignal;
};

/** Draws single frames of films, as an export of now would show them. Throws busy when too many wait. */
export type FrameRenderer = {
  /** A frame as PNG. */
  frame(timeline: Timeline, options: Drawing & { readonly frame: number; readonly size: Canvas }): Promise<Uint8Array>;
  /** Frames side by side, row by row, each with its time, as one PNG. */
  contactSheet(
    timeline: Timeline,
    options: Drawing & { readonly frames: readonly number[]; readonly columns: number },
  ): Promise<Uint8Array>;
};

export type FilmOrder = {
  readonly work: Work;
  readonly request: ExportRequest;
  /** Which of the request's films: the first when absent. */
  readonly target?: AspectRatio | undefined;
  readonly owner: string;
  readonly signal: AbortSignal;
};

type Ports = Pick<Services, "assets" | "workMedia" | "frameRenderer">;

/** The frame that the film of a request will show at a time, as PNG, at another width if one is named. */
export async function frameOfFilm(
  ports: Ports,
  order: FilmOrder,
  { seconds, width }: { readonly seconds: number; readonly width?: number },
): Promise<Uint8Array> {
  const { timeline, ...options } = await readOrder(ports, order);
  const { rate, track, canvas } = timeline;
  if (!(seconds >= 0 && seconds < toSeconds(track.frames, rate))) {
    const end = Number(toSeconds(track.frames, rate).toFixed(3));
    throw invalid("t", `Must lie inside the film: from 0 to before ${end} seconds.`);
  }
  const frame = Math.min(frameAt(seconds, rate), track.frames - 1);
  return await ports.frameRenderer.frame(timeline, { ...options, frame, size: sizeFor(canvas, width) });
}

const maxSide = 4096;

function sizeFor(canvas: Canvas, width = canvas.width): Canvas {
  const height = Math.max(1, Math.round((canvas.height * width) / canvas.width));
  if (height <= maxSide) return { width, height };
  throw invalid("width", `At this width the picture would be more than ${maxSide} pixels high.`);
}

/** The whole film on one picture: frames from the middles of equal parts, as many as there are places or frames. */
export async function contactSheetOf(
  ports: Ports,
  order: FilmOrder,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): Promise<Uint8Array> {
  const { timeline, ...options } = await readOrder(ports, order);
  const frames = middlesOf(timeline.track.frames, columns * rows);
  return await ports.frameRenderer.contactSheet(timeline, { ...options, frames, columns });
}

function middlesOf(frames: number, places: number): readonly number[] {
  const count = Math.min(frames, places);
  return Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * frames) / count));
}

/** What is wrong with the picture of a request is thrown here; its music is not looked for. */
async function readOrder(ports: Ports, { work, request, target: named, owner, signal }: FilmOrder) {
  const complete = completeRequest(request, work);
  const target = requireTarget(complete, named);
  const { timeline } = await checkExport(ports, work, complete);
  const { quality = "standard" } = complete.options ?? {};
  const whole = quality === "draft" ? halved(timeline) : timeline;
  return { timeline: timelineFor(target, whole), quality, owner, signal };
}
