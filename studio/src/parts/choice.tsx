import { useId } from "preact/hooks";
import { described, Notes } from "./field.tsx";

type ChoiceProps<Name extends string> = {
  readonly label: string;
  readonly value: Name;
  readonly options: readonly (readonly [value: Name, text: string])[];
  readonly onChange: (value: Name) => void;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
};

/** A labelled list to choose one option from. */
export function Choice<Name extends string>({ label, value, options, onChange, hint, error }: ChoiceProps<Name>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value as Name)}
        {...described(id, hint, error)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}
