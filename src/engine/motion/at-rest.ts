import type { DrawnState, Overlay, TextContent } from "../timeline/overlay.ts";
import type { Point } from "../timeline/place.ts";
import type { FrameRange, FrameRate } from "../timeline/time.ts";
import { moveSeconds, restingState } from "./state.ts";

/** A text as it rests on the canvas; its sides are enlarged alike. */
export type RestingText = {
  readonly content: TextContent;
  readonly rotationDegrees: number;
  readonly opacity: number;
};

/** Maps points of a layer's canvas, enlarges lengths by `scale`, and turns by `degrees`. */
type Mapping = { at(point: Point): Point; readonly scale: number; readonly degrees: number; readonly opacity: number };

const identity: Mapping = { at: (point) => point, scale: 1, degrees: 0, opacity: 1 };

/** The texts of a layer at rest, with those of the layers in it. */
export function textsAtRest(overlay: Overlay, rate: FrameRate): readonly RestingText[] {
  const state = restingState(overlay, rate);
  return state ? textsIn(state, identity) : [];
}

function textsIn(state: DrawnState, outer: Mapping): readonly RestingText[] {
  const { content, effects, view, opacity, rotationDegrees } = state;
  const scaled = Math.max(Math.abs(effects?.scaleX ?? 1), Math.abs(effects?.scaleY ?? 1));
  const inView = view ? { scale: view.scale, x: view.x, y: view.y } : { scale: 1, x: 0, y: 0 };
  const place = (point: Point) =>
    outer.at({ x: point.x * inView.scale + inView.x, y: point.y * inView.scale + inView.y });
  const scale = outer.scale * inView.scale * scaled;
  const degrees = outer.degrees + rotationDegrees;
  if (content.kind === "text") {
    const { anchor } = content;
    return [
      {
        content: { ...content, anchor: { ...anchor, ...place(anchor) }, scale: (content.scale ?? 1) * scale },
        rotationDegrees: degrees,
        opacity: outer.opacity * opacity,
      },
    ];
  }
  if (content.kind !== "group") return [];
  const { box } = content;
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const turn = turned(rotationDegrees);
  const at = (point: Point) => {
    const moved = turn({ x: (point.x - box.width / 2) * scaled, y: (point.y - box.height / 2) * scaled });
    return place({ x: middle.x + moved.x, y: middle.y + moved.y });
  };
  return content.layers.flatMap((layer) => textsIn(layer, { at, scale, degrees, opacity: outer.opacity * opacity }));
}

function turned(degrees: number): (point: Point) => Point {
  const radians = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
  return ({ x, y }) => ({ x: x * cos - y * sin, y: x * sin + y * cos });
}

/** The frames between the entrance and the exit of an overlay; one frame at least. */
export function restOf({ range, motion }: Overlay, rate: FrameRate): FrameRange {
  if (!motion) return range;
  const fps = rate.num / rate.den;
  const { enter, exit } = moveSeconds(motion);
  const start = Math.min(range.end - 1, range.start + Math.ceil(enter * fps - 1e-6));
  return { start, end: Math.max(start + 1, range.end - Math.ceil(exit * fps - 1e-6)) };
}
