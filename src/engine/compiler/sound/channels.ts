import type { Source } from "../../timeline/source.ts";
import { joinSides, mixDown, resample, toStereo } from "../filters/sound.ts";
import { type Audio, input } from "../graph/graph.ts";

export const isMixedDown = ({ facts: { sound } }: Source): boolean => sound?.channels !== undefined;

/** The whole sound of an input in two channels at 48 kHz, whichever channels and tracks it has. */
export function soundOf(source: Source, inputIndex: number): Audio {
  const { sides } = source.facts.sound ?? {};
  const track = (index: number) => resample(input("audio", inputIndex, index));
  if (sides) return toStereo(joinSides(track(sides[0]), track(sides[1])));
  return isMixedDown(source) ? mixDown(track(0)) : toStereo(track(0));
}
