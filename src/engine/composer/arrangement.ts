import type { Bed, SectionName } from "./description.ts";

/** The bars of a bed that is fitted to a length. All times are in seconds. */
export type Arrangement = {
  readonly tempo: number;
  readonly beatSeconds: number;
  /** The section of each bar. The last chord sounds after them. */
  readonly bars: readonly SectionName[];
  /** When the last chord sounds, on a bar. */
  readonly endSeconds: number;
  readonly seconds: number;
};

export const beatsInBar = 4;

/** The last chord rings for about this time, at least and at most. */
const ring = { least: 0.9, usual: 1.7, most: 4 };

/** The farthest a tempo goes from a bed's own. */
const mostBend = 0.06;

/** Bars that end in a last chord, as near to the bed's own tempo as a length allows. */
export function arrange({ tempo }: Pick<Bed, "tempo">, seconds: number): Arrangement {
  const bar = (beatsInBar * 60) / tempo;
  const most = Math.max(1, Math.floor(seconds / (bar * (1 - mostBend))));
  let best = { cost: Number.POSITIVE_INFINITY, count: 1, stretch: 1 };
  for (let count = Math.max(1, most - 3); count <= most; count++) {
    for (let step = -12; step <= 12; step++) {
      const stretch = 1 + (step / 12) * mostBend;
      const rest = seconds - count * bar * stretch;
      if (rest < ring.least || rest > ring.most) continue;
      const cost = Math.abs(rest - ring.usual) + 12 * Math.abs(stretch - 1);
      if (cost < best.cost - 1e-9) best = { cost, count, stretch };
    }
  }
  const beatSeconds = (bar * best.stretch) / beatsInBar;
  return {
    ...{ tempo: 60 / beatSeconds, beatSeconds, seconds },
    ...{ bars: sectionsOf(best.count), endSeconds: best.count * beatsInBar * beatSeconds },
  };
}

/** The sections of so many bars: an intro, a drop, a break, and a peak that leads to the end. */
function sectionsOf(count: number): readonly SectionName[] {
  if (count <= 2) return (["main", "peak"] as const).slice(0, count);
  const intro = count < 8 ? 1 : count < 18 ? 2 : 4;
  const pause = count < 5 ? 0 : count < 10 ? 1 : count < 20 ? 2 : 4;
  const peak = count < 5 ? 1 : Math.max(1, Math.round((count - intro - pause) * 0.4));
  const main = count - intro - pause - peak;
  const of = (name: SectionName, length: number) => Array.from({ length }, () => name);
  return [...of("intro", intro), ...of("main", main), ...of("break", pause), ...of("peak", peak)];
}

/** The beats of an arrangement, also while its last chord rings. */
export const beatsOf = ({ beatSeconds, seconds }: Arrangement): readonly number[] =>
  Array.from({ length: Math.floor(seconds / beatSeconds + 1e-6) + 1 }, (_, beat) => beat * beatSeconds);
