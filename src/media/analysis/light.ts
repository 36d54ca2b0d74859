import type { SmallPicture } from "./pictures.ts";

/** How bright a picture is, and how far its levels lie from that, in levels of 16..235. */
export type Light = { readonly level: number; readonly contrast: number };

export function lightOf({ coarse }: SmallPicture): Light {
  const level = coarse.reduce((sum, each) => sum + each, 0) / coarse.length;
  const contrast = coarse.reduce((sum, each) => sum + Math.abs(each - level), 0) / coarse.length;
  return { level, contrast };
}

const flat = 1.5;

/** Whether two pictures show the same in other light: one straight line leads from the levels of one to the other's. */
export function isRelit(before: SmallPicture, after: SmallPicture): boolean {
  const [a, b] = [lightOf(before), lightOf(after)];
  if (a.contrast < flat || b.contrast < flat) return false;
  let [both, own] = [0, 0];
  for (let index = 0; index < before.coarse.length; index++) {
    const offset = before.coarse[index]! - a.level;
    both += offset * (after.coarse[index]! - b.level);
    own += offset * offset;
  }
  const gain = both / own;
  const other = Math.min(10, Math.max(3, 0.6 * Math.min(a.contrast, b.contrast)));
  let [others, difference, left] = [0, 0, 0];
  for (let index = 0; index < before.coarse.length; index++) {
    const remaining = Math.abs(after.coarse[index]! - b.level - gain * (before.coarse[index]! - a.level));
    if (remaining > other) others++;
    left += remaining;
    difference += Math.abs(after.coarse[index]! - before.coarse[index]!);
  }
  return gain > 0.2 && others < 0.01 * before.coarse.length && left < 0.35 * difference;
}

const black = 16;
const fadePictures = 30;

/**
 * A film that fades to black and from it has its cut in the middle of the black, and none where the fades end.
 * Where one side is cut hard, the cut is there.
 */
export function throughBlack(cuts: readonly number[], lights: readonly Light[]): number[] {
  const found = new Set(cuts);
  for (const { start, end } of blackRuns(lights)) {
    const [out, into] = [isFade(lights, start - 1, -1, found), isFade(lights, end, 1, found)];
    if (out) remove(found, start);
    if (into) remove(found, end);
    if (out && into && ![...found].some((cut) => cut >= start && cut <= end)) found.add(Math.round((start + end) / 2));
  }
  return [...found].sort((a, b) => a - b);
}

function remove(cuts: Set<number>, at: number): void {
  for (const cut of [at - 1, at, at + 1]) cuts.delete(cut);
}

function blackRuns(lights: readonly Light[]): { start: number; end: number }[] {
  const runs: { start: number; end: number }[] = [];
  for (const [index, { level, contrast }] of lights.entries()) {
    if (level > black + 3 || contrast > flat) continue;
    const last = runs.at(-1);
    if (last?.end === index) last.end++;
    else runs.push({ start: index, end: index + 1 });
  }
  return runs;
}

/** Whether the film brightens steadily, going from `from` away from black. */
function isFade(lights: readonly Light[], from: number, step: 1 | -1, cuts: ReadonlySet<number>): boolean {
  const first = lights[from];
  if (!first) return false;
  let highest = first.level;
  for (let count = 1; count <= fadePictures; count++) {
    const at = from + step * count;
    const light = lights[at];
    if (!light || light.level < highest - 1 || cuts.has(step > 0 ? at : at + 1)) break;
    highest = Math.max(highest, light.level);
  }
  return highest - black > 12 && first.level - black < 0.45 * (highest - black);
}
