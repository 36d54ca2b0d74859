import { type Signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Film } from "../api.ts";
import { t } from "../words.ts";
import { Area } from "./field.tsx";

/** A film's scenes before it is ordered. */
export type Script = NonNullable<Estimated["scenario"]>;
export type Estimated = Pick<Film, "estimate" | "warnings"> & {
  readonly scenario?: readonly {
    readonly text_overlay?: string | undefined;
    readonly duration_seconds: number;
  }[];
};

const minSceneSeconds = 1;
const newScene = { duration_seconds: 3, text_overlay: "" };

/** Moves a scene to another index. */
export function moved(script: Script, from: number, to: number): Script {
  const others = script.filter((_, index) => index !== from);
  return [...others.slice(0, to), ...script.slice(from, from + 1), ...others.slice(to)];
}

const secondsOf = (script: Script) => script.reduce((sum, scene) => sum + scene.duration_seconds, 0);

/** The script with this length, in the same proportions. */
export function lasting(script: Script, seconds: number): Script {
  const factor = seconds / secondsOf(script);
  const scaled = (length: number) => Math.max(minSceneSeconds, Math.round(length * factor * 10) / 10);
  return script.map((scene) => ({ ...scene, duration_seconds: scaled(scene.duration_seconds) }));
}

type ScriptProps = {
  readonly planned: Script;
  /** The script with the person's changes; undefined while it is as planned. */
  readonly edited: Signal<Script | undefined>;
};

/** The scenes of a film as cards, which are edited before anything is made. */
export function ScriptCards({ planned, edited }: ScriptProps) {
  const script = edited.value ?? planned;
  const list = useRef<HTMLOListElement>(null);
  const said = useSignal("");
  const change = (next: Script, focus: number) => {
    edited.value = next;
    // after the cards have moved
    requestAnimationFrame(() => list.current?.querySelectorAll("textarea")[Math.max(0, focus)]?.focus());
  };
  const write = (at: number, fields: Partial<Script[number]>) => {
    edited.value = script.map((scene, index) => {
      if (index !== at) return scene;
      // the voice says the new words
      const { voice_text: _, ...rest } = { ...scene, ...fields } as typeof scene & { voice_text?: string };
      return "text_overlay" in fields ? rest : { ...scene, ...fields };
    });
  };
  const move = (from: number, to: number) => {
    change(moved(script, from, to), to);
    said.value = t("scene", { number: to + 1 });
  };
  return (
    <section class="script" aria-labelledby="script-title">
      <p class="script-head">
        <b id="script-title">{t("script")}</b>
        <span class="soft" role="status">
          {t("seconds", { count: Math.round(secondsOf(script) * 10) / 10 })} <span class="unseen">{said.value}</span>
        </span>
        {edited.value && (
          <button
            type="button"
            class="plain"
            onClick={() => {
              edited.value = undefined;
            }}
          >
            {t("scriptAgain")}
          </button>
        )}
      </p>
      <ol ref={list}>
        {script.map((scene, index) => {
          const number = index + 1;
          const of = <span class="unseen"> {t("scene", { number })}</span>;
          return (
            <li key={index}>
              <Area
                label={t("wordsOf", { number })}
                isLabelUnseen
                rows={2}
                maxLength={500}
                placeholder={t("nameAlone")}
                value={scene.text_overlay ?? ""}
                onInput={({ currentTarget }) => write(index, { text_overlay: currentTarget.value })}
              />
              <p class="tools">
                <label>
                  <span class="unseen">{t("lengthOf", { number })}</span>
                  <input
                    type="number"
                    min={minSceneSeconds}
                    max={60}
                    step="any"
                    value={scene.duration_seconds}
                    onChange={({ currentTarget: { valueAsNumber: seconds } }) => {
                      if (seconds >= minSceneSeconds) write(index, { duration_seconds: Math.min(seconds, 60) });
                    }}
                  />{" "}
                  <span aria-hidden="true">s</span>
                </label>
                <button type="button" class="tool" disabled={index === 0} onClick={() => move(index, index - 1)}>
                  <span aria-hidden="true">←</span>
                  <span class="unseen">{t("workEarlier")}</span>
                  {of}
                </button>
                <button
                  type="button"
                  class="tool"
                  disabled={number === script.length}
                  onClick={() => move(index, number)}
                >
                  <span aria-hidden="true">→</span>
                  <span class="unseen">{t("workLater")}</span>
                  {of}
                </button>
                <button
                  type="button"
                  class="tool"
                  disabled={script.length === 1}
                  onClick={() =>
                    change(
                      script.filter((_, other) => other !== index),
                      index - 1,
                    )
                  }
                >
                  <span aria-hidden="true">×</span>
                  <span class="unseen">{t("remove")}</span>
                  {of}
                </button>
              </p>
            </li>
          );
        })}
        <li class="add">
          <button
            type="button"
            class="tool"
            // the last scene is the end card
            onClick={() => change(moved([...script, newScene], script.length, script.length - 1), script.length - 1)}
          >
            {t("sceneAdd")}
          </button>
        </li>
      </ol>
    </section>
  );
}
