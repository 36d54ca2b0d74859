/** Numbers from 0 up to 1 that a seed decides: mulberry32. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type Random = ReturnType<typeof randomNumbers>;

export const between = (random: Random, min: number, max: number): number => min + random() * (max - min);

export const oneOf = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)]!; // safe because callers pass items
