import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { type Asset, newId } from "../api.ts";
import { AssetDialog } from "../parts/asset-dialog.tsx";
import { useAttempt } from "../parts/attempt.ts";
import { Area } from "../parts/field.tsx";
import { FileButton } from "../parts/file-button.tsx";
import { Failure } from "../parts/loaded.tsx";
import { groupsOf, memberKey } from "../strip/items.ts";
import { t, timeText } from "../words.ts";
import { type Bench, draftOfBench, focusOn, playhead } from "./bench.ts";
import { leastSeconds } from "./clips.ts";
import { type Draft, newRange, type Overlay, type Range } from "./draft.ts";
import { addFiles, layerFiles } from "./dropped.ts";
import { NumberField } from "./inputs.tsx";
import { KeyFields } from "./key-fields.tsx";
import { posed, putKeyed } from "./keyframes.ts";
import { LogoPanel } from "./logo-panel.tsx";
import { MoveChoices } from "./move-choice.tsx";
import { type OverlayKind, type Placed, putOverlay, removeOverlay } from "./overlays.ts";
import { PictureFields } from "./picture-fields.tsx";
import { boxOf, placeAt } from "./places.ts";
import { Replace } from "./replace.tsx";
import { FilmStyle } from "./style-panel.tsx";
import { measure, nameOf } from "./text-boxes.tsx";
import { withWords, wordsOf } from "./words-in.ts";

const newTextSeconds = 3;

/** Lists the words and images over the film, and edits the chosen one. */
export function TextPanel({ bench }: { bench: Bench }) {
  const { session, ids, overlay: chosen } = bench;
  const draft = draftOfBench(bench);
  const titles = titlesOf(draft);
  const now = playhead(bench);
  const isCurrent = ({ id, kind }: Placed) => id === chosen.value?.id && kind === chosen.value.kind;
  const shown = titles.find(({ members }) => members.some(isCurrent));
  const current = shown?.members.find(isCurrent);
  const isChoosing = useSignal(false);
  const { failure, attempt } = useAttempt();
  const { width, height } = draft.editor.exportSettings;
  const side = Math.min(width, height);
  const add = (kind: OverlayKind, overlay: Overlay) => {
    // unlike the ids of other editors, which could be equal
    const name = { kind, id: `${kind}-${newId()}-s` };
    const range = newRange(draft, now, newTextSeconds);
    session.change((before) => putOverlay(before, name, { ...overlay, centerX: 0, centerY: 0 }, range));
    chosen.value = name;
    focusOn(".texts .details :is(textarea, input)");
  };
  const addText = () =>
    add("text", { text: t("workNewText"), fontSize: Math.round(side / 14), fontColor: "#ffffff", fontWeight: 800 });
  const addImage = async ({ id: assetId, width: across = 1, height: down = 1 }: Asset) =>
    add("image", { assetId, width: Math.round(side / 3), height: Math.round((side / 3) * (down / across)) });
  return (
    <div class="texts">
      {titles.length === 0 && <p class="soft">{t("workNoTexts")}</p>}
      <ol class="rows">
        {titles.map((title) => {
          const { each } = title;
          return (
            <li key={memberKey(each)}>
              <button
                type="button"
                aria-pressed={title === shown}
                onClick={() => {
                  chosen.value = each;
                  bench.chosen.value = [memberKey(each)];
                  // slightly later, because words may appear slowly
                  if (now < each.start || now >= each.end)
                    bench.seek(Math.min(each.start + 0.5, (each.start + each.end) / 2));
                }}
              >
                <span class="at">{timeText(each.start)}</span>
                <span dir="auto">{title.name}</span>
              </button>
            </li>
          );
        })}
      </ol>
      <p class="tools">
        <button type="button" class="tool" onClick={addText}>
          {t("workAddText")}
        </button>
        <button
          type="button"
          class="tool"
          onClick={() => {
            isChoosing.value = true;
          }}
        >
          {t("workAddImage")}
        </button>
        <FileButton accept={layerFiles} multiple onFiles={(files) => void attempt(() => addFiles(bench, files))}>
          {t("addFile")}
        </FileButton>
      </p>
      <p class="hint">{t("addFileHint")}</p>
      <Failure of={failure.value} />
      {isChoosing.value && (
        <AssetDialog
          projectId={ids.projectId}
          title={t("workAddImage")}
          types={["image"]}
          onChoose={addImage}
          onClose={() => {
            isChoosing.value = false;
          }}
        />
      )}
      {shown && current && shown.members.length > 1 && (
        <TitleFields key={memberKey(shown.each)} bench={bench} title={shown} current={current} />
      )}
      {current && (
        <OverlayFields key={current.id} bench={bench} placed={current} hasWords={shown?.members.length === 1} />
      )}
      <FilmStyle bench={bench} />
      <LogoPanel bench={bench} />
      {titles.length > 0 && <Replace bench={bench} />}
    </div>
  );
}

/** What a person sees as one text: its texts with the parts of its look; or a picture alone. */
type Title = { readonly each: Placed; readonly name: string; readonly members: readonly Placed[] };

const titlesOf = (draft: Draft): readonly Title[] =>
  groupsOf(draft)
    .flatMap((group): readonly Title[] => {
      const texts = group.filter(({ kind }) => kind === "text");
      const others = group.filter(({ kind }) => kind !== "text");
      const [each] = texts;
      if (!each) return others.map((other) => ({ each: other, name: nameOf(other), members: [other] }));
      return [{ each, name: texts.map(nameOf).join(" · "), members: [...texts, ...others] }];
    })
    .toSorted((one, other) => one.each.start - other.each.start);

