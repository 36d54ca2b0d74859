import { useSignal } from "@preact/signals";
import { clipFits, transitionKinds } from "../../../src/engine/timeline/track.ts";
import { Choice } from "../parts/choice.tsx";
import { memberKey } from "../strip/items.ts";
import { t, timeText } from "../words.ts";
import { AddClips } from "./add-clips.tsx";
import { type Bench, draftOfBench, focusOn, ownFormat } from "./bench.ts";
import { ClipFile } from "./clip-file.tsx";
import { changeClip, leastSeconds, moveClip, removeClip, trimClip } from "./clips.ts";
import { type Clip, clipsOf } from "./draft.ts";
import { Frame } from "./frame.tsx";
import { NumberField, Slider } from "./inputs.tsx";
import { PictureFields } from "./picture-fields.tsx";
import { requestOfClip } from "./request.ts";

/** The scenes as cards with their pictures, and the form for the chosen one. */
export function Storyboard({ bench }: { bench: Bench }) {
  const { session, ids, clip: chosen } = bench;
  const dragged = useSignal<string | undefined>(undefined);
  const over = useSignal<number | undefined>(undefined);
  const said = useSignal("");
  const draft = draftOfBench(bench);
  const clips = clipsOf(draft);
  const current = clips.find(({ id }) => id === chosen.value) ?? clips[0];

  const choose = (id: string) => {
    chosen.value = id;
    bench.chosen.value = [memberKey({ kind: "clip", id })];
    bench.seek(whereSeen(clipsOf(draftOfBench(bench)), id));
  };
  const move = (id: string, to: number) => {
    session.change((before) => moveClip(before, id, to));
    choose(id);
    const place = clipsOf(draftOfBench(bench)).findIndex((clip) => clip.id === id) + 1;
    said.value = t("workMoved", { number: place, count: clips.length });
  };
  const end = () => {
    dragged.value = undefined;
    over.value = undefined;
  };
  return (
    <div class="storyboard">
      <ol class="cards" data-format={ownFormat(draft)}>
        {clips.map((clip, at) => {
          const length = clip.end - clip.start;
          return (
            <li
              key={clip.id}
              draggable
              data-dragged={dragged.value === clip.id ? "" : undefined}
              data-over={over.value === at && dragged.value !== clip.id ? "" : undefined}
              onDragStart={(event) => {
                dragged.value = clip.id;
                event.dataTransfer?.setData("text/plain", clip.id);
              }}
              onDragOver={(event) => {
                if (!dragged.value) return;
                event.preventDefault();
                over.value = at;
              }}
              onDrop={(event) => {
                event.preventDefault();
                if (dragged.value) move(dragged.value, at);
                end();
              }}
              onDragEnd={end}
            >
              <button
                type="button"
                class="scene-card"
                aria-pressed={clip.id === current?.id}
                onClick={() => choose(clip.id)}
              >
                <span class="poster">
                  <Frame
                    request={requestOfClip(draft, ids, clip)}
                    seconds={Math.round((length / 2) * 1000) / 1000}
                    maxSide={320}
                    version={session.version.value}
                    alt=""
                  />
                </span>
                <span>
                  <b>{t("scene", { number: at + 1 })}</b>{" "}
                  <span class="soft">{t("seconds", { count: Math.round(length * 10) / 10 })}</span>
                </span>
              </button>
            </li>
          );
        })}
      </ol>
      <AddClips bench={bench} />
      <p class="unseen" role="status">
        {said.value}
      </p>
      {current && <ClipFields key={current.id} bench={bench} clip={current} move={move} />}
    </div>
  );
}

/** The first moment after the transition from the scene before. */
function whereSeen(clips: readonly Clip[], id: string): number {
  const at = clips.findIndex((clip) => clip.id === id);
  const { start, end } = clips[at]!; // safe because it was chosen
  const { transitionType = "cut", transitionDuration } = clips[at - 1] ?? {};
  const comes = transitionType === "cut" ? 0 : transitionDuration || defaultTransition;
  return start + Math.min(comes, (end - start) / 2);
}

const setStart = (bench: Bench, clip: Clip) => {
  const { trimStart = 0, start, end } = clip;
  const by = Math.max(0, Math.min(bench.at.value, end - leastSeconds) - start);
  bench.session.change((draft) => trimClip(draft, clip.id, { from: trimStart + by, to: trimStart + end - start }));
  bench.seek(start);
};

const setEnd = (bench: Bench, clip: Clip) => {
  const { trimStart = 0, start } = clip;
  const { fps } = draftOfBench(bench).editor.exportSettings;
  const length = Math.max(leastSeconds, bench.at.value + 1 / fps - start);
  bench.session.change((draft) => trimClip(draft, clip.id, { from: trimStart, to: trimStart + length }));
};

const defaultTransition = 0.5;

type ClipFieldsProps = {
  readonly bench: Bench;
  readonly clip: Clip;
  readonly move: (id: string, to: number) => void;
};

