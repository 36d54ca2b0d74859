import type { KeyframeInput } from "../../exports/request/layers/inputs.ts";
import { changed, ignored, used } from "../reading/property.ts";
import { type Row, rounded } from "../reading/rows.ts";
import type { Element, ElementContext } from "./element.ts";
import { isKeyed, measureOf, numberFrames } from "./values.ts";

type Frame = KeyframeInput<number>;

/** More quarters of one turn pass within a few frames. */
const maxQuarters = 40;

/** Widths of a card that turns: a cosine of the angle, as sines from face to edge and from edge to face. */
function widths(angles: readonly Frame[], hidesBack: boolean): Frame[] {
  const widthAt = (degrees: number) => {
    const width = Math.cos((degrees * Math.PI) / 180);
    return rounded(hidesBack ? Math.max(0, width) : width);
  };
  const frames = angles.flatMap((frame, index): Frame[] => {
    const before = angles[index - 1];
    if (!before) return [{ at: frame.at, value: widthAt(frame.value) }];
    const [start, seconds, way] = [Number(before.at), Number(frame.at) - Number(before.at), frame.value - before.value];
    const quarters = Math.max(1, Math.min(maxQuarters, Math.ceil(Math.abs(way) / 90)));
    return Array.from({ length: quarters }, (_, quarter): Frame => {
      const [from, to] = [quarter, quarter + 1].map((each) => widthAt(before.value + (way * each) / quarters));
      const isLeaving = Math.abs(from!) > Math.abs(to!);
      const at = rounded(start + (seconds * (quarter + 1)) / quarters);
      return { at, value: to!, easing: isLeaving ? "in-sine" : "out-sine" };
    });
  });
  return frames.slice(0, 200);
}

const flat = "Layers are flat: they turn in the plane only.";

/** A turn about an axis of the picture: the element becomes narrower, and shows its mirrored back. A still one is not shown. */
export const turnAbout =
  (side: "scaleX" | "scaleY"): Row<Element, ElementContext> =>
  (property, { from, length, keyframes }) => {
    const degrees = (each: typeof property) => measureOf(each)?.value;
    if (!isKeyed(property)) return degrees(property) === 0 ? used("nothing: it does not turn") : ignored(flat);
    const angles = numberFrames(property, length, { min: -36_000, max: 36_000 }, degrees);
    keyframes[side] = widths(angles, from.at("backface_visible").flag === false);
    return changed("Becomes narrower as it turns, without a perspective.");
  };

/** A property that shows only in such turns. */
export const ofTurns =
  (why: string): Row<Element, ElementContext> =>
  (_, { from }) => {
    const turns = [from.at("x_rotation"), from.at("y_rotation")];
    if (turns.every(({ isAbsent }) => isAbsent)) return used("nothing: it does not turn");
    return turns.some(isKeyed) ? changed(why) : ignored(flat);
  };