type TitleFieldsProps = { readonly bench: Bench; readonly title: Title; readonly current: Placed };

/** The words of a title, and the choice of the part that the fields below change. */
function TitleFields({ bench, title: { members }, current }: TitleFieldsProps) {
  const { session, overlay: chosen } = bench;
  const name = useId();
  return (
    <section class="card details" aria-label={t("workWords")}>
      {members
        .filter(({ kind }) => kind === "text")
        .map((placed, at) => (
          <Area
            key={placed.id}
            label={at === 0 ? t("workWords") : `${t("workWords")} ${at + 1}`}
            rows={wordsOf(placed.overlay).split("\n").length}
            value={wordsOf(placed.overlay)}
            onFocus={() => {
              chosen.value = placed;
            }}
            onInput={({ currentTarget: { value } }) =>
              session.change(
                (draft) => putOverlay(draft, placed, withWords(placed.overlay, value)),
                `words ${placed.id}`,
              )
            }
          />
        ))}
      <fieldset class="parts">
        <legend>{t("textParts")}</legend>
        {members.map((placed) => (
          <label key={memberKey(placed)} class="check">
            <input
              type="radio"
              name={name}
              checked={placed.id === current.id && placed.kind === current.kind}
              onChange={() => {
                chosen.value = placed;
              }}
            />
            <span dir="auto">{nameOf(placed)}</span>
          </label>
        ))}
      </fieldset>
    </section>
  );
}

const numberOr = (value: unknown, fallback: number): number => (typeof value === "number" ? value : fallback);

type OverlayFieldsProps = { readonly bench: Bench; readonly placed: Placed; readonly hasWords: boolean };

function OverlayFields({ bench, placed, hasWords }: OverlayFieldsProps) {
  const { session, overlay: chosen } = bench;
  const id = useId();
  const { kind, overlay, start, end } = placed;
  const frame = draftOfBench(bench).editor.exportSettings;
  const now = playhead(bench);
  const box = boxOf(kind, posed(placed, now), frame, measure);
  const set = (changes: Placed["overlay"], tag: string, range?: Range) =>
    session.change(
      (draft) => (range ? putOverlay(draft, placed, changes, range) : putKeyed(draft, placed, changes, now)),
      `${tag} ${placed.id}`,
    );
  const place = (changes: Partial<typeof box>) =>
    set(placeAt(kind, overlay, { ...box, ...changes }, frame), Object.keys(changes).join());
  const color = typeof overlay.fontColor === "string" ? overlay.fontColor : "#ffffff";
  return (
    <section class="card details" aria-label={nameOf(placed)}>
      {kind === "text" && hasWords && (
        <Area
          label={t("workWords")}
          rows={2}
          value={wordsOf(overlay)}
          onInput={({ currentTarget }) => set(withWords(overlay, currentTarget.value), "words")}
        />
      )}
      <div class="fields">
        {kind === "text" ? (
          <>
            <NumberField
              label={t("workSize")}
              value={numberOr(overlay.fontSize, 48)}
              min={1}
              max={1000}
              step={1}
              onValue={(fontSize) => set({ fontSize }, "size")}
            />
            <div class="field">
              <label for={`${id}-color`}>{t("workColor")}</label>
              <input
                id={`${id}-color`}
                type="color"
                value={/^#[\da-f]{6}$/i.test(color) ? color : "#ffffff"}
                onInput={({ currentTarget }) => set({ fontColor: currentTarget.value }, "color")}
              />
            </div>
          </>
        ) : (
          (["width", "height"] as const).map((side) => (
            <NumberField
              key={side}
              label={t(side === "width" ? "workWidth" : "workHeight")}
              value={Math.round(box[side])}
              min={1}
              max={16_000}
              step={10}
              onValue={(value) => set({ [side]: value }, side)}
            />
          ))
        )}
        {kind === "text" && (
          <NumberField
            label={t("workWidth")}
            value={Math.round(numberOr(overlay.maxWidth, frame.width * 0.9))}
            min={20}
            max={16_000}
            step={10}
            onValue={(maxWidth) => set({ maxWidth }, "width")}
          />
        )}
      </div>
      <div class="fields">
        {(["x", "y"] as const).map((axis) => (
          <NumberField
            key={axis}
            label={t(axis === "x" ? "workHorizontal" : "workVertical")}
            value={Math.round(box[axis])}
            min={-8000}
            max={8000}
            step={10}
            onValue={(value) => place({ [axis]: value })}
          />
        ))}
        <NumberField
          label={t("workFrom")}
          value={start}
          min={0}
          max={end - leastSeconds}
          step={0.1}
          onValue={(value) => set({}, "from", { start: value, end })}
        />
        <NumberField
          label={t("workTo")}
          value={end}
          min={start + leastSeconds}
          max={3600}
          step={0.1}
          onValue={(value) => set({}, "to", { start, end: value })}
        />
      </div>
      <p class="hint">{t("workKeysHint")}</p>
      {kind !== "text" && <PictureFields of={overlay} hasBlend onFields={set} />}
      <MoveChoices kind={kind} overlay={overlay} onFields={set} />
      <KeyFields {...{ bench, placed }} place={placeAt(kind, overlay, box, frame)} onFields={set} />
      <p class="tools">
        <button type="button" class="tool" onClick={() => place({ x: 0 })}>
          {t("workCenter")}
        </button>
        <button
          type="button"
          class="tool"
          onClick={() => {
            session.change((draft) => removeOverlay(draft, placed));
            chosen.value = undefined;
            focusOn(".texts .tool");
          }}
        >
          {t("remove")}
        </button>
      </p>
    </section>
  );
}
