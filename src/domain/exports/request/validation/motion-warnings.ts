import { flashesOf, moveSeconds } from "../../../../engine/ports.ts";
import { estimatedBox } from "../../../../engine/timeline/estimate.ts";
import type { Motion } from "../../../../engine/timeline/motion.ts";
import type { Overlay } from "../../../../engine/timeline/overlay.ts";
import { type FrameRate, framesIn, intersection, toFrame, toSeconds } from "../../../../engine/timeline/time.ts";
import { toHundredths } from "../../../../platform/values.ts";
import { readingSeconds } from "../reading-time.ts";
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

/** A layer of the film or of a group. */
type Shown = {
  readonly path: string;
  readonly overlay: Overlay;
  /** The frames of the film in a second of the layer's clock. */
  readonly rate: FrameRate;
};

/** The layers of a film with those in groups. */
const shownIn = ({ overlays, timeline: { rate } }: Layout): readonly Shown[] =>
  overlays.flatMap(({ path, overlay }) => (overlay ? withLayers({ path, overlay, rate }) : []));

function withLayers(shown: Shown): readonly Shown[] {
  const { path, overlay, rate } = shown;
  const { content } = overlay;
  if (content.kind !== "group") return [shown];
  const own = { num: rate.num, den: rate.den * content.speed };
  const until = framesIn(overlay.range);
  const inside = content.layers.flatMap(({ start, end, index, ...layer }) => {
    const range = intersection({ start: toFrame(start, own), end: toFrame(end, own) }, { start: 0, end: until });
    return range ? withLayers({ path: `${path}.layers.${index}`, overlay: { ...layer, range }, rate: own }) : [];
  });
  return [shown, ...inside];
}

type Moving = Shown & { readonly motion: Motion };

function perMotion(find: (moving: Moving) => readonly WarningDetail[]) {
  return (layout: Layout): readonly WarningDetail[] =>
    shownIn(layout).flatMap((shown) => {
      const { motion } = shown.overlay;
      const found = motion ? find({ ...shown, motion }) : [];
      return found.map((detail) => ({ ...detail, path: `${shown.path}.${detail.path}` }));
    });
}

/** Fewer frames look like a cut. */
const minFrames = 3;

function tooShort({ motion, rate }: Moving): readonly WarningDetail[] {
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

function readTimes(layout: Layout): readonly WarningDetail[] {
  return shownIn(layout).flatMap(({ path, overlay: { content, motion, range }, rate }) => {
    // texts without motion are timed as their editors always did
    const isTimed = motion !== undefined || path.startsWith("layers.");
    if (!isTimed || content.kind !== "text") return [];
    const { enter, exit } = motion ? moveSeconds(motion) : { enter: 0, exit: 0 };
    const shown = toSeconds(range.end - range.start, rate);
    const rest = Math.max(0, shown - enter - exit) * ownSpeed(rate, layout);
    const needed = readingSeconds(content.text);
    if (rest >= needed - 1e-6) return [];
    const message = `The text is at rest for ${toHundredths(rest)} s, and reading it takes about ${toHundredths(needed)} s: show it longer, or shorten its motion.`;
    return [{ path: `${path}.text`, message }];
  });
}

/** The seconds of the film in a second of a layer's clock. */
const ownSpeed = (own: FrameRate, { timeline: { rate } }: Layout): number => toSeconds(1, rate) / toSeconds(1, own);

/** As in WCAG 2.2: more flashes a second over more than this share of the frame can cause seizures. */
const maxFlashes = 3;
const minShare = 0.25;

function flashing(layout: Layout): readonly WarningDetail[] {
  const { rate, canvas } = layout.timeline;
  return shownIn(layout).flatMap(({ path, overlay, rate: own }) => {
    if (!overlay.motion) return [];
    const { width, height } = estimatedBox(overlay);
    if (width * height < minShare * canvas.width * canvas.height) return [];
    const { perSecond, at } = flashesOf(overlay, own, rate.num / rate.den);
    if (perSecond <= maxFlashes) return [];
    const message = `It flashes ${perSecond} times in the second from ${toHundredths(at)} s on, over more than a quarter of the frame: more than ${maxFlashes} can cause seizures.`;
    return [{ path, message }];
  });
}
