import { useSignal } from "@preact/signals";
import { captionPlaces, captionStyles } from "../../../src/engine/timeline/captions/track.ts";
import { Choice } from "../parts/choice.tsx";
import { FileButton } from "../parts/file-button.tsx";
import { Failure } from "../parts/loaded.tsx";
import { filmLanguages, languageName, t, timeText } from "../words.ts";
import { type Bench, captionsOf, draftOfBench, focusOn, playhead } from "./bench.ts";
import { type Row, translateCaptions, writeCaptions } from "./captions.ts";
import { leastSeconds } from "./clips.ts";
import { type Captions, round, withEditor } from "./draft.ts";
import { NumberField } from "./inputs.tsx";
import { makeCaptions, rowOf } from "./made-captions.ts";
import { requestOf } from "./request.ts";
import { decodeText } from "./text-file.ts";

const newRowSeconds = 2;

/** Edits captions line by line: times, words and style. */
export function CaptionTable({ bench }: { bench: Bench }) {
  const { session, ids } = bench;
  const failure = useSignal<unknown>(undefined);
  const draft = draftOfBench(bench);
  const { captions } = draft.editor;
  const request = requestOf(draft, ids);
  const style = (changes: Partial<Captions>) =>
    session.change((before) => withEditor(before, { captions: { ...before.editor.captions, ...changes } }));
  const rows = captionsOf(bench);
  const write = (next: readonly Row[], tag?: string) => {
    const ordered = next.toSorted((one, other) => one.start - other.start);
    session.change((before) => writeCaptions(before, ordered), tag);
  };
  const change = (at: number, changes: Partial<Row>, tag: string) => {
    const row = rows[at]!; // safe because a row calls it
    const isWordForWord = (changes.text ?? row.text).trim().split(/\s+/).length === row.marks?.length;
    const { marks: _marks, ...plain } = row;
    write(
      rows.with(at, { ...(isWordForWord && changes.start === undefined ? row : plain), ...changes }),
      `${tag} ${at}`,
    );
  };
  const attempt = (act: () => Promise<void>) => {
    failure.value = undefined;
    act().catch((error: unknown) => {
      failure.value = error;
    });
  };
  const read = (file: File) =>
    attempt(async () => {
      const text = decodeText(new Uint8Array(await file.arrayBuffer()));
      const given = /^\uFEFF?WEBVTT/.test(text) ? { vtt: text } : { srt: text };
      const { pages } = await makeCaptions({ ...request, captions: given });
      write(pages.map(rowOf));
    });
  const download = (format: "srt" | "vtt") =>
    attempt(async () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([(await makeCaptions(request))[format]], { type: "text/plain" }));
      link.download = `${session.work.value.name}.${format}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    });
  const add = () => {
    const start = round(playhead(bench));
    write([...rows, { start, end: round(start + newRowSeconds), text: t("workNewCaption") }]);
  };
  const now = playhead(bench);
  const file = (
    <FileButton accept=".srt,.vtt" onFiles={([file]) => read(file)}>
      {t("workImport")}
    </FileButton>
  );
  if (!captions) {
    return (
      <div class="captions">
        <p class="soft">{t("workNoCaptions")}</p>
        <p class="tools">
          <button
            type="button"
            class="small"
            onClick={() => {
              style({ style: "karaoke" });
              focusOn(".captions select");
            }}
          >
            {t("workShowCaptions")}
          </button>
          {file}
        </p>
        <Failure of={failure.value ?? bench.madeFailure.value} />
      </div>
    );
  }
  const { position = "bottom" } = captions;
  // the language of a work may be any text
  const language =
    captions.language ?? filmLanguages.find((tag) => session.work.value.language?.startsWith(tag)) ?? "en";
  return (
    <div class="captions">
      <div class="fields">
        <Choice
          label={t("workStyle")}
          value={captions.style ?? "plain"}
          options={captionStyles.map((name) => [name, t(`workStyle_${name}`)] as const)}
          onChange={(name) => style({ style: name })}
        />
        <Choice
          label={t("workPosition")}
          value={typeof position === "string" ? position : "own"}
          options={[
            ...captionPlaces.map((name) => [name, t(`workPosition_${name}`)] as const),
            ...(typeof position === "string" ? [] : [["own", t("workPosition_own")] as const]),
          ]}
          onChange={(name) => name !== "own" && style({ position: name as (typeof captionPlaces)[number] })}
        />
        <Choice
          label={t("filmLanguage")}
          value={language}
          options={[...new Set([language, ...filmLanguages])].map((tag) => [tag, languageName(tag)] as const)}
          onChange={(tag) => session.change((before) => translateCaptions(before, rows, language, tag))}
          hint={t("workLanguageHint")}
        />
      </div>
      <Failure of={failure.value ?? bench.madeFailure.value} />
      {rows.length > 0 && (
        <table class="caption-rows">
          <caption class="unseen">{t("workCaptions")}</caption>
          <thead>
            <tr>
              {(["workShow", "workFrom", "workTo", "workWords", "workRemove"] as const).map((word) => (
                <th key={word} scope="col">
                  <span class={word === "workShow" || word === "workRemove" ? "unseen" : undefined}>{t(word)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <CaptionRow
                // rows have no ids: an edited row keeps its index
                key={at}
                row={row}
                number={at + 1}
                isNow={row.start <= now + 0.001 && row.end > now}
                onShow={() => bench.seek(row.start)}
                onChange={(changes, tag) => change(at, changes, tag)}
                onRemove={() => {
                  write(rows.toSpliced(at, 1));
                  if (at === rows.length - 1) focusOn(".captions .tools button");
                }}
              />
            ))}
          </tbody>
        </table>
      )}
      <p class="tools">
        <button type="button" class="tool" onClick={add}>
          {t("workAddCaption")}
        </button>
        {file}
        {rows.length > 0 &&
          (["srt", "vtt"] as const).map((format) => (
            <button key={format} type="button" class="tool" onClick={() => download(format)}>
              {t("workSaveAs", { format: format.toUpperCase() })}
            </button>
          ))}
        <button
          type="button"
          class="tool"
          onClick={() => {
            session.change((before) => withEditor(before, { captions: undefined }));
            focusOn(".captions button");
          }}
        >
          {t("workHideCaptions")}
        </button>
      </p>
    </div>
  );
}

type CaptionRowProps = {
  readonly row: Row;
  readonly number: number;
  readonly isNow: boolean;
  readonly onShow: () => void;
  readonly onChange: (changes: Partial<Row>, tag: string) => void;
  readonly onRemove: () => void;
};

function CaptionRow({ row, number, isNow, onShow, onChange, onRemove }: CaptionRowProps) {
  return (
    <tr aria-current={isNow ? "true" : undefined}>
      <td>
        <button type="button" class="plain at" onClick={onShow}>
          <span class="unseen">{t("jumpTo", { time: timeText(row.start) })}</span>
          <span aria-hidden="true">{timeText(row.start)}</span>
        </button>
      </td>
      <td>
        <NumberField
          label={t("workFromOf", { number })}
          value={row.start}
          min={0}
          max={row.end - leastSeconds}
          step={0.1}
          onValue={(start) => onChange({ start }, "start")}
        />
      </td>
      <td>
        <NumberField
          label={t("workToOf", { number })}
          value={row.end}
          min={row.start + leastSeconds}
          max={3600}
          step={0.1}
          onValue={(end) => onChange({ end }, "end")}
        />
      </td>
      <td>
        <textarea
          rows={row.text.split("\n").length}
          dir="auto"
          aria-label={t("workWordsOf", { number })}
          value={row.text}
          onInput={({ currentTarget }) => onChange({ text: currentTarget.value }, "text")}
        />
      </td>
      <td>
        <button type="button" class="cross" onClick={onRemove}>
          <span class="unseen">{t("workRemoveRow", { number })}</span>
        </button>
      </td>
    </tr>
  );
}
