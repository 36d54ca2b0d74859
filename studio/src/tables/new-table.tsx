import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import {
  ApiError,
  api,
  type Batch,
  type BatchOrder,
  type BatchReport,
  codeOf,
  formats,
  sendForm,
  sentenceOf,
  type Target,
  unwrap,
  type Work,
} from "../api.ts";
import { Checks } from "../parts/checks.tsx";
import { Choice } from "../parts/choice.tsx";
import { Alert, Area, bound, Field } from "../parts/field.tsx";
import { keyHeaders, noChoice, type ProviderChoice, ProvidersField, providerFields } from "../parts/providers.tsx";
import { Missing, Title } from "../parts/title.tsx";
import { go, tablesPath } from "../router.ts";
import { asUser } from "../session.ts";
import { filmLanguages, language, languageName, t } from "../words.ts";
import { type Choices, familiesOf, firstChoice, isKey, languagesIn, orderOf, type Slot, slotsOf } from "./mapping.ts";
import { Report } from "./report.tsx";
import { Slots } from "./slots.tsx";
import { Source } from "./source.tsx";

const listed = "200";

type Named = { readonly id: string; readonly name: string };
/** The service's report about the table and its base. */
type Read = { readonly work: Work | undefined; readonly report: BatchReport; readonly slots: readonly Slot[] };
type Errors = Readonly<Record<string, string>>;

/** Error sentences by the first part of their field's path. */
function errorsBy(error: unknown): Errors {
  if (!(error instanceof ApiError)) return {};
  if (error.code === "unsupported_media_type" || error.code === "payload_too_large") return { table: error.message };
  if (error.code !== "validation_error") return {};
  const sentences: Record<string, string> = {};
  for (const { path, message } of error.details.slice(0, 5)) {
    const [field = ""] = path.split(".");
    sentences[field] = sentences[field] ? `${sentences[field]} ${message}` : message;
  }
  return sentences;
}

