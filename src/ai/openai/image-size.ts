import type { Canvas } from "../../timeline/timeline.ts";

/** The limits of GPT Image 2 for freely chosen sizes: side lengths in steps of 16 pixels. */
const step = 16;
const maxSide = 3840;
const maxAspectRatio = 3;
const minPixels = 655_360;
const maxPixels = 8_294_400;

/** The supported size that is nearest in aspect ratio first, then in pixel count. */
export function openaiImageSize(modelId: string, requested: Canvas): string {
  const sizes = /^(gpt-image-1|chatgpt-image)/.test(modelId) ? fixedSizes : freeSizes(requested);
  const { width, height } = nearest(sizes, requested);
  return `${width}x${height}`;
}

const fixedSizes: readonly Canvas[] = [
  { width: 1024, height: 1024 },
  { width: 1536, height: 1024 },
  { width: 1024, height: 1536 },
];

/** For each valid width, the valid heights just below and above the requested aspect ratio. */
function freeSizes(requested: Canvas): readonly Canvas[] {
  const widths = Array.from({ length: maxSide / step }, (_, index) => (index + 1) * step);
  const ratio = Math.min(Math.max(requested.height / requested.width, 1 / maxAspectRatio), maxAspectRatio);
  return widths.flatMap((width) => {
    const steps = (width * ratio) / step;
    const heights = [Math.floor(steps), Math.ceil(steps)].map((count) => count * step);
    return heights.map((height) => ({ width, height })).filter(isValid);
  });
}

function isValid({ width, height }: Canvas): boolean {
  const pixels = width * height;
  const hasValidRatio = width <= height * maxAspectRatio && height <= width * maxAspectRatio;
  return hasValidRatio && height <= maxSide && pixels >= minPixels && pixels <= maxPixels;
}

/** Large, because cropping is more visible than a small difference in resolution. */
const ratioWeight = 200;

function nearest(sizes: readonly Canvas[], requested: Canvas): Canvas {
  const distance = ({ width, height }: Canvas) =>
    ratioWeight * Math.abs(Math.log((width * requested.height) / (height * requested.width))) +
    Math.abs(Math.log((width * height) / (requested.width * requested.height)));
  return sizes.reduce((best, size) => (distance(size) < distance(best) ? size : best));
}
