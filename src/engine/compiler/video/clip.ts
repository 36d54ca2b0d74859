import { isPosed } from "../../timeline/clip-effects.ts";
import { isTrack } from "../../timeline/focus.ts";
import { type FrameRange, type FrameRate, framesIn, toSeconds } from "../../timeline/time.ts";
import type { Canvas, Timeline } from "../../timeline/timeline.ts";
import { isPaced } from "../../timeline/track.ts";
import { blur, format, solidColor } from "../filters/color.ts";
import {
  asSeen,
  crop,
  cropRegion,
  evenSize,
  type Point,
  pad,
  paintOver,
  type Region,
  type Size,
  scale,
  setSquarePixels,
  zoom,
} from "../filters/geometry.ts";
import { extractAlpha } from "../filters/mask.ts";
import {
  constantFrameRate,
  holdLastFrame,
  loopFirstFrame,
  resetTimestamps,
  reverseFrames,
  sampleFromZero,
  shiftBack,
  trim,
} from "../filters/time.ts";
import { input, type Video } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";
import { type ClipUse, seekTo } from "./clip-use.ts";
import { drawEffects } from "./effects/effects.ts";
import { centerOffset, containSize, coverSize, isSameSize, isWholeFrame, regionAround } from "./fit.ts";
import { type Path, pathOf, positionIn, windowOf } from "./follow.ts";
import { paceFrames } from "./pace.ts";
import { toRec709 } from "./rec709.ts";
import { blackGround, isGroundOfAlpha } from "./transparency.ts";
import { cropForWindow, type Window } from "./window.ts";

type Output = Pick<Timeline, "canvas" | "rate" | "background">;

/** The part of a clip's frames to draw: a region, or a window of the scaled frames. Default: the whole frames. */
type Part = { readonly region?: Region; readonly window?: Window };

/** Draws a clip's frames at any size, opaque and in BT.709. */
type DrawAtSize = (size: Size, part?: Part) => Video;

/** The used frames of a clip on the whole canvas, with timestamps from 0; `mask` are gray frames. */
export function drawClip(use: ClipUse, output: Output, mask?: Video): Video {
  const { facts } = use.clip.source;
  const source = { width: facts.width ?? output.canvas.width, height: facts.height ?? output.canvas.height };
  const draw = facts.kind === "image" ? imageDrawing(use, output) : videoDrawing(use, output, source);
  const fitted = fits[use.clip.fit](
    draw,
    { ...output, frames: framesIn(use.frames) },
    source,
    focusOf(use, output.rate),
  );
  const video = resetTimestamps(setSquarePixels(fitted), output.rate);
  const { effects } = use.clip;
  if (!effects) return video;
  const size = use.clip.fit === "contain" ? containSize(output.canvas, source) : output.canvas;
  const picture = { ...size, ...centerOffset(output.canvas, size) };
  const { background = blackGround } = output;
  const ground = isGroundOfAlpha(output.background) ? undefined : background;
  return drawEffects(video, effects, use.frames, { ...output, ground, picture, mask });
}

/** The used frames of a clip at a size, cropped to a window of even numbers, with timestamps from 0. */
export function drawPart(use: ClipUse, rate: FrameRate, size: Size, window: Window): Video {
  const { width = size.width, height = size.height } = use.clip.source.facts;
  const draw = videoDrawing(use, { canvas: size, rate }, { width, height });
  return resetTimestamps(setSquarePixels(draw(size, isSameSize(size, window) ? {} : { window })), rate);
}

/** The alpha of a clip's used frames as gray frames of the canvas's size. */
export function drawAlpha(use: ClipUse, { canvas, rate }: Pick<Output, "canvas" | "rate">): Video {
  const used = trim(framesFrom(use, rate), { start: 0, end: framesIn(use.frames) });
  return resetTimestamps(setSquarePixels(scale(format(extractAlpha(used), "gray"), canvas)), rate);
}

/** Computes the path of a canvas in frames that are scaled to a size. */
type Following = { readonly frames: FrameRange; path(size: Size, canvas: Canvas): Path };

