import type { Draft } from "./draft.ts";

/** The drafts for undo and redo. Consecutive changes with the same tag are one step. */
export type History = {
  readonly past: readonly Draft[];
  readonly present: Draft;
  readonly future: readonly Draft[];
  readonly tag?: string | undefined;
};

const maxSteps = 200;

export const begin = (present: Draft): History => ({ past: [], present, future: [] });

export function commit({ past, present, tag: last }: History, next: Draft, tag?: string): History {
  const goesOn = tag !== undefined && tag === last;
  return { past: goesOn ? past : [...past.slice(1 - maxSteps), present], present: next, future: [], tag };
}

export function undo(history: History): History {
  const { past, present, future } = history;
  const before = past.at(-1);
  return before ? { past: past.slice(0, -1), present: before, future: [present, ...future] } : history;
}

export function redo(history: History): History {
  const { past, present, future } = history;
  const [after, ...rest] = future;
  return after ? { past: [...past, present], present: after, future: rest } : history;
}
