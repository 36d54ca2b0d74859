import { api, type Batch, unwrap } from "../api.ts";
import { Show, useLoaded } from "../parts/loaded.tsx";
import { Title } from "../parts/title.tsx";
import { tablesPath } from "../router.ts";
import { dateText, t } from "../words.ts";
import { BatchScreen, StateOfBatch } from "./batch.tsx";
import { NewTable } from "./new-table.tsx";
import { TableHead } from "./table-head.tsx";

type TablesPath = { readonly projectId: string; readonly batchId?: string };

/** The tables of a project, the form for a new one, or the films of one. */
export function TablesScreen({ projectId, batchId }: TablesPath) {
  if (batchId === "new") return <NewTable projectId={projectId} />;
  return batchId ? <BatchScreen projectId={projectId} batchId={batchId} /> : <TableList projectId={projectId} />;
}

const shown = "50";

function TableList({ projectId }: TablesPath) {
  const param = { projectId };
  const list = useLoaded(() => unwrap(api.projects[":projectId"].batches.$get({ param, query: { limit: shown } })));
  return (
    <Show of={list}>
      {({ batches }) => (
        <div class="tables">
          <header class="words">
            <Title>{t("tables")}</Title>
            <p class="lead">{t("tablesLead")}</p>
            <p>
              <a class="button" href={tablesPath(projectId, "new")}>
                {t("tableNew")}
              </a>
            </p>
          </header>
          {batches.length === 0 ? <Example /> : <Batches batches={batches} />}
        </div>
      )}
    </Show>
  );
}

function Batches({ batches }: { batches: readonly Batch[] }) {
  return (
    <ul class="batches">
      {batches.map((batch) => (
        <li key={batch.id}>
          <a href={tablesPath(batch.projectId, batch.id)}>
            <b dir="auto">{batch.name}</b>
            <StateOfBatch batch={batch} />
            <span class="soft">
              {t("tableFilms", { count: batch.counts.films })}, {dateText(batch.createdAt)}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Explains tables by an example. */
function Example() {
  const [header = [], ...rows] = t("tableSample")
    .split("\n")
    .map((line) => line.split(";"));
  return (
    <figure class="teaching">
      <div class="card">
        <TableHead columns={header} rows={rows} />
      </div>
      <p class="arrow" aria-hidden="true" />
      <ul aria-label={t("tableResult")}>
        {rows.map(([name, price]) => (
          <li key={name}>
            <b>{name}</b>
            <span>{price}</span>
          </li>
        ))}
      </ul>
      <figcaption class="soft">{t("tableLead")}</figcaption>
    </figure>
  );
}