function ClipFields({ bench, clip, move }: ClipFieldsProps) {
  const { session } = bench;
  const clips = clipsOf(draftOfBench(bench));
  const at = clips.findIndex(({ id }) => id === clip.id);
  const { id, start, end, trimStart = 0, transitionType = "cut", transitionDuration } = clip;
  const [isFirst, isLast] = [at === 0, at === clips.length - 1];
  const to = trimStart + end - start;
  const focus = (clip.focus ?? { x: 0.5, y: 0.5 }) as { readonly x: number; readonly y: number };
  const set = (changes: Partial<Clip>, tag?: string) =>
    session.change((draft) => changeClip(draft, id, changes), tag && `${tag} ${id}`);
  const trim = (range: { from: number; to: number }, tag: string) =>
    session.change((draft) => trimClip(draft, id, range), `${tag} ${id}`);
  const isInside = bench.at.value > start && bench.at.value < end;
  const percent = (part: number) => `${Math.round(part * 100)} %`;
  return (
    <section class="card details" aria-labelledby="clip-title">
      <div class="details-head">
        <h2 id="clip-title">{t("scene", { number: at + 1 })}</h2>
        <p class="soft">{t("workFromTo", { from: timeText(start), to: timeText(end) })}</p>
      </div>
      <p class="tools">
        <button type="button" class="tool" disabled={isFirst} onClick={() => move(id, at - 1)}>
          {t("workEarlier")}
        </button>
        <button type="button" class="tool" disabled={isLast} onClick={() => move(id, at + 1)}>
          {t("workLater")}
        </button>
        <ClipFile bench={bench} clip={clip} />
        <button
          type="button"
          class="tool"
          disabled={clips.length === 1}
          onClick={() => {
            session.change((draft) => removeClip(draft, id));
            bench.clip.value = (clips[at + 1] ?? clips[at - 1])?.id;
            focusOn(".scene-card[aria-pressed=true]");
          }}
        >
          {t("remove")}
        </button>
      </p>
      <div class="fields">
        <NumberField
          label={t("workIn")}
          hint={t("workInHint")}
          value={trimStart}
          min={0}
          max={to - leastSeconds}
          step={0.1}
          onValue={(from) => trim({ from, to }, "in")}
        />
        <NumberField
          label={t("workOut")}
          hint={t("workOutHint")}
          value={to}
          min={trimStart + leastSeconds}
          max={trimStart + 3600}
          step={0.1}
          onValue={(value) => trim({ from: trimStart, to: value }, "out")}
        />
      </div>
      <p class="tools">
        <button type="button" class="tool" disabled={!isInside} onClick={() => setStart(bench, clip)}>
          {t("workStartHere")} <kbd>I</kbd>
        </button>
        <button type="button" class="tool" disabled={!isInside} onClick={() => setEnd(bench, clip)}>
          {t("workEndHere")} <kbd>O</kbd>
        </button>
      </p>
      {!isLast && (
        <div class="fields">
          <Choice
            label={t("workTransition")}
            value={transitionType}
            options={transitionKinds
              // the storyboard has no field for the picture of luma
              .filter((kind) => kind !== "luma" || transitionType === kind)
              .map((kind) => [kind, t(`workTransition_${kind}`)] as const)}
            onChange={(kind) => set({ transitionType: kind })}
          />
          {transitionType !== "cut" && (
            <NumberField
              label={t("workTransitionSeconds")}
              value={transitionDuration || defaultTransition}
              min={0.1}
              max={10}
              step={0.1}
              onValue={(value) => set({ transitionDuration: value }, "transition")}
            />
          )}
        </div>
      )}
      <div class="fields">
        <Choice
          label={t("workFit")}
          value={String(clip.fit ?? "contain")}
          options={clipFits.map((fit) => [fit, t(`workFit_${fit}`)] as const)}
          onChange={(fit) => set({ fit })}
        />
      </div>
      <div class="fields">
        <NumberField
          label={t("speed")}
          {...{ value: typeof clip.speed === "number" ? clip.speed : 1, min: 0.1, max: 10, step: 0.1 }}
          onValue={(speed) => set({ speed: speed === 1 ? undefined : speed }, "speed")}
        />
      </div>
      <PictureFields of={clip} onFields={set} />
      <fieldset class="fields">
        <legend>{t("workFocus")}</legend>
        <Slider
          label={t("workHorizontal")}
          value={focus.x}
          max={1}
          step={0.05}
          text={percent(focus.x)}
          onValue={(x) => set({ focus: { ...focus, x } }, "focus")}
        />
        <Slider
          label={t("workVertical")}
          value={focus.y}
          max={1}
          step={0.05}
          text={percent(focus.y)}
          onValue={(y) => set({ focus: { ...focus, y } }, "focus")}
        />
      </fieldset>
    </section>
  );
}
