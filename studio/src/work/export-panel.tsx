import { useSignal } from "@preact/signals";
import { ApiError, api, formats, sentenceOf, type Target, unwrap } from "../api.ts";
import { useExports } from "../parts/exports-of.ts";
import { Alert } from "../parts/field.tsx";
import { Jobs } from "../parts/jobs.tsx";
import { asUser } from "../session.ts";
import { t } from "../words.ts";
import { type Bench, draftOfBench, ownFormat, playhead } from "./bench.ts";
import { withEditor } from "./draft.ts";
import { Frame } from "./frame.tsx";
import { exportOf, requestOf, targetsOf } from "./request.ts";
import { Versions } from "./versions.tsx";

/** The film in each format at the playhead, and its export. */
export function ExportPanel({ bench }: { bench: Bench }) {
  const { session, ids, target } = bench;
  const { jobs, failure, put } = useExports(ids.workId);
  const isAsking = useSignal(false);
  const draft = draftOfBench(bench);
  const own = ownFormat(draft);
  const chosen = targetsOf(draft);
  const request = requestOf(draft, ids);

  const start = async () => {
    failure.value = undefined;
    isAsking.value = true;
    try {
      // changes saved later would look newer than the export
      await session.flush();
      put(await asUser(() => unwrap(api.exports.$post({ json: exportOf(draft, ids) }))));
    } catch (error) {
      failure.value = error;
    }
    isAsking.value = false;
  };
  const choose = (name: Target, isOn: boolean) => {
    const targets = formats.filter((each) => (each === name ? isOn : chosen.includes(each)));
    session.change((before) =>
      withEditor(before, {
        targets: undefined,
        exportSettings: { ...before.editor.exportSettings, targets: targets.length > 0 ? targets : undefined },
      }),
    );
  };
  const { value } = failure;
  const work = session.work.value;
  const isUnsaved = session.saving.value.kind !== "saved";
  return (
    <div class="export">
      <ul class="targets">
        {formats.map((name) => (
          <li key={name} data-format={name}>
            <button
              type="button"
              aria-pressed={(target.value ?? own) === name}
              onClick={() => {
                target.value = name === own ? undefined : name;
              }}
            >
              <span class="poster">
                <Frame
                  {...{ request, target: name, version: session.version.value }}
                  seconds={playhead(bench)}
                  maxSide={320}
                  alt=""
                />
              </span>
              <span class="unseen">{t("workPlayFormat", { format: name })}</span>
            </button>
            <label class="check">
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={({ currentTarget }) => choose(name, currentTarget.checked)}
              />
              <span>{name}</span>
            </label>
          </li>
        ))}
      </ul>
      <p class="hint">{t("workFormatsHint")}</p>
      <p class="actions">
        <button type="button" class="button" disabled={isAsking.value} onClick={() => void start()}>
          {t("workExportNow")}
        </button>
        <span class="soft">{t("mayLeave")}</span>
      </p>
      {value !== undefined && (
        <Alert>
          {sentenceOf(value)}
          {value instanceof ApiError && value.code === "validation_error" && value.details[0] && (
            <> {`${value.details[0].path}: ${value.details[0].message}`}</>
          )}
        </Alert>
      )}
      <Jobs jobs={jobs.value} isOlder={({ createdAt }) => isUnsaved || work.updatedAt > createdAt} />
      <Versions bench={bench} />
    </div>
  );
}
