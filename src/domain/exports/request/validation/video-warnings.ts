import { pictureEnd } from "../../../../engine/timeline/source.ts";
import { toHundredths } from "../../../../platform/values.ts";
import type { VideoSound } from "../placement/video-sounds.ts";
import type { ExportLayout } from "../resolve.ts";
import type { Rules, WarningDetail } from "../warnings.ts";

type Layout = Pick<ExportLayout, "videos" | "timeline">;

/** Warnings about videos in layers. */
export const videoRules: Rules<Layout> = {
  source_too_short: shortVideos,
  sound_left_out: silentVideos,
};

function shortVideos({ videos, timeline: { rate } }: Layout): readonly WarningDetail[] {
  const frame = rate.den / rate.num;
  return [...videos.shown].flatMap(([{ source, sourceStartSeconds, speed, seconds, repeats }, { path, request }]) => {
    const end = pictureEnd(source.facts);
    // a keyed speed ends at any time
    if (repeats || end === undefined || request.keyframes?.speed) return [];
    const missing = sourceStartSeconds + speed * seconds - end;
    if (missing / speed < frame) return [];
    const message = `Its source ends ${toHundredths(missing / speed)} s early, and its ${request.reverse ? "last frame is held at first" : "last frame is held"}: set end, or repeat.`;
    return [{ path, message }];
  });
}

const reasons: Readonly<Record<NonNullable<VideoSound["leftOut"]>, string>> = {
  speed:
    "The sound of a video is left out whose speed is under 0.1 or over 10 with those of its groups, or has keyframes while it repeats.",
  reverse: "The sounds of reversed videos may last two minutes together: those of later ones are left out.",
  repeat: "The sounds of repeating videos may last ten minutes together: those of later ones are left out.",
  count: "A film has at most 100 sounds of videos: those of later ones, or of later rounds, are left out.",
};

function silentVideos({ videos: { sounds } }: Layout): readonly WarningDetail[] {
  const byPath = new Map(sounds.flatMap((one) => (one.leftOut ? [[one.path, reasons[one.leftOut]]] : [])));
  return [...byPath].map(([path, message]) => ({ path, message }));
}
