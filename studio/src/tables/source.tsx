import type { Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { BatchReport } from "../api.ts";
import { described, Notes } from "../parts/field.tsx";
import { droppable, FileButton } from "../parts/file-button.tsx";
import { t } from "../words.ts";
import { TableHead } from "./table-head.tsx";

type SourceProps = {
  readonly table: Signal<File | undefined>;
  readonly error: string | undefined;
  readonly report: BatchReport | undefined;
};

/** Equal text is the same file, also after a reload. */
const fileOf = (text: string, name: string) => new File([text], name, { type: "text/csv", lastModified: 0 });

/** Takes a pasted, dropped or chosen table. */
export function Source({ table, error, report }: SourceProps) {
  const id = useId();
  const take = (file: File | undefined) => {
    if (file) table.value = file;
  };
  const { columns = [], sample = [], counts } = report ?? {};
  return (
    <section class="card source" {...droppable(([file]) => take(file))}>
      <h2>{t("tableSource")}</h2>
      {table.value ? (
        <>
          <p class="actions">
            <span role="status">
              <b>{table.value.name}</b>{" "}
              <span class="soft">{counts && t("tableSize", { rows: counts.rows, columns: columns.length })}</span>
            </span>
            <button
              type="button"
              class="plain"
              onClick={() => {
                table.value = undefined;
              }}
            >
              {t("tableOther")}
            </button>
          </p>
          <Notes id={id} error={error} />
          {sample.length > 0 && (
            <TableHead columns={columns} rows={sample.map((row) => columns.map((column) => row[column] ?? ""))} />
          )}
        </>
      ) : (
        <>
          <div class="field">
            <label for={id}>{t("tablePaste")}</label>
            <textarea
              id={id}
              rows={5}
              dir="auto"
              spellcheck={false}
              placeholder={t("tablePasteExample")}
              onPaste={(event) => {
                const text = event.clipboardData?.getData("text/plain") ?? "";
                if (!text.trim()) return;
                event.preventDefault();
                take(fileOf(text, t("tablePasted")));
              }}
              onChange={({ currentTarget: { value } }) => value.trim() && take(fileOf(value, t("tablePasted")))}
              {...described(id, t("tablePasteHint"), error)}
            />
            <Notes id={id} hint={t("tablePasteHint")} error={error} />
          </div>
          <p class="actions">
            <FileButton class="small" accept=".csv,.tsv,.txt,.json,.ndjson,text/csv" onFiles={([file]) => take(file)}>
              {t("tableFile")}
            </FileButton>
            <button type="button" class="plain" onClick={() => take(fileOf(t("tableSample"), t("tableSampleName")))}>
              {t("tableUseSample")}
            </button>
          </p>
        </>
      )}
    </section>
  );
}
