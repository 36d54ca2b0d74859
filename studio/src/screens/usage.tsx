import { useSignal } from "@preact/signals";
import type { InferResponseType } from "hono/client";
import { useEffect } from "preact/hooks";
import { api, codeOf, fieldErrors, unwrap } from "../api.ts";
import { useAttempt } from "../parts/attempt.ts";
import { Choice } from "../parts/choice.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { Failure, Show, useLoaded } from "../parts/loaded.tsx";
import { Title } from "../parts/title.tsx";
import { loadProjects } from "../projects.ts";
import { dayText, moneyText, numberText, sizeText, t, type Word } from "../words.ts";

const budgetRoute = api.projects[":projectId"].budget;

type Storage = InferResponseType<typeof api.usage.storage.$get, 200>;
type Spend = Exclude<InferResponseType<typeof api.spend.$get, 200>, string>;
type Budget = InferResponseType<typeof budgetRoute.$get, 200>;

const kinds = ["assets", "workMedia", "generatedMedia", "exports", "documents"] as const;
const groupings = ["day", "project", "model"] as const;
type Grouping = (typeof groupings)[number];
const periods = [30, 90, 365] as const;
const dayMs = 86_400_000;

/** Storage and spending of the account, and the budgets of its projects. */
export function UsageScreen() {
  const storage = useLoaded(() => unwrap(api.usage.storage.$get()));
  return (
    <section class="place">
      <header class="place-head">
        <Title quiet>{t("usage")}</Title>
      </header>
      <SpendCard />
      <Budgets />
      <section class="card" aria-labelledby="storage-title">
        <h2 id="storage-title">{t("storage")}</h2>
        <Show of={storage}>{(found) => <StorageWords storage={found} />}</Show>
      </section>
    </section>
  );
}

