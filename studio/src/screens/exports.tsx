import { useSignal } from "@preact/signals";
import type { InferResponseType } from "hono/client";
import { useEffect } from "preact/hooks";
import { ApiError, api, unwrap } from "../api.ts";
import { readPage } from "../pages.ts";
import { RemoveDialog } from "../parts/dialog.tsx";
import { Show, useLoaded, usePages } from "../parts/loaded.tsx";
import { Title } from "../parts/title.tsx";
import { dateText, listText, sizeText, t, type Word } from "../words.ts";

const route = api.exports;
const pageSize = "100";
/** The list is reloaded at this interval while an export is rendered. */
const refreshMs = 2000;
/** An export that is kept longer belongs to a film. */
const yearMs = 31_536_000_000;

type Export = InferResponseType<typeof route.$get, 200>["exports"][number];
type Provenance = InferResponseType<(typeof route)[":exportId"]["provenance"]["$get"], 200>;
type Check = InferResponseType<(typeof route)[":exportId"]["check"]["$get"], 200>;

const isRunning = ({ status }: Export) => status === "queued" || status === "rendering";

/** Rendered and rendering videos of a project. */
export function ExportsScreen({ projectId }: { projectId: string }) {
  const removing = useSignal<Export | undefined>(undefined);
  const read = async (cursor?: string) => {
    const { body, next } = await readPage(route.$get({ query: { limit: pageSize, ...(cursor && { cursor }) } }));
    return { items: body.exports.filter((each) => each.projectId === projectId), next };
  };
  const loaded = usePages(async (cursor) => {
    // the list contains exports of all projects
    let list = await read(cursor);
    while (list.items.length === 0 && list.next) list = await read(list.next);
    return list;
  });
  const { value, attempt } = loaded;
  const runs = value.value?.items.some(isRunning) ?? false;
  useEffect(() => {
    if (!runs) return;
    const refresh = async () => {
      const { items = [], next } = value.value ?? {};
      const fresh = await read();
      const ids = new Set(fresh.items.map(({ id }) => id));
      value.value = { next, items: [...fresh.items, ...items.filter(({ id }) => !ids.has(id))] };
    };
    // the next attempt may succeed
    const timer = setInterval(() => void refresh().catch(() => {}), refreshMs);
    return () => clearInterval(timer);
  }, [runs]);
  const remove = () =>
    attempt(async () => {
      const exportId = removing.value?.id ?? "";
      await unwrap(route[":exportId"].$delete({ param: { exportId } }));
      const { items = [], next } = value.value ?? {};
      value.value = { next, items: items.filter(({ id }) => id !== exportId) };
    });
  return (
    <section class="place">
      <header class="place-head">
        <Title quiet>{t("exports")}</Title>
      </header>
      <Show of={loaded}>
        {({ items: exports }) => (
          <>
            {exports.length === 0 && <p class="lead">{t("exportsEmpty")}</p>}
            <ul class="lines">
              {exports.map((each) => (
                <Row
                  key={each.id}
                  job={each}
                  onRemove={() => {
                    removing.value = each;
                  }}
                />
              ))}
            </ul>
            {loaded.more}
          </>
        )}
      </Show>
      {removing.value && (
        <RemoveDialog
          name={removing.value.name}
          help={t("removeExportHelp")}
          failure={loaded.failure.value}
          onSubmit={remove}
          onClose={() => {
            removing.value = undefined;
          }}
        />
      )}
    </section>
  );
}

const fileName = (name: string, format: string, target?: string) =>
  `${name}${target ? ` ${target.replace(":", "x")}` : ""}.${format}`;

