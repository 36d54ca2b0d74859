import type { ComponentChildren, InputHTMLAttributes } from "preact";
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

/** An input with its label, and beside it what is wrong with it. */
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

export const described = (id: string, hint?: string, error?: string) => ({
  "aria-invalid": error ? ("true" as const) : undefined,
  "aria-describedby": (error && `${id}-error`) || (hint && `${id}-hint`) || undefined,
});

export function Notes({ id, hint, error }: { id: string; hint?: string | undefined; error?: string | undefined }) {
  useEffect(() => {
    // of a form that was sent, the first field with something wrong has the focus
    const field = error ? (document.getElementById(id) as HTMLInputElement | null) : null;
    if (field && field.form?.querySelector("[aria-invalid=true]") === field) field.focus();
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

/** A sentence about what went wrong, which readers of screens say at once. */
export function Alert({ children }: { children: ComponentChildren }) {
  return (
    <p class="wrong" role="alert">
      {children}
    </p>
  );
}
