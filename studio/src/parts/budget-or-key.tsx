import { t } from "../words.ts";
import { Field } from "./field.tsx";

type OneFieldProps = {
  readonly label: string;
  readonly type?: "password";
  readonly inputMode?: "decimal";
  readonly onSubmit: (value: string) => Promise<unknown>;
};

type BudgetOrKeyProps = {
  readonly waitingFor: string | undefined;
  /** An amount with a decimal point. */
  readonly onBudget: (limit: string) => Promise<unknown>;
  readonly onKey: (key: string) => Promise<unknown>;
};

/** Asks for the budget or key that a film or table waits for. */
export function BudgetOrKey({ waitingFor, onBudget, onKey }: BudgetOrKeyProps) {
  if (waitingFor === "budget") {
    const onSubmit = (limit: string) => onBudget(limit.replace(",", "."));
    return <OneField label={t("newBudget")} inputMode="decimal" onSubmit={onSubmit} />;
  }
  return waitingFor === "key" ? <OneField label={t("newKey")} type="password" onSubmit={onKey} /> : null;
}

/** A form with one field. */
function OneField({ label, onSubmit, ...input }: OneFieldProps) {
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
        {t("continue")}
      </button>
    </form>
  );
}
