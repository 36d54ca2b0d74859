import { moveSeconds } from "../../../../engine/ports.ts";
import type { Motion } from "../../../../engine/timeline/motion.ts";
import type { GroupLayer, HtmlContent, Overlay, TextContent } from "../../../../engine/timeline/overlay.ts";
import type { FrameRate } from "../../../../engine/timeline/time.ts";
import { framesIn, toFrame, toSeconds } from "../../../../engine/timeline/time.ts";
import type { Canvas } from "../../../../engine/timeline/timeline.ts";
import { DomainError } from "../../../../errors.ts";
import { toHundredths } from "../../../../platform/values.ts";
import { exceededVideos, type LimitedLayer } from "./video-limit.ts";

const limits = {
  /** The pixels of all layers on one frame, in pixels of the frame and in pixels. */
  frames: 16,
  pixels: 35_000_000,
  /** Frames on which layers move, of all layers together. */
  movingFrames: 1_000_000,
  /** Layers with those that mask others, which are drawn for each. */
  layers: 2_000,
};

/** A layer of a request by its path. */
export type { LimitedLayer };

type Film = { readonly canvas: Canvas; readonly rate: FrameRate };

/** The first limit that the layers of a film exceed; undefined if they can be drawn. */
export const exceededLimit = (layers: readonly LimitedLayer[], film: Film): DomainError | undefined =>
  tooMany(layers) ?? exceededVideos(layers, film.rate) ?? tooManyPixels(layers, film) ?? tooManyFrames(layers, film);

type Layer = Overlay | GroupLayer;

/** Adds up a layer, its mask and the layers in it. Layers that several use count for each, and are visited once. */
function sumOf(own: (layer: Layer) => number): (layer: Layer) => number {
  const known = new Map<Layer, number>();
  const sum = (layer: Layer): number => {
    const found = known.get(layer);
    if (found !== undefined) return found;
    const { content, effects } = layer;
    const inner = content.kind === "group" ? content.layers.reduce((total, each) => total + sum(each), 0) : 0;
    const mask = effects?.mask?.kind === "layer" ? sum(effects.mask.layer) : 0;
    const total = own(layer) + inner + mask;
    known.set(layer, total);
    return total;
  };
  return sum;
}

type Weighed = { readonly layer: LimitedLayer; readonly weight: number };

const heaviest = (weighed: readonly Weighed[]): Weighed | undefined =>
  weighed.reduce<Weighed | undefined>((most, each) => (most && most.weight >= each.weight ? most : each), undefined);

const total = (weighed: readonly Weighed[]): number => weighed.reduce((sum, { weight }) => sum + weight, 0);

function counted(
  layers: readonly LimitedLayer[],
  weigh: (layer: Layer) => number,
  of: "frames" | "layers",
  allowed: number,
) {
  const sum = sumOf(weigh);
  const weighed = layers.map((layer) => ({ layer, weight: sum(layer.overlay) }));
  const count = Math.round(total(weighed));
  const most = heaviest(weighed);
  if (count <= allowed || !most) return undefined;
  const { path, name } = most.layer;
  return new DomainError("layers_too_large", { path, what: name, count, of, allowed });
}

const tooMany = (layers: readonly LimitedLayer[]) => counted(layers, () => 1, "layers", limits.layers);

function tooManyFrames(layers: readonly LimitedLayer[], { rate }: Film): DomainError | undefined {
  return counted(layers, (layer) => toFrame(movingSeconds(layer, rate), rate), "frames", limits.movingFrames);
}

/** At most these seconds of a layer are not at rest. */
function movingSeconds({ content, motion, ...times }: Layer, rate: FrameRate): number {
  if (content.kind === "video") return content.seconds;
  const visible = "range" in times ? toSeconds(framesIn(times.range), rate) : times.end - times.start;
  const plays = content.kind === "lottie" || (content.kind === "image" && content.plays !== undefined);
  const ofContent = content.kind === "html" ? runningSeconds(content, visible) : plays ? visible : 0;
  return Math.min(visible, ofContent + (motion ? secondsOfMotion(motion) : 0));
}

