import type { Canvas } from "../../timeline/timeline.ts";

const step = 16;
const longestEdge = 3840;
const steepest = 3;
const leastPixels = 655_360;
const mostPixels = 8_294_400;

/** One of the sizes that the model draws: the nearest in shape, and among those of like shape in pixels. */
export function openaiImageSize(modelId: string, asked: Canvas): string {
  const sizes = /^(gpt-image-1|chatgpt-image)/.test(modelId) ? fixedSizes : freeSizes(asked);
  const { width, height } = nearest(sizes, asked);
  return `${width}x${height}`;
}

const fixedSizes: readonly Canvas[] = [
  { width: 1024, height: 1024 },
  { width: 1536, height: 1024 },
  { width: 1024, height: 1536 },
];

/** Of every legal width, the legal heights around the asked shape. */
function freeSizes({ width: askedWidth, height: askedHeight }: Canvas): readonly Canvas[] {
  const widths = Array.from({ length: longestEdge / step }, (_, index) => (index + 1) * step);
  return widths.flatMap((width) => {
    const ratio = Math.min(Math.max(askedHeight / askedWidth, 1 / steepest), steepest);
    const steps = (width * ratio) / step;
    const heights = [Math.floor(steps), Math.ceil(steps)].map((count) => count * step);
    return heights.map((height) => ({ width, height })).filter(isLegal);
  });
}

function isLegal({ width, height }: Canvas): boolean {
  const pixels = width * height;
  const isShape = width <= height * steepest && height <= width * steepest;
  return isShape && height <= longestEdge && pixels >= leastPixels && pixels <= mostPixels;
}

/** A line at the edge shows sooner than a little more or less sharpness. */
const shapeWeight = 200;

function nearest(sizes: readonly Canvas[], asked: Canvas): Canvas {
  const distance = ({ width, height }: Canvas) =>
    shapeWeight * Math.abs(Math.log((width * asked.height) / (height * asked.width))) +
    Math.abs(Math.log((width * height) / (asked.width * asked.height)));
  return sizes.reduce((best, size) => (distance(size) < distance(best) ? size : best));
}
