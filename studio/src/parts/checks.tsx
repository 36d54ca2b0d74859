import type { Signal } from "@preact/signals";

type ChecksProps<Name extends string> = {
  readonly legend: string;
  readonly options: readonly Name[];
  readonly chosen: Signal<readonly Name[]>;
  readonly text?: (name: Name) => string;
  /** Explains an empty choice; without it, the last option stays chosen. */
  readonly hint?: string;
  readonly isFormat?: boolean;
};

/** Checkboxes for a few options. */
export function Checks<Name extends string>({ legend, options, chosen, text, hint, isFormat }: ChecksProps<Name>) {
  const toggle = (name: Name) => {
    // in their own order, regardless of the clicks
    const next = options.filter((option) => (option === name) !== chosen.value.includes(option));
    if (next.length > 0 || hint !== undefined) chosen.value = next;
  };
  return (
    <fieldset class="formats">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option} {...(isFormat && { "data-format": option })}>
          <input type="checkbox" checked={chosen.value.includes(option)} onChange={() => toggle(option)} />
          {isFormat && <span class="shape" aria-hidden="true" />}
          <span>{text ? text(option) : option}</span>
        </label>
      ))}
      {hint && chosen.value.length === 0 && <p class="hint">{hint}</p>}
    </fieldset>
  );
}
