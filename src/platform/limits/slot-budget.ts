import { AsyncLocalStorage } from "node:async_hooks";

/** A limit that takes slots of a budget. */
type Member = {
  /** Starts a waiting task if it may. Returns whether it did. */
  startNext(): boolean;
};

/**
 * A number of slots that several limits share. Groups within it bound some of them further. A free slot goes to the limit
 * that joined first of those that have waiting tasks.
 */
export type SlotBudget = {
  readonly hasFree: () => boolean;
  take(): void;
  /** Starts what waits for it. */
  giveBack(): void;
  join(member: Member): void;
  /** A part of these slots, at most. */
  group(slots: number): SlotBudget;
  /**
   * Runs a task that holds a slot. What it starts meanwhile is covered by this slot: a task that waited for a second one
   * while it holds the first could wait for ever.
   */
  hold<T>(task: () => Promise<T>): Promise<T>;
  /** Whether the caller runs within `hold`, of whatever group. */
  readonly isCovered: () => boolean;
  readonly slots: number;
  readonly running: () => number;
};

export function slotBudget(slots: number): SlotBudget {
  const members: Member[] = [];
  const holders = new AsyncLocalStorage<{ isHeld: boolean }>();

  const hold = <T>(task: () => Promise<T>): Promise<T> => {
    const holder = { isHeld: true };
    return holders.run(holder, task).finally(() => {
      // what the task has left behind takes a slot of its own
      holder.isHeld = false;
    });
  };

  const startWaiting = () => {
    while (members.some((member) => member.startNext()));
  };

  const groupOf = (count: number, parent?: SlotBudget): SlotBudget => {
    let running = 0;
    const group: SlotBudget = {
      hasFree: () => running < count && (parent?.hasFree() ?? true),
      take() {
        running++;
        parent?.take();
      },
      giveBack() {
        running--;
        if (parent) parent.giveBack();
        else startWaiting();
      },
      join: (member) => void members.push(member),
      group: (part) => groupOf(part, group),
      hold,
      isCovered: () => holders.getStore()?.isHeld ?? false,
      slots: count,
      running: () => running,
    };
    return group;
  };
  return groupOf(slots);
}