function focusOf(use: ClipUse, rate: FrameRate): Point | Following | undefined {
  const { clip, frames } = use;
  const { focus: track } = clip;
  if (!track || !isTrack(track)) return track;
  const toleranceSeconds = lateness(use, rate) / 1e6;
  return { frames, path: (size, canvas) => pathOf({ clip, track, rate, toleranceSeconds, size, canvas }) };
}

type FittedOutput = Output & { readonly frames: number };

type Fit = (draw: DrawAtSize, output: FittedOutput, source: Size, focus?: Point | Following) => Video;

const fits: Record<ClipUse["clip"]["fit"], Fit> = {
  contain: (draw, { canvas, rate, background, frames }, source) => {
    const size = containSize(canvas, source);
    if (isSameSize(size, canvas)) return draw(size);
    const at = centerOffset(canvas, size);
    if (!background) return pad(draw(size), canvas, at);
    return paintOver(solidColor(background, canvas, rate, frames), resetTimestamps(draw(size), rate), at);
  },
  cover: (draw, { canvas }, source, focus) => coverCanvas(draw, canvas, source, focus),
  blur: (draw, { canvas }, source) => {
    const size = containSize(canvas, source);
    if (isSameSize(size, canvas)) return draw(size);
    // blurred at an eighth of the size and enlarged: the same style for a fraction of the work
    const small = { width: backdropSide(canvas.width), height: backdropSide(canvas.height) };
    const backdrop = scale(blur(coverCanvas(draw, small, source), 3), canvas);
    return paintOver(backdrop, draw(size), centerOffset(canvas, size));
  },
};

function coverCanvas(draw: DrawAtSize, canvas: Canvas, source: Size, focus?: Point | Following): Video {
  if (focus && "x" in focus) return draw(canvas, { region: regionAround(focus, canvas, source) });
  const size = coverSize(canvas, source);
  if (isSameSize(size, canvas)) return draw(size);
  if (!focus) return draw(size, { window: { ...canvas, ...centerOffset(size, canvas) } });
  const path = focus.path(size, canvas);
  const window = windowOf(path, canvas);
  const drawn = draw(size, { window });
  return isSameSize(window, canvas) ? drawn : crop(drawn, canvas, positionIn(path, window, focus.frames));
}

const backdropSide = (length: number) => Math.max(16, evenSize(length / 8));

const sizeOf = ({ width, height }: Region, frame: Size): Size => ({
  width: width * frame.width,
  height: height * frame.height,
});

const cropTo = (video: Video, region?: Region): Video =>
  region && !isWholeFrame(region) ? cropRegion(video, region) : video;

function videoDrawing(use: ClipUse, output: Output, source: Size): DrawAtSize {
  const { rate } = output;
  const { firstUse = use } = use;
  const frames = framesIn(use.frames);
  const { picture } = use.clip.source.facts;
  const used = trim(framesFrom(firstUse, rate), toUseFrames(firstUse, use.frames));
  const reverse = use.clip.reverses && frames > 1 ? reverseFrames : asIs;
  const convert = (video: Video, from: Size, to: Size) =>
    toRec709(video, { from, to }, picture, (scaled) => overBackground(scaled, to, frames, output));
  return (size, { region, window } = {}) => {
    // all frames of a reversed use are kept in memory: at the smaller size
    const isSmaller = source.width * source.height <= size.width * size.height;
    const [first, then] = isSmaller ? [reverse(used), asIs] : [used, reverse];
    if (!window) return then(convert(cropTo(first, region), region ? sizeOf(region, source) : source, size));
    const { part, scaled, at } = cropForWindow(source, size, window);
    // scaled first, because frames may have pixels that are not square, or another size in mid-stream
    const cropped = isSameSize(part, source) ? first : crop(scale(first, source), part, part);
    return then(crop(convert(cropped, part, scaled), window, at));
  };
}

const asIs = (video: Video): Video => video;

const timedStreams = new WeakMap<ClipUse, Video>();

