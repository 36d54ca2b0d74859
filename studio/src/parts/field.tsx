import type { Signal } from "@preact/signals";
import type { ComponentChildren, InputHTMLAttributes, TextareaHTMLAttributes } from "preact";
import { useEffect, useId } from "preact/hooks";

type FieldProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  "name" | "autoComplete" | "required" | "inputMode" | "placeholder" | "value" | "defaultValue" | "dir" | "onInput"
> & {
  readonly type?: "text" | "email" | "password" | "url";
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
};

/** A labelled input with its error. */
export function Field({ label, hint, error, type = "text", ...input }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {/* a union by `type` would ask which it is */}
      <input
        id={id}
        type={type as "text"}
        dir={type === "url" ? "ltr" : undefined}
        {...input}
        {...described(id, hint, error)}
      />
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

/** Properties that bind an input to a signal. */
export const bound = (text: Signal<string>) => ({
  value: text.value,
  onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => {
    text.value = currentTarget.value;
  },
});

type AreaProps = Pick<
  TextareaHTMLAttributes<HTMLTextAreaElement>,
  "name" | "rows" | "maxLength" | "placeholder" | "value" | "onInput" | "onChange" | "onFocus"
> & {
  readonly label: ComponentChildren;
  readonly isLabelUnseen?: boolean;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
};

/** A field for several lines. */
export function Area({ label, isLabelUnseen, hint, error, ...area }: AreaProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={isLabelUnseen ? "unseen" : undefined}>
        {label}
      </label>
      <textarea id={id} dir="auto" {...area} {...described(id, hint, error)} />
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

export const described = (id: string, hint?: string, error?: string) => ({
  "aria-invalid": error ? ("true" as const) : undefined,
  "aria-describedby": (error && `${id}-error`) || (hint && `${id}-hint`) || undefined,
});

export function Notes({ id, hint, error }: { id: string; hint?: string | undefined; error?: string | undefined }) {
  useEffect(() => {
    // the first invalid field gets the focus
    const field = error ? document.getElementById(id) : null;
    if (field?.closest("dialog, main")?.querySelector("[aria-invalid=true]") === field) field?.focus();
  }, [error]);
  return (
    <>
      {error && (
        <p class="wrong" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint && !error && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </>
  );
}

/** A sentence about an error, which screen readers speak at once. */
export function Alert({ children }: { children: ComponentChildren }) {
  return (
    <p class="wrong" role="alert">
      {children}
    </p>
  );
}
