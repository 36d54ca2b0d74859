import type { Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { BatchReport } from "../api.ts";
import { described, Notes } from "../parts/field.tsx";
import { t } from "../words.ts";
import type { Slot } from "./mapping.ts";

type SlotsProps = {
  readonly slots: readonly Slot[];
  readonly chosen: Signal<Readonly<Record<string, string>>>;
  readonly families: ReadonlyMap<string, readonly string[]>;
  readonly report: BatchReport;
  readonly isMissing: boolean;
};

/** Chooses a column for each text of the film. */
export function Slots({ slots, chosen, families, report, isMissing }: SlotsProps) {
  const id = useId();
  if (slots.length === 0) return <p class="soft">{t("tableNoSlots")}</p>;
  const choose = ({ id: slot, kind }: Slot, family: string) => {
    const others = slots.filter((other) => other.id !== slot && other.kind === "placeholder").map((other) => other.id);
    // a column has one name in the order
    const rest = Object.entries(chosen.value).filter(
      ([name, value]) => name !== slot && !(kind === "placeholder" && value === family && others.includes(name)),
    );
    chosen.value = Object.fromEntries(family ? [...rest, [slot, family]] : rest);
  };
  const exampleOf = (family: string | undefined) => {
    const [column = ""] = (family !== undefined && families.get(family)) || [];
    return report.sample[0]?.[column] ?? "";
  };
  return (
    <fieldset class="slots">
      <legend>{t("tableSlots")}</legend>
      <ul>
        {slots.map((slot, index) => {
          const family = chosen.value[slot.id];
          const error = isMissing && slot.kind === "placeholder" && !family ? t("tableSlotMissing") : undefined;
          return (
            <li key={slot.id} data-filled={family !== undefined}>
              <label for={`${id}-${index}`} dir="auto">
                {slot.kind === "placeholder" ? <code>{slot.label}</code> : slot.label}
              </label>
              <div>
                <select
                  id={`${id}-${index}`}
                  value={family ?? ""}
                  onChange={(event) => choose(slot, event.currentTarget.value)}
                  {...described(`${id}-${index}`, exampleOf(family), error)}
                >
                  <option value="">{t(slot.kind === "placeholder" ? "tableChoose" : "tableStays")}</option>
                  {[...families.keys()].map((column) => (
                    <option key={column} value={column}>
                      {column}
                    </option>
                  ))}
                </select>
                <Notes id={`${id}-${index}`} hint={exampleOf(family)} error={error} />
              </div>
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}
