import { Path2D, type SKRSContext2D } from "@napi-rs/canvas";
import { type Fill, type Gradient, isGradient } from "../timeline/motion.ts";
import { type Box, isEmpty } from "./box.ts";
import { cssColor } from "./css-color.ts";
import { canvasStops } from "./gradient-stops.ts";

type CanvasGradient = ReturnType<SKRSContext2D["createLinearGradient"]>;

/**
 * Fills a path with a color, or with a gradient as CSS lays it in `box`: a linear one from corner to corner by its
 * angle, a radial one as an ellipse through the corners, a conic one about the middle.
 */
export function fillPath(context: SKRSContext2D, path: Path2D, fill: Fill, box: Box): void {
  const isEllipse = isGradient(fill) && fill.type === "radial" && !isEmpty(box);
  const stretch = isEllipse ? box.width / box.height : 1;
  context.save();
  context.scale(stretch, 1);
  const square = { ...box, x: box.x / stretch, width: box.width / stretch };
  context.fillStyle = fillStyleOf(context, fill, square);
  context.fill(stretch === 1 ? path : narrowed(path, stretch));
  context.restore();
}

/** The style of `fillPath`, but a radial gradient is a circle: a canvas has no elliptic ones. */
export function fillStyleOf(context: SKRSContext2D, fill: Fill, box: Box): string | CanvasGradient {
  if (!isGradient(fill)) return cssColor(fill);
  const gradient = gradients[fill.type](context, box, (fill.angle * Math.PI) / 180);
  for (const { at, color } of canvasStops(fill.stops)) gradient.addColorStop(at, color);
  return gradient;
}

const gradients: Record<Gradient["type"], (context: SKRSContext2D, box: Box, radians: number) => CanvasGradient> = {
  linear(context, box, radians) {
    const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
    const half = (Math.abs(box.width * sin) + Math.abs(box.height * cos)) / 2;
    const { x, y } = middle(box);
    return context.createLinearGradient(x - half * sin, y + half * cos, x + half * sin, y - half * cos);
  },
  radial(context, box) {
    const { x, y } = middle(box);
    return context.createRadialGradient(x, y, 0, x, y, Math.hypot(box.width, box.height) / 2);
  },
  conic(context, box, radians) {
    const { x, y } = middle(box);
    // a canvas counts from the right, CSS from the top
    return context.createConicGradient(radians - Math.PI / 2, x, y);
  },
};

const middle = ({ x, y, width, height }: Box) => ({ x: x + width / 2, y: y + height / 2 });

function narrowed(path: Path2D, stretch: number): Path2D {
  const result = new Path2D();
  result.addPath(path, { a: 1 / stretch, d: 1 });
  return result;
}
