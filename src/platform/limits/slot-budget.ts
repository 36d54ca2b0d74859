import { AsyncLocalStorage } from "node:async_hooks";

/** A limit that takes slots of a budget. */
type Member = {
  /** Starts a waiting task if possible. Returns whether it did. */
  startNext(): boolean;
};

/**
 * A number of slots that several limits share; groups bound some of them further. A free slot goes to the earliest
 * joined limit with waiting tasks.
 */
export type SlotBudget = {
  readonly hasFree: () => boolean;
  take(): void;
  /** Frees the slot and starts a waiting task. */
  giveBack(): void;
  join(member: Member): void;
  /** A part of at most these slots. */
  group(slots: number): SlotBudget;
  /**
   * Runs a task that holds a slot. The slot also covers tasks that it starts: a task that waited for a second slot
   * while holding the first could wait for ever.
   */
  hold<T>(task: () => Promise<T>): Promise<T>;
  /** Whether the caller runs within `hold` of any group. */
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
      // tasks that outlive this one take their own slots
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
