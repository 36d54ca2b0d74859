import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../words.ts";
import { Failure } from "./loaded.tsx";

/** Opens an element over the page when it is first rendered. */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  // before anything else takes the focus
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return dialog;
}

type DialogProps = {
  readonly title: string;
  /** The label of the submit button. */
  readonly action: string;
  /** Resolves to false to keep the dialog open. */
  readonly onSubmit: (fields: FormData) => Promise<boolean | undefined>;
  readonly onClose: () => void;
  readonly isBusy?: boolean;
  readonly children?: ComponentChildren;
};

/** A form over the page. Escape and its second button close it. */
export function Dialog({ title, action, onSubmit, onClose, isBusy = false, children }: DialogProps) {
  const dialog = useModal();
  const id = useId();
  const isClosed = useRef(false);
  // at once: the event of a closed dialog would close one opened meanwhile
  const close = () => {
    if (isClosed.current) return;
    isClosed.current = true;
    dialog.current?.close();
    onClose();
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const isDone = await onSubmit(new FormData(event.currentTarget as HTMLFormElement));
    if (isDone !== false) close();
  };
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby={id}>
      <form onSubmit={(event) => void submit(event)} noValidate aria-busy={isBusy}>
        <h2 id={id} dir="auto">
          {title}
        </h2>
        {children}
        <p class="actions">
          <button type="submit" class="button" disabled={isBusy}>
            {action}
          </button>
          <button type="button" class="plain" onClick={close}>
            {t("close")}
          </button>
        </p>
      </form>
    </dialog>
  );
}

type RemoveProps = Pick<DialogProps, "onSubmit" | "onClose"> & {
  readonly name: string;
  /** Says what else is removed. */
  readonly help: string;
  readonly failure: unknown;
};

/** Asks before something is removed. */
export function RemoveDialog({ name, help, failure, ...acts }: RemoveProps) {
  return (
    <Dialog title={t("removeTitle", { name })} action={t("remove")} {...acts}>
      <p>{help}</p>
      <Failure of={failure} />
    </Dialog>
  );
}
