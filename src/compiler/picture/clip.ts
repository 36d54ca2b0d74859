import { type FrameRate, framesIn, toSeconds } from "../../timeline/time.ts";
import type { Canvas, Timeline } from "../../timeline/timeline.ts";
import {
  blurred,
  cropped,
  cutOut,
  held,
  inFormat,
  looped,
  numbered,
  overlaid,
  type Part,
  type Point,
  padded,
  recoded,
  type Size,
  sampledFromZero,
  scaled,
  shiftBack,
  solid,
  squarePixels,
  steadied,
  toneMapped,
  trimmed,
  unmirrored,
  zoomed,
} from "../filters/filters.ts";
import { input, type Video } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";
import { seekTo, type Use } from "../sources.ts";
import { centered, containedIn, covering, evenSize, isSameSize, isWhole, partAround } from "./fit.ts";

type Film = Pick<Timeline, "canvas" | "rate">;

/** A clip's pictures, or a part of them, at any size, opaque, in BT.709. */
type Paint = (size: Size, part?: Part) => Video;

/** The used frames of a clip on the whole canvas, numbered from 0. */
export function drawClip(use: Use, film: Film): Video {
  const { facts } = use.clip.source;
  const own = { width: facts.width ?? film.canvas.width, height: facts.height ?? film.canvas.height };
  const paint = facts.kind === "image" ? paintStill(use, film) : paintVideo(use, film);
  return numbered(squarePixels(fits[use.clip.fit](paint, film.canvas, own, use.clip.focus)), film.rate);
}

type Fit = (paint: Paint, canvas: Canvas, own: Size, focus?: Point) => Video;

const fits: Record<Use["clip"]["fit"], Fit> = {
  contain: (paint, canvas, own) => {
    const size = containedIn(canvas, own);
    return isSameSize(size, canvas) ? paint(size) : padded(paint(size), canvas, centered(canvas, size));
  },
  cover: coverCanvas,
  blur: (paint, canvas, own) => {
    const size = containedIn(canvas, own);
    if (isSameSize(size, canvas)) return paint(size);
    // blurred small and enlarged: the same look for a fraction of the work
    const small = { width: smaller(canvas.width), height: smaller(canvas.height) };
    const backdrop = scaled(blurred(coverCanvas(paint, small, own), 3), canvas);
    return overlaid(backdrop, paint(size), centered(canvas, size));
  },
};

function coverCanvas(paint: Paint, canvas: Canvas, own: Size, focus?: Point): Video {
  if (focus) return paint(canvas, partAround(focus, canvas, own));
  const size = covering(canvas, own);
  return isSameSize(size, canvas) ? paint(size) : cropped(paint(size), canvas, centered(size, canvas));
}

const smaller = (length: number) => Math.max(16, evenSize(length / 8));

const cutTo = (video: Video, part?: Part): Video => (part && !isWhole(part) ? cutOut(video, part) : video);

function paintVideo(use: Use, { rate }: Film): Paint {
  const fine = finerThanSources(rate);
  const frames = framesIn(use.frames);
  const { picture } = use.clip.source.facts;
  const offset = Math.round(seekTo(use, rate).offsetSeconds * 1e6) + Math.max(clockSlack(use), nearness(use, rate));
  const upright = unmirrored(input("video", use.inputIndex), picture?.mirroring);
  // two rates: in the fine one no picture is skipped, so that the last can be held even when all lie before zero
  const steady = held(steadied(shiftBack(upright, offset, fine), fine));
  const shown = trimmed(sampledFromZero(steady, rate), { start: 0, end: frames });
  const { matrix = "bt709", fullRange = false } = picture ?? {};
  return (size, part) => {
    const seen = cutTo(shown, part);
    if (picture && picture.transfer !== "sdr")
      return inFormat(toneMapped(scaled(seen, size), picture.transfer), "yuv420p");
    const sized = scaled(seen, size, matrix === "rgb" ? { toRec709: true } : { fullRange });
    const opaque = picture?.hasAlpha ? overBlack(sized, size, frames, rate) : inFormat(sized, "yuv420p");
    return matrix === "bt601" || matrix === "bt2020" ? recoded(opaque, matrix) : opaque;
  };
}

/** The transparent parts of a stream show black. */
const overBlack = (video: Video, size: Size, frames: number, rate: FrameRate): Video =>
  overlaid(solid("black", size, rate, frames), numbered(inFormat(video, "yuva420p"), rate), { x: 0, y: 0 });

/** Microseconds by which a picture may lie too late, because its file rounds times to ticks. */
function clockSlack({ clip }: Use): number {
  const { container, picture } = clip.source.facts;
  const ticks = picture?.clockTicks ?? (container === "matroska" ? 1000 : 90_000);
  return 10 + Math.ceil(500_000 / Math.max(ticks, 1000));
}

/**
 * Sound that begins a little earlier keeps pictures of the film's own rate off its frames. By how much exactly depends
 * on who counts the encoder's delay, so then the nearest picture is shown: this many microseconds may it lie too late.
 */
function nearness({ clip }: Use, rate: FrameRate): number {
  const { frameRate = 0, startSeconds = 0 } = clip.source.facts.picture ?? {};
  const frameSeconds = toSeconds(1, rate);
  const isSameRate = Math.abs(frameRate * frameSeconds - 1) < 0.005;
  return isSameRate && startSeconds > 0 ? Math.floor(frameSeconds * 5e5) - 1 : 0;
}

const finestSource = 240;

/** A multiple of a rate at which every picture of a source has a frame of its own. */
const finerThanSources = ({ num, den }: FrameRate): FrameRate => ({
  num: num * Math.ceil((finestSource * den) / num),
  den,
});

/** Still pictures move a little closer, slowly, over the length of their clip. */
function paintStill(use: Use, { rate }: Film): Paint {
  const [last, first] = [Math.max(1, framesIn(use.clip.range) - 1), use.frames.start];
  // perspective counts its frames from one
  const progress = `min((on-1+${printNumber(first)})/${printNumber(last)},1)`;
  return (size, part) => {
    const picture = cutTo(input("video", use.inputIndex), part);
    const opaque = overBlack(scaled(picture, size, { toRec709: true }), size, 1, rate);
    const still = trimmed(looped(opaque), { start: 0, end: framesIn(use.frames) });
    // by eight hundredths, eased as 3x² - 2x³: it neither starts nor stops at once
    return zoomed(numbered(still, rate), `1+0.08*st(0,${progress})*ld(0)*(3-2*ld(0))`);
  };
}
