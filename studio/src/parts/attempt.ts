import { useSignal } from "@preact/signals";
import { asUser } from "../session.ts";

/** Runs requests of a part of the page, and keeps the error of the last one. */
export function useAttempt() {
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  /** False if the request failed. */
  const attempt = async (act: () => Promise<unknown>): Promise<boolean> => {
    failure.value = undefined;
    isBusy.value = true;
    try {
      await asUser(act);
      return true;
    } catch (error) {
      failure.value = error;
      return false;
    } finally {
      isBusy.value = false;
    }
  };
  return { failure, isBusy, attempt };
}
