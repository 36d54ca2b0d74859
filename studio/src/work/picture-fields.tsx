import { Choice } from "../parts/choice.tsx";
import { t, type Word } from "../words.ts";
import type { Overlay } from "./draft.ts";
import { Slider } from "./inputs.tsx";

/** Factors as in CSS: 1 changes nothing. */
const factors = ["brightness", "contrast", "saturation"] as const;
const strongestFactor = 2;
const mostBlur = 40;

const maskOf = {
  none: undefined,
  round: { shape: "ellipse" },
  soft: { shape: "ellipse", feather: 60 },
  edges: { shape: "rect", feather: 60 },
} as const;
type MaskName = keyof typeof maskOf;
// safe because they are the keys of this object
const masks = Object.keys(maskOf) as MaskName[];

const blends = ["normal", "multiply", "screen", "overlay", "soft-light", "difference"] as const;

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

type Changes = Readonly<Record<string, unknown>>;

type PictureFieldsProps = {
  /** The fields of a clip, a picture or a layer. */
  readonly of: Overlay;
  /** A clip has nothing below it. */
  readonly hasBlend?: boolean;
  readonly onFields: (changes: Changes, tag: string) => void;
};

const fieldsOf = (value: unknown): Changes => (typeof value === "object" && value !== null ? (value as Changes) : {});
const percent = (part: number) => `${Math.round(part * 100)} %`;

/** How a picture looks: its colors, its sharpness, how much it covers, its mask, and how it blends. */
export function PictureFields({ of: { filter, opacity, mask, blend }, hasBlend, onFields }: PictureFieldsProps) {
  const filters = fieldsOf(filter);
  const isOwn = !masks.some((name) => isEqual(maskOf[name], mask));
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
        <Choice
          label={t("mask")}
          value={masks.find((name) => isEqual(maskOf[name], mask)) ?? (mask ? "own" : "none")}
          options={[
            ...masks.map((name) => [name, t(`mask_${name}`)] as const),
            ...(isOwn ? [["own", t("workPosition_own")] as const] : []),
          ]}
          onChange={(name) => {
            if (name !== "own") onFields({ mask: maskOf[name] }, "mask");
          }}
        />
        {hasBlend && (
          <Choice
            label={t("blend")}
            value={typeof blend === "string" ? blend : "normal"}
            options={blends.map((name) => [name as string, t(`blend_${name}` as Word)])}
            onChange={(name) => onFields({ blend: name === "normal" ? undefined : name }, "blend")}
          />
        )}
      </div>
    </details>
  );
}
