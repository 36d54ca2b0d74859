import { api, type Batch, unwrap } from "../api.ts";
import { BudgetOrKey } from "../parts/budget-or-key.tsx";
import { useFollowed } from "../parts/followed.ts";
import { Failure, Unread } from "../parts/loaded.tsx";
import { Title } from "../parts/title.tsx";
import { tablesPath } from "../router.ts";
import { t, type Word } from "../words.ts";
import { Wall } from "./wall.tsx";

const routes = api.projects[":projectId"].batches[":batchId"];

const hasEnded = ({ status }: Batch): boolean => ["done", "partial", "error", "cancelled"].includes(status);

type BatchPath = { readonly projectId: string; readonly batchId: string };

/** The films of a table while they are made, and afterwards. */
export function BatchScreen({ projectId, batchId }: BatchPath) {
  const param = { projectId, batchId };
  const { item: batch, failure, again, change } = useFollowed(() => unwrap(routes.$get({ param })), followBatch);
  if (!batch.value) return <Unread of={failure.value} again={again} />;
  return (
    <div class="tables">
      <p>
        <a href={tablesPath(projectId)}>{t("tablesAll")}</a>
      </p>
      <header class="words">
        <Title quiet>{batch.value.name}</Title>
        <div role="status">
          <StateOfBatch batch={batch.value} />
        </div>
        {!hasEnded(batch.value) && <progress value={partDone(batch.value)} aria-label={t("progress")} />}
        <Failure of={failure.value} />
        <Waits batch={batch.value} change={change} />
        <Actions batch={batch.value} change={change} />
      </header>
      <Wall batch={batch.value} />
    </div>
  );
}

/** Calls `onState` with each state until the batch has ended. The browser reconnects automatically. */
function followBatch(batch: Batch, onState: (batch: Batch) => void): (() => void) | undefined {
  if (hasEnded(batch)) return undefined;
  const events = new EventSource(`/api/projects/${batch.projectId}/batches/${batch.id}/events`);
  for (const name of ["snapshot", "item", "waiting", "done", "partial", "error", "cancelled"]) {
    // `error` is also the event of a broken connection, which has no data
    events.addEventListener(name, (event) => {
      if (!(event instanceof MessageEvent)) return;
      const next: Batch = JSON.parse(event.data);
      onState(next);
      if (hasEnded(next)) events.close();
    });
  }
  return () => events.close();
}

function partDone({ status, checkedRows, counts }: Batch): number {
  if (status === "validating") return checkedRows / counts.rows;
  const { films, invalid, unchanged, done, error, cancelled } = counts;
  return (invalid + unchanged + done + error + cancelled) / films;
}

/** The state of a batch in one line. */
export function StateOfBatch({ batch }: { batch: Batch }) {
  const { status, counts, waitingReason, checkedRows } = batch;
  const { films, done, unchanged, invalid, error } = counts;
  const isPreview = status === "waiting" && batch.waitingAt === "preview";
  const values = { ...counts, checked: checkedRows, made: done + unchanged, failed: invalid + error, films };
  const isOver = status === "done" || status === "partial";
  return (
    <p class="state" data-state={status === "partial" ? "error" : status}>
      <span class="light" aria-hidden="true" />
      <span>
        {isPreview ? t("table_preview", values) : (!isOver && waitingReason) || t(`table_${status}` as Word, values)}
      </span>
    </p>
  );
}

/** The form that resumes a table waiting for money or a key. */
function Waits({ batch: { projectId, id: batchId, status, waitingFor }, change }: ActionsProps) {
  if (status !== "waiting") return null;
  const param = { projectId, batchId };
  return (
    <BudgetOrKey
      waitingFor={waitingFor}
      onBudget={(limit) => change(() => unwrap(routes.$put({ param, json: { budget: { limit } } })))}
      onKey={(key) => change(() => unwrap(routes.keys.$post({ param, header: { "x-api-key": key } })))}
    />
  );
}

type ActionsProps = { readonly batch: Batch; readonly change: (send: () => Promise<Batch>) => Promise<unknown> };

function Actions({ batch, change }: ActionsProps) {
  const { projectId, id: batchId, status, counts } = batch;
  const param = { projectId, batchId };
  const made = counts.done + counts.unchanged;
  const failed = counts.invalid + counts.error;
  const file = (name: string) => `/api/projects/${projectId}/batches/${batchId}/${name}`;
  return (
    <p class="actions">
      {status === "waiting" && batch.waitingFor === "approval" && (
        <button type="button" class="button" onClick={() => void change(() => unwrap(routes.approve.$post({ param })))}>
          {t("tableMakeRest", { count: counts.waiting })}
        </button>
      )}
      {hasEnded(batch) && made > 0 && (
        <>
          <a class="button" href={file("archive.zip")} download>
            {t("tableDownload", { count: made })}
          </a>
          <a href={file("archive.zip?approval=approved")} download>
            {t("tableDownloadApproved")}
          </a>
        </>
      )}
      {made > 0 && (
        <a href={file("manifest.csv")} download>
          {t("tableManifest")}
        </a>
      )}
      {(status === "partial" || status === "error") && failed > 0 && (
        <button
          type="button"
          class={made > 0 ? "plain" : "button"}
          onClick={() => void change(() => unwrap(routes.retry.$post({ param, json: {}, header: {} })))}
        >
          {t("tableRetry", { count: failed })}
        </button>
      )}
      {!hasEnded(batch) && (
        <button type="button" class="plain" onClick={() => void change(() => unwrap(routes.cancel.$post({ param })))}>
          {t("cancel")}
        </button>
      )}
      {!hasEnded(batch) && status !== "waiting" && <span class="soft">{t("mayLeave")}</span>}
    </p>
  );
}
