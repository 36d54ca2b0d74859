import { invalid } from "../../errors.ts";
import { halfOf, reframed } from "../../timeline/reframe.ts";
import type { Canvas, Timeline } from "../../timeline/timeline.ts";
import { longestSide } from "../shared/schemas.ts";
import type { ExportFile, ExportJob } from "./jobs.ts";
import { canvasOf } from "./resolve.ts";
import type { AspectRatio, ExportRequest } from "./schema.ts";

/** Which of its films; empty where an export has one only, as large as it was asked for. */
export type FilmTarget = AspectRatio | "";

export const targetsOf = ({ options }: Pick<ExportRequest, "options">): readonly FilmTarget[] =>
  options?.targets ?? [""];

/** An edit for each of the frames that are asked for. */
export const timelinesOf = (timeline: Timeline, request: Pick<ExportRequest, "options">): readonly Timeline[] =>
  targetsOf(request).map((target) => timelineFor(target, timeline));

export const timelineFor = (target: FilmTarget, timeline: Timeline): Timeline =>
  reframed(timeline, canvasFor(target, timeline.canvas));

/** The film of a request that is looked at: the first where none is named. A request that names no target has any. */
export function requireTarget({ options }: Pick<ExportRequest, "options">, named?: AspectRatio): FilmTarget {
  const targets = options?.targets;
  const target = named ?? targets?.[0] ?? "";
  if (target === "" || !targets || targets.includes(target)) return target;
  throw invalid("target", `Must be one of the request's targets: ${targets.join(", ")}.`);
}

/** In the target's proportions, with the shorter side as it was asked for. */
export function canvasFor(target: FilmTarget, asked: Canvas): Canvas {
  if (target === "") return asked;
  const [across = 1, down = 1] = target.split(":").map(Number);
  const unit = Math.min(asked.width, asked.height) / Math.min(across, down);
  const fitting = Math.min(unit, longestSide / Math.max(across, down));
  return { width: even(across * fitting), height: even(down * fitting) };
}

const even = (length: number): number => 2 * Math.round(length / 2);

export type FinishedFilm = Omit<ExportFile, "target"> & Canvas & { readonly target: FilmTarget };

/** The finished films of an export in the order in which they were asked for, with the sizes of their frames. */
export const finishedFilms = ({ files, request }: Pick<ExportJob, "files" | "request">): readonly FinishedFilm[] =>
  targetsOf(request).flatMap((target) => {
    const file = files.find((candidate) => candidate.target === target);
    return file ? [{ ...file, target, ...canvasFor(target, drawnCanvas(request)) }] : [];
  });

/** What was asked for is settled when an export is ordered. */
function drawnCanvas(request: ExportRequest): Canvas {
  const asked = canvasOf(request, {});
  return request.options?.quality === "draft" ? halfOf(asked) : asked;
}
