import { t } from "../words.ts";

type FormatSwitchProps<Name extends string> = {
  readonly names: readonly Name[];
  readonly shown: Name | undefined;
  readonly onChoose: (name: Name) => void;
};

/** Chooses the format that a player shows. */
export const FormatSwitch = <Name extends string>({ names, shown, onChoose }: FormatSwitchProps<Name>) => (
  <fieldset class="switch">
    <legend class="unseen">{t("formats")}</legend>
    {names.map((name) => (
      <label key={name}>
        <input type="radio" name="target" checked={shown === name} onChange={() => onChoose(name)} />
        <span>{name}</span>
      </label>
    ))}
  </fieldset>
);
