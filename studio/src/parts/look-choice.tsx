import { type Signal, signal, useSignal } from "@preact/signals";
import type { InferResponseType } from "hono/client";
import { useId } from "preact/hooks";
import { api, unwrap } from "../api.ts";
import { t, type Word } from "../words.ts";
import { Show, useLoaded } from "./loaded.tsx";

type Look = InferResponseType<typeof api.looks.$get, 200>["looks"][number];
export type Palette = Look["palettes"][number];

/** The look that a person chose in the gallery for the next film. */
export const wantedLook = signal<string | undefined>(undefined);

type LookChoiceProps = {
  /** The name of a look; undefined for the one that fits the brief. */
  readonly look: Signal<string | undefined>;
  /** Undefined for the colors of the brand, or else those that the look chooses. */
  readonly palette: Signal<Palette | undefined>;
  /** What a film without a choice gets. */
  readonly standard: string;
};

/** The looks of films as moving pictures, and their colors. */
export function LookChoice({ look, palette, standard }: LookChoiceProps) {
  const name = useId();
  const loaded = useLoaded(() => unwrap(api.looks.$get()));
  return (
    <Show of={loaded}>
      {({ looks }) => (
        <>
          <fieldset class="looks">
            <legend class="unseen">{t("look")}</legend>
            {[undefined, ...looks].map((each) => (
              <label key={each?.name} title={each?.about}>
                <input
                  type="radio"
                  name={name}
                  checked={look.value === each?.name}
                  onChange={() => {
                    look.value = each?.name;
                  }}
                />
                {each && <img src={each.preview} alt="" loading="lazy" />}
                <span>{each?.title ?? standard}</span>
              </label>
            ))}
          </fieldset>
          <PaletteChoice palette={palette} look={looks.find((each) => each.name === look.value) ?? looks[0]} />
        </>
      )}
    </Show>
  );
}

const roles = ["lead", "accent", "dark", "light"] as const;

type PaletteChoiceProps = { readonly palette: Signal<Palette | undefined>; readonly look: Look | undefined };

function PaletteChoice({ palette, look }: PaletteChoiceProps) {
  const name = useId();
  const isOwn = useSignal(false);
  const known = look?.palettes ?? [];
  const current = JSON.stringify(palette.value);
  const options = [undefined, ...known];
  return (
    <fieldset class="palettes">
      <legend>{t("colors")}</legend>
      {options.map((each, at) => (
        <label key={at} class="check">
          <input
            type="radio"
            name={name}
            checked={!isOwn.value && current === JSON.stringify(each)}
            onChange={() => {
              isOwn.value = false;
              palette.value = each;
            }}
          />
          {each ? <Swatches palette={each} number={at} /> : <span>{t("colorsStandard")}</span>}
        </label>
      ))}
      {known[0] && (
        <label class="check">
          <input
            type="radio"
            name={name}
            checked={isOwn.value}
            onChange={() => {
              isOwn.value = true;
              palette.value ??= known[0];
            }}
          />
          <span>{t("colorsOwn")}</span>
        </label>
      )}
      {isOwn.value && palette.value && (
        <div class="own-colors">
          {roles.map((role) => (
            <label key={role}>
              <span>{t(`role_${role}` as Word)}</span>
              <input
                type="color"
                value={palette.value?.[role]}
                onInput={({ currentTarget }) => {
                  if (palette.value) palette.value = { ...palette.value, [role]: currentTarget.value };
                }}
              />
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}

function Swatches({ palette, number }: { palette: Palette; number: number }) {
  return (
    <span class="swatches">
      {roles.map((role) => (
        <i key={role} style={{ background: palette[role] }} />
      ))}
      <span class="unseen">{t("colorsOf", { number })}</span>
    </span>
  );
}
