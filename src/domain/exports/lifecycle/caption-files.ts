import { type CaptionLine, type CaptionPage, lineText } from "../../../engine/timeline/captions/track.ts";
import { type FrameRange, type FrameRate, toSeconds } from "../../../engine/timeline/time.ts";
import { DomainError, invalid } from "../../../errors.ts";
import { toThousandths } from "../../../platform/values.ts";
import type { Caller } from "../../accounts/caller.ts";
import { applyBrand } from "../../brand/branding.ts";
import type { BrandPorts } from "../../brand/resolve.ts";
import type { CaptionFormat } from "../../captions/caption-blocks.ts";
import { captionSource } from "../../captions/content.ts";
import { captionFile, pagesOn, type VideoCaptions, videoCaptions } from "../../captions/video.ts";
import type { AspectRatio } from "../../shared/schemas.ts";
import { requireFound } from "../../shared/versioned.ts";
import type { Work } from "../../works/works.ts";
import { type CompleteRequest, fillFromEditor } from "../request/fill-from-editor.ts";
import { buildLayout, requireSpokenWords } from "../request/resolve.ts";
import type { ExportRequest } from "../request/schema.ts";
import { type FindSourcesPorts, findSources } from "../request/sources.ts";
import { canvasOf, requireTarget, targetCanvas, targetsOf, type VideoTarget } from "../request/targets.ts";
import { captionWarnings } from "../request/validation/caption-warnings.ts";
import type { Warning } from "../request/warnings.ts";
import type { ExportJob } from "./jobs.ts";
import { finishedVideos } from "./view.ts";

/** The text of a caption file of an export. Throws not_found without captions or such a target, and not_ready. */
export function exportedCaptions(job: ExportJob, format: CaptionFormat, target: VideoTarget | undefined): string {
  const named = target ?? targetsOf(job.request)[0]!;
  if (!job.request.captions || !targetsOf(job.request).includes(named)) throw new DomainError("not_found", {});
  const video = finishedVideos(job).find((candidate) => candidate.target === named);
  if (!video) throw new DomainError("not_ready", {});
  const captions = requireFound(job.captions);
  return captionFile(format, pagesOn(video, captions), captions);
}

type CaptionsOrder = {
  readonly request: ExportRequest;
  /** In seconds; for a video without clips. */
  readonly duration?: number | undefined;
  /** The first target of the request by default. */
  readonly target?: AspectRatio | undefined;
};

type Seconds = { readonly start: number; readonly end: number };

type MadeCaptions = {
  readonly language?: string | undefined;
  readonly pages: readonly (Seconds & {
    readonly lines: readonly {
      readonly text: string;
      readonly words: readonly (Seconds & { readonly text: string; readonly glued: boolean })[];
    }[];
  })[];
  readonly srt: string;
  readonly vtt: string;
  readonly warnings: readonly Warning[];
};

/** The captions of an export of the request. Media of its scenes may be missing. */
export async function makeCaptions(
  ports: BrandPorts & FindSourcesPorts,
  { caller, work }: { readonly caller: Caller; readonly work: Work },
  order: CaptionsOrder,
): Promise<MadeCaptions> {
  const filled = await completeRequest(ports, work, order);
  const brandContext = { userId: caller.user.id, projectId: work.projectId, canvas: canvasOf(filled, work) };
  const { request: complete } = await applyBrand(ports, brandContext, filled);
  const target = requireTarget(order.target === undefined ? complete : order.request, order.target);
  const { errors, ...found } = await findSources(ports, work, { clips: [], captions: complete.captions });
  if (errors[0]) throw errors[0];
  const layout = buildLayout(complete, work, found);
  requireSpokenWords(complete, layout);
  const film = videoCaptions(layout.timeline)!; // safe because the request has captions, and they were read
  const canvas = targetCanvas(target, layout.timeline.canvas);
  const pages = pagesOn(canvas, film);
  return {
    language: film.captions.language,
    pages: pages.map((page) => pageView(page, film)),
    srt: captionFile("srt", pages, film),
    vtt: captionFile("vtt", pages, film),
    warnings: captionWarnings({ wordsPastEnd: 0, leftOut: [], ...layout.captions, canvas, captions: film }),
  };
}

async function completeRequest(
  ports: FindSourcesPorts,
  work: Work,
  { request, duration }: CaptionsOrder,
): Promise<CompleteRequest> {
  if (request.clips || duration === undefined) {
    const filled = await fillFromEditor(ports, request, work);
    return { ...filled, captions: filled.captions ?? {} };
  }
  const captions = request.captions ?? {};
  if (captionSource(captions) === "script")
    throw invalid("captions.from", "Must not be script: its times follow from clips.");
  const clips = [{ sceneIndex: 0, position: 0, end: duration }];
  return await fillFromEditor(ports, { ...request, captions, clips }, work);
}

const pageView = ({ range, lines }: CaptionPage, { rate }: VideoCaptions) => ({
  ...inSeconds(range, rate),
  lines: lines.map((line) => ({ text: lineText(line), words: line.map((word) => wordView(word, rate)) })),
});

const wordView = ({ text, glued, range }: CaptionLine[number], rate: FrameRate) => ({
  text,
  ...inSeconds(range, rate),
  glued,
});

const inSeconds = ({ start, end }: FrameRange, rate: FrameRate): Seconds => ({
  start: toThousandths(toSeconds(start, rate)),
  end: toThousandths(toSeconds(end, rate)),
});
