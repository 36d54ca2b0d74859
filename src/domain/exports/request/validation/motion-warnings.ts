import { flashesOf, moveSeconds } from "../../../../engine/ports.ts";
import { estimatedBox } from "../../../../engine/timeline/estimate.ts";
import type { Motion } from "../../../../engine/timeline/motion.ts";
import type { Overlay } from "../../../../engine/timeline/overlay.ts";
import { toSeconds } from "../../../../engine/timeline/time.ts";
import { toHundredths } from "../../../../platform/values.ts";
import type { ExportLayout } from "../resolve.ts";
import type { Rules, WarningDetail } from "../warnings.ts";

type Layout = Pick<ExportLayout, "overlays" | "timeline">;

/** Warnings about the motion that a request declares, at rest and on the way. */
export const motionRules: Rules<Layout> = {
  motion_too_short: perMotion(tooShort),
  motion_cut: perMotion(cut),
  text_read_time: readTimes,
  flashing: flashing,
};

type Moving = Overlay & { readonly motion: Motion };

const isMoving = (overlay: Overlay | undefined): overlay is Moving => overlay?.motion !== undefined;

function perMotion(find: (overlay: Moving, layout: Layout) => readonly WarningDetail[]) {
  return (layout: Layout): readonly WarningDetail[] =>
    layout.overlays.flatMap(({ path, overlay }) =>
      isMoving(overlay) ? find(overlay, layout).map((detail) => ({ ...detail, path: `${path}.${detail.path}` })) : [],
    );
}

/** Fewer frames look like a cut. */
const minFrames = 3;

function tooShort({ motion }: Moving, { timeline: { rate } }: Layout): readonly WarningDetail[] {
  const lengths = moveSeconds(motion);
  const frameSeconds = toSeconds(1, rate);
  return (["enter", "exit"] as const).flatMap((field) => {
    const frames = lengths[field] / frameSeconds;
    if (!motion[field] || frames >= minFrames - 1e-6) return [];
    const message = `It lasts ${toHundredths(frames)} frames, which looks like a cut: give it at least ${minFrames}.`;
    return [{ path: field, message }];
  });
}

function cut({ motion }: Moving): readonly WarningDetail[] {
  const { enter, exit, seconds } = motion;
  const wanted = (enter?.seconds ?? 0) + (exit?.seconds ?? 0);
  if (wanted <= seconds + 1e-6) return [];
  const both = enter && exit ? "The entrance and the exit last" : enter ? "The entrance lasts" : "The exit lasts";
  const message = `${both} ${toHundredths(wanted)} s, and the layer is visible for ${toHundredths(seconds)} s: they are shortened to fit.`;
  return [{ path: enter ? "enter" : "exit", message }];
}

const wordsPerSecond = 3;
const lettersPerSecond = 12;
const withoutSpaces = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** The seconds that reading takes. Words of scripts without spaces count by their letters. */
function readingSeconds(text: string): number {
  const words = text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const spaced = words.filter((word) => !withoutSpaces.test(word));
  const letters = words.filter((word) => withoutSpaces.test(word)).join("");
  return spaced.length / wordsPerSecond + [...letters].length / lettersPerSecond;
}

function readTimes({ overlays, timeline: { rate } }: Layout): readonly WarningDetail[] {
  return overlays.flatMap(({ path, overlay }) => {
    if (!isMoving(overlay) || overlay.content.kind !== "text") return [];
    const lengths = moveSeconds(overlay.motion);
    const shown = toSeconds(overlay.range.end - overlay.range.start, rate);
    const rest = Math.max(0, shown - lengths.enter - lengths.exit);
    const needed = readingSeconds(overlay.content.text);
    if (rest >= needed - 1e-6) return [];
    const message = `The text is at rest for ${toHundredths(rest)} s, and reading it takes about ${toHundredths(needed)} s: show it longer, or shorten its motion.`;
    return [{ path: `${path}.text`, message }];
  });
}

/** As in WCAG 2.2: more flashes a second over more than this share of the frame can cause seizures. */
const maxFlashes = 3;
const minShare = 0.25;

function flashing({ overlays, timeline: { rate, canvas } }: Layout): readonly WarningDetail[] {
  return overlays.flatMap(({ path, overlay }) => {
    if (!isMoving(overlay)) return [];
    const { width, height } = estimatedBox(overlay);
    if (width * height < minShare * canvas.width * canvas.height) return [];
    const { perSecond, at } = flashesOf(overlay, rate);
    if (perSecond <= maxFlashes) return [];
    const message = `It flashes ${perSecond} times in the second from ${toHundredths(at)} s on, over more than a quarter of the frame: more than ${maxFlashes} can cause seizures.`;
    return [{ path, message }];
  });
}