/** The endless frames of an input at the output rate. All uses of the input read one stream. */
function framesFrom(firstUse: ClipUse, rate: FrameRate): Video {
  const known = timedStreams.get(firstUse);
  if (known) return known;
  const fine = finerThanSources(rate);
  const offset = Math.round(seekTo(firstUse, rate).offsetSeconds * 1e6);
  const tolerance = lateness(firstUse, rate);
  const upright = asSeen(input("video", firstUse.inputIndex), firstUse.clip.source.facts.picture);
  // two rates: the fine one skips no frame, so the last frame can be held even if all frames lie before time zero
  const steady = isPaced(firstUse.clip)
    ? paceFrames(upright, firstUse, { rate, maxSourceRate, tolerance })
    : holdLastFrame(constantFrameRate(shiftBack(upright, offset + tolerance, fine), fine));
  const timed = sampleFromZero(steady, rate);
  timedStreams.set(firstUse, timed);
  return timed;
}

/** Frames of a clip, counted from the start of a use. */
const toUseFrames = (use: ClipUse, { start, end }: FrameRange): FrameRange => ({
  start: start - use.frames.start,
  end: end - use.frames.start,
});

const overBackground = (video: Video, size: Size, frames: number, { rate, background }: Output): Video =>
  paintOver(solidColor(background ?? "black", size, rate, frames), resetTimestamps(format(video, "yuva420p"), rate), {
    x: 0,
    y: 0,
  });

/** Microseconds by which a frame may be late. */
const lateness = (use: ClipUse, rate: FrameRate): number =>
  Math.max(clockTolerance(use), halfFrameTolerance(use, rate));

/** The tolerance of rounding: files round times to ticks. */
function clockTolerance({ clip }: ClipUse): number {
  const { container, picture } = clip.source.facts;
  const ticks = picture?.clockTicks ?? (container === "matroska" ? 1000 : 90_000);
  return 10 + Math.ceil(500_000 / Math.max(ticks, 1000));
}

/**
 * Half a frame, in microseconds, for a source at the output rate: each output frame then shows the nearest frame. AAC
 * priming makes the video of such a file start a fraction of a frame late, and the fraction depends on the demuxer.
 */
function halfFrameTolerance({ clip }: ClipUse, rate: FrameRate): number {
  const { frameRate = 0, startSeconds = 0 } = clip.source.facts.picture ?? {};
  const frameSeconds = toSeconds(1, rate);
  const isSameRate = Math.abs(frameRate * frameSeconds - 1) < 0.005;
  return isSameRate && startSeconds > 0 ? Math.floor(frameSeconds * 5e5) - 1 : 0;
}

const maxSourceRate = 240;

/** A multiple of the rate that has a frame of its own for every frame of a source. */
const finerThanSources = ({ num, den }: FrameRate): FrameRate => ({
  num: num * Math.ceil((maxSourceRate * den) / num),
  den,
});

/** One opaque frame of a picture that is stretched to the canvas. */
export const drawPicture = (picture: Video, { canvas, rate }: Pick<Output, "canvas" | "rate">): Video =>
  overBackground(scale(picture, canvas, { toRec709: true }), canvas, 1, { canvas, rate });

/** Images zoom in by 8 % over the length of their clip, unless it says itself how they lie. */
function imageDrawing(use: ClipUse, output: Output): DrawAtSize {
  const { rate } = output;
  const last = Math.max(1, framesIn(use.clip.range) - 1);
  // perspective counts frames from 1
  const progress = `min((on-1+${printNumber(use.frames.start)})/${printNumber(last)},1)`;
  return (size, { region, window } = {}) => {
    const image = cropTo(input("video", use.inputIndex), region);
    const opaque = overBackground(scale(image, size, { toRec709: true }), size, 1, output);
    const still = trim(loopFirstFrame(opaque), { start: 0, end: framesIn(use.frames) });
    if (isPosed(use.clip.effects)) {
      const posed = resetTimestamps(still, rate);
      return window ? crop(posed, window, window) : posed;
    }
    // eased as 3x² - 2x³: starts and stops gradually
    const zoomed = zoom(resetTimestamps(still, rate), `1+0.08*st(0,${progress})*ld(0)*(3-2*ld(0))`);
    return window ? crop(zoomed, window, window) : zoomed;
  };
}
