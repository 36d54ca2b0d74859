import { Choice } from "../parts/choice.tsx";
import { t, timeText, type Word } from "../words.ts";
import { type Bench, draftOfBench, playhead } from "./bench.ts";
import type { Overlay } from "./draft.ts";
import { Slider } from "./inputs.tsx";
import { easingAt, keyTimes, posed, removeKey, setEasing, setKey } from "./keyframes.ts";
import type { Placed } from "./overlays.ts";

const easings = ["linear", "ease-in-out", "ease-in", "ease-out", "out-back", "step"] as const;

type KeyFieldsProps = {
  readonly bench: Bench;
  readonly placed: Placed;
  /** The fields of its place, as it is at the playhead. */
  readonly place: Overlay;
  readonly onFields: (changes: Overlay, tag: string) => void;
};

/** The keys of an overlay: its place, scale, turn and opacity at times. */
export function KeyFields({ bench, placed, place, onFields }: KeyFieldsProps) {
  const { session } = bench;
  const now = playhead(bench);
  const times = keyTimes(placed);
  const frame = 1 / draftOfBench(bench).editor.exportSettings.fps;
  const at = times.find((time) => Math.abs(time - now) < frame * 0.6);
  const before = times.findLast((time) => time < now - frame * 0.6);
  const after = times.find((time) => time > now + frame * 0.6);
  const { scale, opacity } = posed(placed, now);
  const numberOf = (value: unknown) => (typeof value === "number" ? value : 1);
  const isShown = now >= placed.start - 0.001 && now <= placed.end;
  return (
    <details class="picture-fields" open={times.length > 0 || undefined}>
      <summary>{t("keyframes")}</summary>
      <p class="tools">
        <button
          type="button"
          class="tool"
          disabled={before === undefined}
          aria-label={t("keyBefore")}
          onClick={() => bench.seek(before ?? now)}
        >
          ←
        </button>
        <button
          type="button"
          class="tool"
          disabled={!isShown}
          onClick={() =>
            session.change((draft) =>
              at === undefined ? setKey(draft, placed, place, now) : removeKey(draft, placed, at),
            )
          }
        >
          {t(at === undefined ? "keySet" : "keyRemove")}
        </button>
        <button
          type="button"
          class="tool"
          disabled={after === undefined}
          aria-label={t("keyAfter")}
          onClick={() => bench.seek(after ?? now)}
        >
          →
        </button>
        <span class="soft" role="status">
          {at === undefined ? "" : t("keyAt", { time: timeText(at) })}
        </span>
      </p>
      {times.length > 0 ? (
        <div class="fields">
          <Slider
            label={t("scale")}
            {...{ value: numberOf(scale), min: 0.1, max: 3, step: 0.05 }}
            text={`${Math.round(numberOf(scale) * 100)} %`}
            onValue={(value) => onFields({ scale: value }, "scale")}
          />
          <Slider
            label={t("opacity")}
            {...{ value: numberOf(opacity), max: 1, step: 0.05 }}
            text={`${Math.round(numberOf(opacity) * 100)} %`}
            onValue={(value) => onFields({ opacity: value }, "opacity")}
          />
          {at !== undefined && at !== times[0] && (
            <Choice
              label={t("easing")}
              value={easingAt(placed, at) ?? "linear"}
              options={easings.map((name) => [name as string, t(`easing_${name}` as Word)])}
              onChange={(name) =>
                session.change((draft) => setEasing(draft, placed, at, name === "linear" ? undefined : name))
              }
            />
          )}
        </div>
      ) : (
        <p class="hint">{t("keysHint")}</p>
      )}
    </details>
  );
}