const runningSeconds = ({ moments }: HtmlContent, visible: number): number =>
  moments.reduce((sum, { from, to = visible }) => sum + Math.max(0, Math.min(to, visible) - from), 0);

function secondsOfMotion(motion: Motion): number {
  const { keyframes = {}, loop, motions = [], seconds } = motion;
  if (loop) return seconds;
  const times = Object.values(keyframes).flatMap((frames) => frames.map(({ at }) => at));
  const keyed = times.length > 0 ? Math.max(...times) - Math.min(...times) : 0;
  const { enter, exit } = moveSeconds(motion);
  return Math.min(seconds, keyed + enter + exit + motions.reduce((sum, move) => sum + move.seconds, 0));
}

/** Sweeps over the frames where layers begin and end. */
function tooManyPixels(layers: readonly LimitedLayer[], { canvas, rate }: Film): DomainError | undefined {
  const allowed = Math.min(limits.frames * canvas.width * canvas.height, limits.pixels);
  const sum = sumOf((layer) => visiblePixels(layer, canvas));
  const weighed = layers.map((layer) => ({ layer, weight: sum(layer.overlay) }));
  const edges = weighed.flatMap(({ layer: { overlay }, weight }) => [
    { frame: overlay.range.start, change: weight },
    { frame: overlay.range.end, change: -weight },
  ]);
  let [pixels, worst, worstFrame] = [0, 0, 0];
  // ends come before starts on one frame
  for (const { frame, change } of edges.sort((one, other) => one.frame - other.frame || one.change - other.change)) {
    pixels += change;
    if (pixels > worst) [worst, worstFrame] = [pixels, frame];
  }
  if (worst <= allowed) return undefined;
  const visible = ({ layer: { overlay } }: Weighed) =>
    overlay.range.start <= worstFrame && worstFrame < overlay.range.end;
  // safe because layers are visible on the worst frame
  const { path, name } = heaviest(weighed.filter(visible))!.layer;
  return new DomainError("layers_too_large", {
    ...{ path, what: name, seconds: toHundredths(toSeconds(worstFrame, rate)) },
    ...{ megapixels: inMillions(worst), allowed: inMillions(allowed) },
  });
}

const inMillions = (pixels: number): number => Number((pixels / 1e6).toPrecision(3));

/** The pixels of a layer's box inside the frame where it is largest: one that moves may lie anywhere. */
function visiblePixels({ content, effects, motion, rotationDegrees }: Layer, canvas: Canvas): number {
  const frame = canvas.width * canvas.height;
  if (content.kind === "caption") return frame;
  const largest = (name: "width" | "height" | "scale" | "scaleX" | "scaleY", value: number) =>
    Math.max(Math.abs(value), ...(motion?.keyframes?.[name] ?? []).map((each) => Math.abs(each.value)));
  const isStill = !motion && !effects && rotationDegrees === 0;
  const box = content.kind === "text" ? textSize(content, canvas) : content.box;
  if (isStill && "x" in box) return overlap(box.x, box.width, canvas.width) * overlap(box.y, box.height, canvas.height);
  const { scaleX = 1, scaleY = 1 } = effects ?? {};
  const scale = largest("scale", 1);
  const width = largest("width", box.width) * scale * largest("scaleX", 1) * Math.abs(scaleX);
  const height = largest("height", box.height) * scale * largest("scaleY", 1) * Math.abs(scaleY);
  return Math.min(width * height, frame);
}

const overlap = (start: number, length: number, room: number): number =>
  Math.max(0, Math.min(start + length, room) - Math.max(start, 0));

/** An estimate: a letter is about 0.6 em wide. */
function textSize({ text, style, scale = 1 }: TextContent, { width: room }: Canvas) {
  const { fontSize, lineHeight, maxWidth = room, maxHeight } = style;
  if (maxHeight !== undefined) return { width: maxWidth * scale, height: maxHeight * scale };
  const length = text.length * fontSize * 0.6;
  const lines = Math.ceil(length / maxWidth) + (text.match(/\n/g)?.length ?? 0);
  return { width: Math.min(length, maxWidth) * scale, height: lines * fontSize * lineHeight * scale };
}
