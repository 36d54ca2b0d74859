import { t } from "../words.ts";
import { Field } from "./field.tsx";

type OneFieldProps = {
  readonly label: string;
  readonly type?: "password";
  readonly inputMode?: "decimal";
  readonly onSubmit: (value: string) => Promise<void>;
};

/** Asks for what lets something go on. */
export function OneField({ label, onSubmit, ...input }: OneFieldProps) {
  return (
    <form
      class="one-field"
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit(String(new FormData(event.currentTarget).get("value") ?? ""));
      }}
    >
      <Field label={label} name="value" autoComplete="off" required {...input} />
      <button type="submit" class="button">
        {t("goOn")}
      </button>
    </form>
  );
}