function StorageWords({ storage }: { storage: Storage }) {
  const { usedBytes, allowedBytes } = storage;
  return (
    <>
      <p>{t("storageUsed", { used: sizeText(usedBytes), allowed: sizeText(allowedBytes) })}</p>
      <progress value={usedBytes} max={allowedBytes} aria-label={t("storage")} />
      <table class="figures">
        <tbody>
          {kinds.map((kind) => (
            <tr key={kind}>
              <th scope="row">{t(`stored_${kind}` as Word)}</th>
              <td>{t("countFiles", { count: numberText(storage[kind].files) })}</td>
              <td>{sizeText(storage[kind].bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function SpendCard() {
  const groupBy = useSignal<Grouping>("day");
  const days = useSignal<number>(periods[0]);
  const loaded = useLoaded(async () => {
    const query = { groupBy: groupBy.value, from: String(Date.now() - days.value * dayMs) };
    const [spend, found] = await Promise.all([unwrap(api.spend.$get({ query })), loadProjects()]);
    // safe because no CSV was requested
    return { spend: spend as Spend, names: new Map(found.map(({ id, name }) => [id, name])), groupBy: groupBy.value };
  });
  useEffect(() => {
    if (loaded.value.value) void loaded.reload();
  }, [groupBy.value, days.value]);
  return (
    <section class="card" aria-labelledby="spend-title">
      <h2 id="spend-title">{t("spend")}</h2>
      <div class="choices">
        <Choice
          label={t("period")}
          value={String(days.value)}
          options={periods.map((count) => [String(count), t("lastDays", { count })])}
          onChange={(value) => {
            days.value = Number(value);
          }}
        />
        <Choice
          label={t("groupBy")}
          value={groupBy.value}
          options={groupings.map((name) => [name, t(`by_${name}` as Word)])}
          // safe because the options are groupings
          onChange={(value) => {
            groupBy.value = value as Grouping;
          }}
        />
      </div>
      <Show of={loaded}>
        {({ spend, names, groupBy: grouping }) =>
          spend.groups.length === 0 ? (
            <p>{t("spendEmpty")}</p>
          ) : (
            <SpendTable
              spend={spend}
              nameOf={(key) => {
                if (key === null) return t("noProject");
                return grouping === "day" ? dayText(key) : (names.get(key) ?? key);
              }}
            />
          )
        }
      </Show>
    </section>
  );
}

function SpendTable({ spend, nameOf }: { spend: Spend; nameOf: (key: string | null) => string }) {
  const { groups, total, reserved, currency } = spend;
  const highest = Math.max(...groups.map(({ amount }) => Number(amount)));
  return (
    <>
      <p class="sum">
        <b>{moneyText(total, currency)}</b>{" "}
        {Number(reserved) > 0 && <span class="soft">{t("reserved", { amount: moneyText(reserved, currency) })}</span>}
      </p>
      <table class="figures">
        <thead class="unseen">
          <tr>
            <th scope="col">{t("groupBy")}</th>
            <th scope="col">{t("calls")}</th>
            <th scope="col">{t("spend")}</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ key, amount, calls }) => (
            <tr key={key}>
              <th scope="row" dir="auto">
                {nameOf(key)}
                {highest > 0 && <progress value={Number(amount)} max={highest} aria-hidden="true" />}
              </th>
              <td>{t("countCalls", { count: numberText(calls) })}</td>
              <td>{moneyText(amount, currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** A project with its budget; null for none. */
type Row = { readonly id: string; readonly name: string; readonly budget: Budget | null };

const readBudget = async (projectId: string): Promise<Budget | null> => {
  try {
    return await unwrap(budgetRoute.$get({ param: { projectId } }));
  } catch (error) {
    if (codeOf(error) === "not_found") return null;
    throw error;
  }
};

function Budgets() {
  const changing = useSignal<Row | undefined>(undefined);
  const loaded = useLoaded(async (): Promise<readonly Row[]> => {
    const found = await loadProjects();
    return await Promise.all(found.map(async ({ id, name }) => ({ id, name, budget: await readBudget(id) })));
  });
  const remove = (projectId: string) =>
    loaded.attempt(async () => {
      await unwrap(budgetRoute.$delete({ param: { projectId } }));
      await loaded.reload();
    });
  return (
    <section class="card" aria-labelledby="budgets-title">
      <h2 id="budgets-title">{t("budgets")}</h2>
      <p class="soft">{t("budgetsLead")}</p>
      <Show of={loaded}>
        {(rows) => (
          <ul class="lines">
            {rows.map((row) => (
              <li key={row.id}>
                <p>
                  <bdi class="row-name">{row.name}</bdi>
                  <span class="soft">{budgetText(row.budget)}</span>
                </p>
                <p class="actions">
                  <button
                    type="button"
                    class="plain"
                    onClick={() => {
                      changing.value = row;
                    }}
                  >
                    {t(row.budget ? "changeBudget" : "setBudget")}
                    <span class="unseen"> {row.name}</span>
                  </button>
                  {row.budget && (
                    <button type="button" class="plain" onClick={() => void remove(row.id)}>
                      {t("removeBudget")}
                      <span class="unseen"> {row.name}</span>
                    </button>
                  )}
                </p>
              </li>
            ))}
          </ul>
        )}
      </Show>
      {changing.value && (
        <BudgetDialog
          row={changing.value}
          onDone={loaded.reload}
          onClose={() => {
            changing.value = undefined;
          }}
        />
      )}
    </section>
  );
}

function budgetText(budget: Budget | null): string {
  if (!budget) return t("noBudget");
  const [spent, limit] = [budget.spent, budget.limit].map((amount) => moneyText(amount, budget.currency));
  return t(`budget_${budget.period}`, { spent: spent ?? "", limit: limit ?? "" });
}

type BudgetDialogProps = {
  readonly row: Row;
  readonly onDone: () => Promise<unknown>;
  readonly onClose: () => void;
};

function BudgetDialog({ row: { id: projectId, name, budget }, onDone, onClose }: BudgetDialogProps) {
  const { failure, attempt } = useAttempt();
  const period = useSignal<Budget["period"]>(budget?.period ?? "month");
  const errors = fieldErrors(failure.value);
  const param = { projectId };
  const submit = (fields: FormData) => {
    const limit = String(fields.get("limit") ?? "")
      .trim()
      .replace(",", ".");
    return attempt(async () => {
      await unwrap(budgetRoute.$put({ param, json: { limit, period: period.value } }));
      await onDone();
    });
  };
  return (
    <Dialog title={t("budgetOf", { name })} action={t("save")} onSubmit={submit} onClose={onClose}>
      <Field
        label={t("budget")}
        name="limit"
        inputMode="decimal"
        autoComplete="off"
        defaultValue={budget ? String(Number(budget.limit)) : ""}
        hint={t("budgetHint")}
        error={errors.limit}
      />
      <Choice
        label={t("period")}
        value={period.value}
        options={(["month", "total"] as const).map((value) => [value, t(`period_${value}`)])}
        // safe because the options are periods
        onChange={(value) => {
          period.value = value as Budget["period"];
        }}
      />
      {!errors.limit && <Failure of={failure.value} />}
    </Dialog>
  );
}
