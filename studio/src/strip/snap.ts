/** The nearest of some times within this distance; undefined without one. */
export function nearest(times: readonly number[], value: number, within: number): number | undefined {
  let found: number | undefined;
  for (const time of times)
    if (Math.abs(time - value) <= (found === undefined ? within : Math.abs(found - value))) found = time;
  return found;
}

/** A shift by which the start or the end of a range meets one of the times, if it nearly does; whole frames else. */
export function snapMove(
  { start, end }: { readonly start: number; readonly end: number },
  by: number,
  { times, within, fps }: { readonly times: readonly number[]; readonly within: number; readonly fps: number },
): { readonly by: number; readonly at?: number } {
  const met = [start, end].flatMap((edge) => {
    const at = nearest(times, edge + by, within);
    return at === undefined ? [] : [{ by: at - edge, at }];
  });
  const best = met.toSorted((one, other) => Math.abs(one.by - by) - Math.abs(other.by - by))[0];
  return best ?? { by: Math.round((start + by) * fps) / fps - start };
}

/** The time of an edge that is dragged. */
export function snapEdge(
  to: number,
  { times, within, fps }: { readonly times: readonly number[]; readonly within: number; readonly fps: number },
): { readonly to: number; readonly at?: number } {
  const at = nearest(times, to, within);
  return at === undefined ? { to: Math.round(to * fps) / fps } : { to: at, at };
}

/** Seconds between the labels of a ruler, so that they are at least this many pixels apart. */
export function rulerStep(pixelsPerSecond: number, least = 70): number {
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600];
  return steps.find((step) => step * pixelsPerSecond >= least) ?? 1800;
}