/** Orders films from a table: it is read and checked before anything is made. */
export function NewTable({ projectId }: { projectId: string }) {
  const table = useSignal<File | undefined>(undefined);
  const works = useSignal<readonly Named[] | undefined>(undefined);
  const templates = useSignal<readonly Named[]>([]);
  /** Empty: films from a brief. */
  const workId = useSignal("");
  const brief = useSignal("");
  const choice = useSignal<ProviderChoice>(noChoice);
  const limit = useSignal("");
  const templateId = useSignal("");
  const read = useSignal<Read | undefined>(undefined);
  const chosen = useSignal<Readonly<Record<string, string>>>({});
  const languages = useSignal<readonly string[]>([]);
  const targets = useSignal<readonly Target[]>([]);
  const keyColumn = useSignal("");
  const name = useSignal("");
  const stopsAtPreview = useSignal(true);
  const report = useSignal<BatchReport | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const doing = useSignal<"" | "read" | "check" | "order">("");
  const isMissing = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  /** The button was pressed while the table was being read. */
  const isPressed = useRef(false);

  const fail = (error: unknown) => {
    failure.value = error;
  };
  const sendTable = <Answer,>(path: string, batch: BatchOrder, file: File, init: RequestInit = {}): Promise<Answer> =>
    sendForm(
      `/api/projects/${projectId}/batches${path}`,
      { batch: JSON.stringify(batch), table: file },
      // safe because entries without a key are left out
      { ...init, headers: { ...init.headers, ...(keyHeaders(choice.value) as Record<string, never>) } },
    );
  const text = brief.value.trim();
  // the types of an order do not name its fields
  const film = { brief: { text }, language: language.value, ...providerFields(choice.value) } as never;
  const isBased = workId.value !== "" || text !== "";
  useEffect(() => {
    const query = { limit: listed };
    const load = async () => {
      const routes = api.projects[":projectId"];
      const [found, kept] = await asUser(() =>
        Promise.all([
          unwrap(routes.works.$get({ param: { projectId }, query })),
          unwrap(routes.templates.$get({ param: { projectId }, query })),
        ]),
      );
      works.value = found;
      templates.value = kept.templates;
      workId.value = found[0]?.id ?? "";
    };
    void load().catch(fail);
  }, []);

  // before the next press of the button, which would order the previous table
  useLayoutEffect(() => {
    const file = table.value;
    failure.value = undefined;
    report.value = undefined;
    doing.value = file && isBased ? "read" : "";
    if (!file || !isBased) {
      read.value = undefined;
      return;
    }
    // the previous report stays: the button would move away under the mouse
    const abort = new AbortController();
    const load = async () => {
      const base = workId.value
        ? { workId: workId.value, ...(templateId.value && { templateId: templateId.value }) }
        : { film };
      const param = { projectId, workId: workId.value };
      const [answer, work] = await asUser(() =>
        Promise.all([
          sendTable<BatchReport>("/validate?checkRows=0", { base }, file, { signal: abort.signal }),
          workId.value ? unwrap(api.projects[":projectId"].works[":workId"].$get({ param })) : undefined,
        ]),
      );
      if (abort.signal.aborted) return;
      const slots = slotsOf(answer.placeholders, templateId.value ? undefined : work);
      languages.value = languagesIn(answer.columns);
      chosen.value = firstChoice(slots, [...familiesOf(answer.columns, languages.value).keys()]);
      keyColumn.value = answer.columns.find(isKey) ?? "";
      read.value = { work, report: answer, slots };
      doing.value = "";
    };
    void load().catch((error: unknown) => {
      if (abort.signal.aborted) return;
      isPressed.current = false;
      read.value = undefined;
      doing.value = "";
      fail(error);
    });
    return () => abort.abort();
  }, [table.value, workId.value, templateId.value, text]);

  const columns = read.value?.report.columns ?? [];
  // a model translates texts that the table has only in another language
  const tongues = choice.value.chosen.llm
    ? [...new Set([...languagesIn(columns, filmLanguages), ...filmLanguages])]
    : languagesIn(columns);
  const spoken = languages.value.filter((tag) => tongues.includes(tag));
  const families = familiesOf(columns, spoken);
  const { models } = providerFields(choice.value);
  const choices = (): Choices | undefined =>
    read.value && {
      ...{ ...read.value, film, name: name.value.trim(), templateId: templateId.value },
      // other languages change the names of columns
      chosen: Object.fromEntries(Object.entries(chosen.value).filter(([, family]) => families.has(family))),
      ...{ keyColumn: keyColumn.value, languages: spoken, targets: targets.value },
      spending: {
        ...(limit.value.trim() && { budget: { limit: limit.value.trim().replace(",", ".") } }),
        ...(models && workId.value && { models }),
      },
      stopsAtPreview: stopsAtPreview.value,
    };
  const order = choices();
  const checked = JSON.stringify(order && orderOf({ ...order, name: "", stopsAtPreview: false }));
  // the report no longer matches the order; before the next press of the button
  useLayoutEffect(() => {
    report.value = undefined;
    isMissing.value = false;
  }, [checked]);

  useEffect(() => {
    if (doing.value || !isPressed.current) return;
    isPressed.current = false;
    form.current?.requestSubmit();
  }, [doing.value]);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const file = table.value;
    isPressed.current = doing.value === "read";
    if (doing.value) return;
    const isOpen = order?.slots.some(({ id, kind }) => kind === "placeholder" && !order.chosen[id]);
    isMissing.value = !file || !isBased || isOpen === true;
    if (!file || !order || isOpen) return;
    failure.value = undefined;
    doing.value = report.value ? "order" : "check";
    try {
      if (report.value) {
        const { id } = await asUser(() => sendTable<Batch>("", orderOf(order), file));
        go(tablesPath(projectId, id));
        return;
      }
      report.value = await asUser(() => sendTable<BatchReport>("/validate", orderOf(order), file));
    } catch (error) {
      fail(error);
    }
    doing.value = "";
  };

  if (codeOf(failure.value) === "not_found" && !works.value) return <Missing />;
  const errors = errorsBy(failure.value);
  const tableError = errors.table ?? errors.rows ?? (isMissing.value && !table.value ? t("tableMissing") : undefined);
  const briefError = isMissing.value && !isBased ? t("briefMissing") : undefined;
  const known = new Set(["table", "rows", "keyColumn", "name", "budget"]);
  const fields = Object.keys(errors);
  const isElsewhere = failure.value !== undefined && !(fields.length > 0 && fields.every((field) => known.has(field)));
  const valid = report.value?.counts.valid ?? 0;
  return (
    <form ref={form} class="tables" noValidate onSubmit={(event) => void submit(event)} aria-busy={doing.value !== ""}>
      <p>
        <a href={tablesPath(projectId)}>{t("tablesAll")}</a>
      </p>
      <Title quiet>{t("tableNew")}</Title>
      <Source table={table} error={tableError} report={read.value?.report} />
      {works.value && (
        <section class="card">
          <h2>{t("tableFilm")}</h2>
          <div class="choices">
            <Choice
              label={t("tableBase")}
              value={workId.value}
              options={[...works.value.map(optionOf), ["", t("tableBrief")]]}
              onChange={(id) => {
                workId.value = id;
              }}
              hint={t("tableBaseHint")}
            />
            {!workId.value && (
              <Area
                label={t("brief")}
                rows={3}
                maxLength={20_000}
                value={brief.value}
                onChange={({ currentTarget }) => {
                  brief.value = currentTarget.value;
                }}
                hint={t("tableBriefHint", { column: "{{name}}" })}
                error={briefError}
              />
            )}
            {workId.value && templates.value.length > 0 && (
              <Choice
                label={t("tableTemplate")}
                value={templateId.value}
                options={[["", t("tableNoTemplate")], ...templates.value.map(optionOf)]}
                onChange={(id) => {
                  templateId.value = id;
                }}
              />
            )}
          </div>
          {read.value && (
            <Slots
              slots={read.value.slots}
              {...{ chosen, families, report: read.value.report, isMissing: isMissing.value }}
            />
          )}
        </section>
      )}
      {read.value && (
        <section class="card">
          <h2>{t("tableVersions")}</h2>
          <Checks legend={t("formats")} options={formats} chosen={targets} hint={t("tableFormatsHint")} isFormat />
          {tongues.length > 0 && (
            <Checks legend={t("tableLanguages")} hint="" options={tongues} chosen={languages} text={languageName} />
          )}
          <div class="choices">
            <Choice
              label={t("tableKey")}
              value={keyColumn.value}
              options={[
                ["", t("tableKeyRow")],
                ...read.value.report.columns.map((column) => [column, column] as const),
              ]}
              onChange={(column) => {
                keyColumn.value = column;
              }}
              hint={t("tableKeyHint")}
              error={errors.keyColumn}
            />
            <Field label={t("tableName")} placeholder={read.value.work?.name} {...bound(name)} error={errors.name} />
            <Field
              label={t("budget")}
              inputMode="decimal"
              {...bound(limit)}
              error={errors.budget}
              hint={t("budgetHint")}
            />
          </div>
          <details class="more">
            <summary>{t("providers")}</summary>
            <p class="hint">{t("tableProvidersHint")}</p>
            <ProvidersField choice={choice} error={undefined} />
          </details>
          <label class="check">
            <input
              type="checkbox"
              checked={stopsAtPreview.value}
              onChange={(event) => {
                stopsAtPreview.value = event.currentTarget.checked;
              }}
            />
            <span>{t("tablePreview")}</span>
          </label>
        </section>
      )}
      {report.value && order && <Report report={report.value} mapping={orderOf(order).mapping ?? {}} />}
      {isElsewhere && <Alert>{Object.values(errors)[0] ?? sentenceOf(failure.value)}</Alert>}
      <div class="order">
        <button
          type="submit"
          class="button"
          disabled={["check", "order"].includes(doing.value) || (report.value && valid === 0)}
        >
          {report.value
            ? t(stopsAtPreview.value && valid > 3 ? "tableMakeFirst" : "tableMake", { count: valid })
            : t("tableCheck")}
        </button>
        <p class="soft" role="status">
          {doing.value === "check"
            ? t("tableChecking", { count: read.value?.report.counts.rows ?? 0 })
            : doing.value === "read"
              ? t("tableReading")
              : !report.value && t("tableCheckHint")}
        </p>
      </div>
    </form>
  );
}

const optionOf = ({ id, name }: Named) => [id, name] as const;
