import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { asUser } from "../session.ts";
import { useAttempt } from "./attempt.ts";

type Follow<Item> = (item: Item, onState: (item: Item) => void) => (() => void) | undefined;

/** Loads what the service works at, and follows it by events. */
export function useFollowed<Item>(load: () => Promise<Item>, follow: Follow<Item>) {
  const item = useSignal<Item | undefined>(undefined);
  const round = useSignal(0);
  const { failure, attempt } = useAttempt();
  useEffect(() => {
    let end: (() => void) | undefined;
    let isLeft = false;
    const show = (next: Item) => {
      item.value = next;
    };
    if (!item.value) failure.value = undefined;
    asUser(load).then(
      (loaded) => {
        if (isLeft) return;
        show(loaded);
        end = follow(loaded, show);
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
    return () => {
      isLeft = true;
      end?.();
    };
  }, [round.value]);
  const again = () => {
    round.value += 1;
  };
  /** Sends a change and shows its answer; later changes arrive as events. */
  const change = (send: () => Promise<Item>) =>
    attempt(async () => {
      item.value = await send();
      again();
    });
  return { item, failure, again, change };
}
