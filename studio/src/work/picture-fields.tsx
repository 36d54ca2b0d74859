import { t } from "../words.ts";
import type { Overlay } from "./draft.ts";
import { Check, Slider } from "./inputs.tsx";

/** Factors as in CSS: 1 changes nothing. */
const factors = ["brightness", "contrast", "saturation"] as const;
const strongestFactor = 2;
const mostBlur = 40;

type Changes = Readonly<Record<string, unknown>>;

type PictureFieldsProps = {
  /** The fields of a clip, a picture or a layer. */
  readonly of: Overlay;
  readonly onFields: (changes: Changes, tag: string) => void;
};

const fieldsOf = (value: unknown): Changes => (typeof value === "object" && value !== null ? (value as Changes) : {});
const percent = (part: number) => `${Math.round(part * 100)} %`;

/** How a picture looks: its colors, its sharpness, how much it covers, and a round mask. */
export function PictureFields({ of: { filter, opacity, mask }, onFields }: PictureFieldsProps) {
  const filters = fieldsOf(filter);
  const numberOf = (value: unknown, usual: number) => (typeof value === "number" ? value : usual);
  const setFilter = (name: string, value: number, usual: number) => {
    const { [name]: _, ...others } = filters;
    const next = value === usual ? others : { ...others, [name]: value };
    onFields({ filter: Object.keys(next).length > 0 ? next : undefined }, name);
  };
  return (
    <details class="picture-fields">
      <summary>{t("pictureLook")}</summary>
      <div class="fields">
        {factors.map((name) => (
          <Slider
            key={name}
            label={t(name)}
            {...{ value: numberOf(filters[name], 1), max: strongestFactor, step: 0.05 }}
            text={percent(numberOf(filters[name], 1))}
            onValue={(value) => setFilter(name, value, 1)}
          />
        ))}
        <Slider
          label={t("blur")}
          {...{ value: numberOf(filters.blur, 0), max: mostBlur, step: 1 }}
          text={`${numberOf(filters.blur, 0)} px`}
          onValue={(value) => setFilter("blur", value, 0)}
        />
        <Slider
          label={t("opacity")}
          {...{ value: numberOf(opacity, 1), max: 1, step: 0.05 }}
          text={percent(numberOf(opacity, 1))}
          onValue={(value) => onFields({ opacity: value === 1 ? undefined : value }, "opacity")}
        />
        <Check
          checked={fieldsOf(mask).shape === "ellipse"}
          onValue={(isRound) => onFields({ mask: isRound ? { shape: "ellipse" } : undefined }, "mask")}
        >
          {t("maskRound")}
        </Check>
      </div>
    </details>
  );
}