function Row({ job, onRemove }: { job: Export; onRemove: () => void }) {
  const { name, status, format, progress, createdAt, expiresAt, files = [] } = job;
  const error = "error" in job ? job.error : undefined;
  return (
    <li data-state={status}>
      <div class="row-words">
        <b class="row-name" dir="auto">
          {name}
        </b>
        <p class="state">
          <span class="light" aria-hidden="true" />
          <span>{error ?? t(`export_${status}`)}</span>
        </p>
        {isRunning(job) && <progress value={progress} aria-label={t("progress")} />}
        <p class="soft">
          {dateText(createdAt)}
          {status === "done" &&
            expiresAt < Date.now() + yearMs &&
            ` · ${t("keptUntil", { date: dateText(expiresAt) })}`}
        </p>
      </div>
      <p class="actions">
        {files.map(({ url, size, width, height, ...rest }) => {
          const target = "target" in rest ? rest.target : undefined;
          return (
            <a key={url} class="link" href={url} download={fileName(name, format, target)}>
              {t("downloadTarget", { target: target ?? `${width} × ${height}` })}{" "}
              <span class="soft">{sizeText(size)}</span>
            </a>
          );
        })}
        <button type="button" class="plain" onClick={onRemove}>
          {t("remove")}
          <span class="unseen"> {name}</span>
        </button>
      </p>
      {!isRunning(job) && <About exportId={job.id} name={name} />}
    </li>
  );
}

/** Null if it does not exist. */
const ifFound = async <Value,>(answer: Promise<Value>): Promise<Value | null> => {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && (error.code === "not_found" || error.code === "not_ready")) return null;
    throw error;
  }
};

/** The sources of a video and its check, loaded on request. */
function About({ exportId, name }: { exportId: string; name: string }) {
  const isOpen = useSignal(false);
  return (
    <details
      class="about"
      onToggle={(event) => {
        isOpen.value ||= event.currentTarget.open;
      }}
    >
      <summary>
        {t("howMade")}
        <span class="unseen"> {name}</span>
      </summary>
      {isOpen.value && <AboutWords exportId={exportId} />}
    </details>
  );
}

function AboutWords({ exportId }: { exportId: string }) {
  const param = { exportId };
  const loaded = useLoaded(async () => {
    const [provenance, check] = await Promise.all([
      ifFound(unwrap(route[":exportId"].provenance.$get({ param }))),
      ifFound(unwrap(route[":exportId"].check.$get({ param }))),
    ]);
    return { provenance, check };
  });
  return (
    <Show of={loaded}>
      {({ provenance, check }) => (
        <>
          <p>{provenance ? provenanceText(provenance) : t("provenanceNone")}</p>
          {check ? <CheckWords check={check} /> : <p>{t("checkNone")}</p>}
        </>
      )}
    </Show>
  );
}

function provenanceText({ hasGeneratedParts, models, ingredients, signature }: Provenance): string {
  const counts = Object.entries(Object.groupBy(ingredients, ({ role }) => role)).map(([role, found]) =>
    t(`made_${role}` as Word, { count: found?.length ?? 0 }),
  );
  const sentences = [
    hasGeneratedParts ? t("madeByModels", { models: listText(models.map(({ model }) => model)) }) : t("madeByRules"),
    ...(counts.length > 0 ? [t("madeFrom", { parts: listText(counts) })] : []),
    signature ? t(signature.isLocal ? "signedHere" : "signedBy", { name: signature.by }) : t("notSigned"),
  ];
  return sentences.join(" ");
}

function CheckWords({ check: { reports } }: { check: Check }) {
  return (
    <ul class="check-words">
      {reports.map(({ platform, target = "", ok, rules }) => {
        const notes = rules.filter(({ status }) => status === "fail" || status === "warn");
        return (
          <li key={`${platform} ${target}`} data-state={ok ? "done" : "error"}>
            <p class="state">
              <span class="light" aria-hidden="true" />
              <span>{t(ok ? "checkPassed" : "checkFailed", { platform: `${platform} ${target}`.trim() })}</span>
            </p>
            {notes.length > 0 && (
              <ul>
                {notes.map(({ rule, message }) => (
                  <li key={rule}>{message}</li>
                ))}
              </ul>
            )}
          </li>
        );
      })}
    </ul>
  );
}
