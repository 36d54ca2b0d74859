import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { described, Notes } from "../parts/field.tsx";
import { numberText, t } from "../words.ts";
import { decibelsOf, loudest, quietest, volumeOf } from "./levels.ts";

type NumberFieldProps = {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly hint?: string;
  readonly onValue: (value: number) => void;
};

const plain = (value: number): string => String(Math.round(value * 1000) / 1000);

/** A number, typed or changed by arrow keys; invalid input changes nothing and shows an error. */
export function NumberField({ label, value, min, max, step, hint, onValue }: NumberFieldProps) {
  const id = useId();
  const typed = useSignal<string | undefined>(undefined);
  const isGood = (text: string) => text.trim() !== "" && Number(text) >= min && Number(text) <= max;
  const error =
    typed.value !== undefined && !isGood(typed.value)
      ? t("workNumberBetween", { min: plain(min), max: plain(max) })
      : undefined;
  return (
    <div class="field number">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        inputMode="decimal"
        step={step}
        min={min}
        max={max}
        value={typed.value ?? plain(value)}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
          if (isGood(currentTarget.value)) onValue(Number(currentTarget.value));
        }}
        onBlur={() => {
          typed.value = undefined;
        }}
        {...described(id, hint, error)}
      />
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

type SliderProps = {
  readonly label: string;
  readonly value: number;
  readonly min?: number;
  readonly max: number;
  readonly step: number;
  readonly onValue: (value: number) => void;
  readonly text: string;
};

export function Slider({ label, value, min = 0, max, step, text, onValue }: SliderProps) {
  const id = useId();
  return (
    <div class="field slider">
      <label for={id}>
        {label} <output>{text}</output>
      </label>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        aria-valuetext={text}
        onInput={({ currentTarget }) => onValue(Number(currentTarget.value))}
      />
    </div>
  );
}

type LevelProps = Pick<SliderProps, "label" | "onValue"> & {
  /** A factor, as sounds have it. */
  readonly value: number;
};

/** A volume in decibels. */
export function LevelSlider({ label, value, onValue }: LevelProps) {
  const decibels = decibelsOf(value);
  return (
    <Slider
      {...{ label, value: decibels, min: quietest, max: loudest, step: 0.5 }}
      text={decibels === quietest ? t("levelOff") : `${decibels > 0 ? "+" : ""}${numberText(decibels)} dB`}
      onValue={(level) => onValue(volumeOf(level))}
    />
  );
}

export function Check({ checked, onValue, children }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onValue(currentTarget.checked)} />
      <span>{children}</span>
    </label>
  );
}

type CheckProps = {
  readonly checked: boolean;
  readonly onValue: (checked: boolean) => void;
  readonly children: ComponentChildren;
};
