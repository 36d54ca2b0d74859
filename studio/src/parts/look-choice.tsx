import type { Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import { api, unwrap } from "../api.ts";
import { t } from "../words.ts";
import { Show, useLoaded } from "./loaded.tsx";

type LookChoiceProps = {
  /** The name of a look; undefined for the one that fits the brief. */
  readonly look: Signal<string | undefined>;
  /** Without it, one of the looks must be chosen. */
  readonly isOptional?: boolean;
};

/** The looks of films as moving pictures. */
export function LookChoice({ look, isOptional = false }: LookChoiceProps) {
  const name = useId();
  const loaded = useLoaded(() => unwrap(api.looks.$get()));
  return (
    <Show of={loaded}>
      {({ looks }) => (
        <fieldset class="looks">
          <legend class="unseen">{t("look")}</legend>
          {[...(isOptional ? [undefined] : []), ...looks].map((each) => (
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
              <span>{each?.title ?? t("lookFits")}</span>
            </label>
          ))}
        </fieldset>
      )}
    </Show>
  );
}
