import { type Draft, type Overlay, round } from "./draft.ts";
import { type Placed, putOverlay } from "./overlays.ts";

type Key = { readonly at: number | string; readonly value: unknown; readonly easing?: string };
type Keyframes = { readonly [property: string]: readonly Key[] | undefined };

/** Closer than this, two times are one. */
const sameSeconds = 0.011;

export const keyframesOf = ({ keyframes }: Overlay): Keyframes =>
  typeof keyframes === "object" && keyframes !== null ? (keyframes as Keyframes) : {};

/** The seconds of a key since the start of its overlay; a share such as "40%" is one of its length. */
const secondsOf = ({ at }: Key, { start, end }: Placed): number =>
  typeof at === "number" ? at : ((end - start) * Number.parseFloat(at)) / 100;

const isSame = (one: number, other: number): boolean => Math.abs(one - other) < sameSeconds;

/** The times of the keys in the film, each once. */
export function keyTimes(placed: Placed): readonly number[] {
  const all = Object.values(keyframesOf(placed.overlay)).flatMap((keys = []) =>
    keys.map((key) => round(placed.start + secondsOf(key, placed))),
  );
  return all
    .toSorted((one, other) => one - other)
    .filter((time, index, times) => index === 0 || !isSame(time, times[index - 1]!)); // safe because of the index
}

/** The number of a property at a time of the film; undefined without keys. Between keys it travels evenly. */
function valueAt(placed: Placed, property: string, time: number): number | undefined {
  const keys = (keyframesOf(placed.overlay)[property] ?? []).flatMap((key) =>
    typeof key.value === "number" ? [{ at: placed.start + secondsOf(key, placed), value: key.value }] : [],
  );
  const next = keys.find(({ at }) => at > time);
  const last = keys.findLast(({ at }) => at <= time);
  if (!last || !next) return (last ?? next)?.value;
  return last.value + ((next.value - last.value) * (time - last.at)) / (next.at - last.at);
}

/** An overlay as it is at a time of the film: its keys replace its fields. */
export function posed(placed: Placed, time: number): Overlay {
  const values = Object.keys(keyframesOf(placed.overlay)).flatMap((property) => {
    const value = valueAt(placed, property, time);
    return value === undefined ? [] : [[property, Math.round(value * 1000) / 1000] as const];
  });
  return { ...placed.overlay, ...Object.fromEntries(values) };
}

/** Properties with keys at a time, beside those that are there. */
function withKeys(placed: Placed, values: Overlay, time: number): Keyframes {
  const at = round(Math.min(Math.max(0, time - placed.start), placed.end - placed.start));
  const known = keyframesOf(placed.overlay);
  const changed = Object.entries(values).map(([property, value]) => {
    const keys = known[property] ?? [];
    const old = keys.find((key) => isSame(secondsOf(key, placed), at));
    const others = keys.filter((key) => key !== old);
    const next = [...others, { ...old, at, value }];
    return [property, next.toSorted((one, other) => secondsOf(one, placed) - secondsOf(other, placed))] as const;
  });
  return { ...known, ...Object.fromEntries(changed) };
}

/** What is keyed is placed from here in all formats. */
const putKeyframes = (draft: Draft, placed: Placed, keyframes: Keyframes, fields: Overlay = {}): Draft =>
  putOverlay(draft, placed, {
    ...fields,
    keyframes: Object.values(keyframes).some((keys) => keys) ? keyframes : undefined,
    ...(placed.overlay.targets !== undefined && { targets: undefined }),
  });

const numberOr = (value: unknown, fallback: number): number => (typeof value === "number" ? value : fallback);

/** Sets a key of the place, the scale, the turn and the opacity at a time. `place` has the fields of the place. */
export function setKey(draft: Draft, placed: Placed, place: Overlay, time: number): Draft {
  const now = posed(placed, time);
  const values = {
    ...place,
    ...(typeof now.scale !== "object" && { scale: numberOr(now.scale, 1) }),
    rotation: numberOr(now.rotation, 0),
    opacity: numberOr(now.opacity, 1),
  };
  return putKeyframes(draft, placed, withKeys(placed, values, time));
}

/** Changes fields; those with keys get one at this time. */
export function putKeyed(draft: Draft, placed: Placed, changes: Overlay, time: number): Draft {
  const known = keyframesOf(placed.overlay);
  const entries = Object.entries(changes);
  const keyed = entries.filter(([field]) => known[field] !== undefined);
  if (keyed.length === 0) return putOverlay(draft, placed, changes);
  const others = entries.filter(([field]) => known[field] === undefined);
  return putKeyframes(draft, placed, withKeys(placed, Object.fromEntries(keyed), time), Object.fromEntries(others));
}

/** Edits the keys of all properties; without any left, a property has its field again. */
const editKeys = (draft: Draft, placed: Placed, edit: (keys: readonly Key[]) => readonly Key[]): Draft =>
  putKeyframes(
    draft,
    placed,
    Object.fromEntries(
      Object.entries(keyframesOf(placed.overlay)).flatMap(([property, keys = []]) => {
        const next = edit(keys);
        return next.length > 0 ? [[property, next] as const] : [];
      }),
    ),
  );

export const removeKey = (draft: Draft, placed: Placed, time: number): Draft =>
  editKeys(draft, placed, (keys) => keys.filter((key) => !isSame(placed.start + secondsOf(key, placed), time)));

/** Moves the keys of a time to another one, within the overlay. They replace those that are there. */
export function moveKey(draft: Draft, placed: Placed, from: number, to: number): Draft {
  const at = round(Math.min(Math.max(0, to - placed.start), placed.end - placed.start));
  const isMoved = (key: Key) => isSame(placed.start + secondsOf(key, placed), from);
  return editKeys(draft, placed, (keys) => {
    if (!keys.some(isMoved)) return keys;
    const kept = keys.filter((key) => isMoved(key) || !isSame(secondsOf(key, placed), at));
    return kept
      .map((key) => (isMoved(key) ? { ...key, at } : key))
      .toSorted((one, other) => secondsOf(one, placed) - secondsOf(other, placed));
  });
}

/** How values travel to the keys of a time; undefined: evenly. */
export const easingAt = ({ overlay, ...placed }: Placed, time: number): string | undefined =>
  Object.values(keyframesOf(overlay))
    .flatMap((keys = []) => keys)
    .find((key) => isSame(placed.start + secondsOf(key, { overlay, ...placed }), time))?.easing;

export const setEasing = (draft: Draft, placed: Placed, time: number, easing: string | undefined): Draft =>
  editKeys(draft, placed, (keys) =>
    keys.map((key) => {
      if (!isSame(placed.start + secondsOf(key, placed), time)) return key;
      const { easing: _, ...plain } = key;
      return easing === undefined ? plain : { ...plain, easing };
    }),
  );
