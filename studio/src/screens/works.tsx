import { useSignal } from "@preact/signals";
import type { InferResponseType } from "hono/client";
import { api, unwrap } from "../api.ts";
import { readPage } from "../pages.ts";
import { RemoveDialog } from "../parts/dialog.tsx";
import { Show, usePages } from "../parts/loaded.tsx";
import { Title } from "../parts/title.tsx";
import { projectPath, workPath } from "../router.ts";
import { dateText, t } from "../words.ts";

const route = api.projects[":projectId"];
const pageSize = "60";

type Work = InferResponseType<typeof route.works.$get, 200>[number];

/** The works of a project; each film has made one. */
export function WorksScreen({ projectId }: { projectId: string }) {
  const param = { projectId };
  const removing = useSignal<Work | undefined>(undefined);
  const loaded = usePages(async (cursor) => {
    const query = { limit: pageSize, ...(cursor && { cursor }) };
    const { body: items, next } = await readPage(route.works.$get({ param, query }));
    return { items, next };
  });
  const { value, attempt } = loaded;
  const remove = () =>
    attempt(async () => {
      const workId = removing.value?.id ?? "";
      await unwrap(route.works[":workId"].$delete({ param: { ...param, workId } }));
      if (value.value) value.value = { ...value.value, items: value.value.items.filter(({ id }) => id !== workId) };
    });
  return (
    <section class="place">
      <header class="place-head">
        <Title quiet>{t("works")}</Title>
        <a class="button" href={projectPath(projectId)}>
          {t("newFilm")}
        </a>
      </header>
      <p class="lead">{t("worksLead")}</p>
      <Show of={loaded}>
        {({ items: works }) => (
          <>
            {works.length === 0 && <p class="empty">{t("worksEmpty")}</p>}
            <ul class="gallery">
              {works.map((work) => (
                <li key={work.id}>
                  <a href={workPath(projectId, work.id)}>
                    <WorkPoster work={work} />
                    <b dir="auto">{work.name}</b>
                    <span class="soft">{dateText(work.updatedAt)}</span>
                  </a>
                  <button
                    type="button"
                    class="plain"
                    onClick={() => {
                      removing.value = work;
                    }}
                  >
                    {t("remove")}
                    <span class="unseen"> {work.name}</span>
                  </button>
                </li>
              ))}
            </ul>
            {loaded.more}
          </>
        )}
      </Show>
      {removing.value && (
        <RemoveDialog
          name={removing.value.name}
          help={t("removeWorkHelp")}
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

/** The picture of the first scene, else the first frame, if any. */
function WorkPoster({ work: { projectId, id, updatedAt } }: { work: Work }) {
  const base = `/api/projects/${projectId}/works/${id}`;
  const sources = [`${base}/media/scene/0/image?v=${updatedAt}`, `${base}/frame?t=0&maxSide=480&v=${updatedAt}`];
  const at = useSignal(0);
  const source = sources[at.value];
  return (
    <span class="poster">
      {source && (
        <img
          src={source}
          alt=""
          loading="lazy"
          onError={() => {
            at.value += 1;
          }}
        />
      )}
    </span>
  );
}
