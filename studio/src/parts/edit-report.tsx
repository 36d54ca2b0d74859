import type { InferResponseType } from "hono/client";
import { api, unwrap } from "../api.ts";
import { go, workPath } from "../router.ts";
import { t } from "../words.ts";
import { Dialog } from "./dialog.tsx";
import { Failure, useLoaded } from "./loaded.tsx";

const route = api.projects[":projectId"].works["from-edit"];

type Imported = InferResponseType<typeof route.$post, 201>;

async function bring(file: File, ensureProject: () => Promise<string>): Promise<Imported> {
  let json: Parameters<typeof route.$post>[0]["json"];
  try {
    json = JSON.parse(await file.text());
  } catch {
    throw new Error(t("editNoJson"));
  }
  const param = { projectId: await ensureProject() };
  // files of the edit are fetched first, which may take a while
  return await unwrap(route.$post({ param, query: {}, json }, { headers: { prefer: "wait" } }));
}

type ReportProps = {
  readonly file: File;
  readonly ensureProject: () => Promise<string>;
  readonly onClose: () => void;
};

/** Makes a work of an edit of another service, and lists what differs before it is opened. */
export function EditReport({ file, ensureProject, onClose }: ReportProps) {
  const { value, failure } = useLoaded(() => bring(file, ensureProject));
  const imported = value.value;
  const open = () => {
    if (imported) go(workPath(imported.projectId, imported.id));
    return Promise.resolve(imported !== undefined);
  };
  const isOpening = imported === undefined && failure.value === undefined;
  return (
    <Dialog title={file.name} action={t("editOpen")} onSubmit={open} onClose={onClose} isBusy={!imported}>
      {isOpening && <p role="status">{t("editReading")}</p>}
      <Failure of={failure.value} />
      {imported && (
        <>
          <p>{t("editUsed", { count: `${imported.report.used.length}` })}</p>
          <Differences title={t("editChanged")} items={imported.report.changed} />
          <Differences title={t("editIgnored")} items={imported.report.ignored} />
        </>
      )}
    </Dialog>
  );
}

type Difference = Imported["report"]["ignored"][number];

/** Open if there are few. */
const openUpTo = 8;

function Differences({ title, items }: { title: string; items: readonly Difference[] }) {
  if (items.length === 0) return null;
  return (
    <details open={items.length <= openUpTo}>
      <summary>
        {title} ({items.length})
      </summary>
      <ul class="differences">
        {items.map(({ path, why }) => (
          <li key={path}>
            <code>{path}</code> <span class="soft">{why}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
