import { useSignal } from "@preact/signals";
import type { InferResponseType } from "hono/client";
import type { ComponentChildren } from "preact";
import { api, codeOf, type Film, unwrap } from "../api.ts";
import { readPage } from "../pages.ts";
import { BringEdit } from "../parts/bring-edit.tsx";
import { Composer } from "../parts/composer.tsx";
import { RemoveDialog } from "../parts/dialog.tsx";
import { fileOf, isOver, partDone, pictureOf, stateText } from "../parts/film-facts.ts";
import { Show, useLoaded, usePages } from "../parts/loaded.tsx";
import { OwnCut } from "../parts/own-cut.tsx";
import { Still } from "../parts/still.tsx";
import { Title } from "../parts/title.tsx";
import { loadProjects } from "../projects.ts";
import { filmPath, go, projectPath, workPath } from "../router.ts";
import { asUser } from "../session.ts";
import { dateText, t } from "../words.ts";
import { SampleFilm } from "./sign-in.tsx";

const lastProject = "reelwright.project";

/** Opens the last project; without any, the first film creates one. */
export function HomeScreen() {
  const none = useLoaded(async () => {
    const projects = await loadProjects();
    const last = localStorage.getItem(lastProject);
    const project = projects.find(({ id }) => id === last) ?? projects[0];
    if (project) go(projectPath(project.id), { replace: true });
    return !project;
  });
  return <Show of={none}>{(isNone) => isNone && <Studio entries={[]} />}</Show>;
}

/** Equal to the page of a table: each film shows a frame of its file. */
const pageSize = "24";

const projectRoute = api.projects[":projectId"];

type Work = InferResponseType<typeof projectRoute.works.$get, 200>[number];
/** A film, or a work that no film has made, such as an imported one. */
type Entry = { readonly at: number; readonly name: string } & (
  | { readonly film: Film; readonly work?: undefined }
  | { readonly work: Work; readonly film?: undefined }
);

/** The cursors of both lists; absent for one that has ended. */
type Cursors = { readonly films?: string | undefined; readonly works?: string | undefined };

export function FilmsScreen({ projectId }: { projectId: string }) {
  const param = { projectId };
  const removing = useSignal<Entry | undefined>(undefined);
  const list = usePages(async (cursor) => {
    const { films = "", works = "" }: Cursors = cursor ? JSON.parse(cursor) : {};
    const query = (after: string) => ({ limit: pageSize, ...(after && { cursor: after }) });
    const none = { next: undefined };
    const [filmPage, workPage] = await Promise.all([
      cursor && !films ? none : readPage(projectRoute.films.$get({ param, query: query(films) })),
      cursor && !works ? none : readPage(projectRoute.works.$get({ param, query: query(works) })),
    ]);
    localStorage.setItem(lastProject, projectId);
    const listed = "body" in workPage ? workPage.body : [];
    // the editor renames the work of a film
    const names = new Map(listed.map(({ filmId, name }) => [filmId, name]));
    const items: readonly Entry[] = [
      ...("body" in filmPage ? filmPage.body.films : []).map((film) => ({
        ...{ film, at: film.createdAt, name: names.get(film.id) ?? film.name },
      })),
      ...listed
        .filter(({ filmId }) => filmId === undefined)
        .map((work) => ({ work, at: work.updatedAt, name: work.name })),
    ];
    const next: Cursors = { films: filmPage.next, works: workPage.next };
    return { items, next: next.films || next.works ? JSON.stringify(next) : undefined };
  });
  const { value, attempt } = list;
  const remove = () =>
    attempt(async () => {
      const { film, work } = removing.value ?? {};
      if (film) await unwrap(projectRoute.films[":filmId"].$delete({ param: { ...param, filmId: film.id } }));
      const workId = film?.workId ?? work?.id ?? "";
      await unwrap(projectRoute.works[":workId"].$delete({ param: { ...param, workId } })).catch((error) => {
        // a program may have removed it
        if (codeOf(error) !== "not_found") throw error;
      });
      if (value.value)
        value.value = { ...value.value, items: value.value.items.filter((each) => each !== removing.value) };
    });
  return (
    <>
      <Show of={list}>
        {({ items }) => (
          <Studio
            entries={items}
            projectId={projectId}
            more={list.more}
            onRemove={(entry) => {
              removing.value = entry;
            }}
          />
        )}
      </Show>
      {removing.value && (
        <RemoveDialog
          name={removing.value.name}
          help={t("removeFilmHelp")}
          failure={list.failure.value}
          onSubmit={remove}
          onClose={() => {
            removing.value = undefined;
          }}
        />
      )}
    </>
  );
}

type StudioProps = {
  readonly entries: readonly Entry[];
  readonly onRemove?: (entry: Entry) => void;
  readonly projectId?: string;
  readonly more?: ComponentChildren;
};

function Studio({ entries, projectId, more, onRemove }: StudioProps) {
  let made: Promise<string> | undefined;
  const ensureProject = (): Promise<string> => {
    if (projectId) return Promise.resolve(projectId);
    made ??= asUser(() => unwrap(api.projects.$post({ json: { name: t("firstProject") } }))).then(({ id }) => id);
    return made;
  };
  return (
    <>
      <section class={entries.length === 0 ? "make first" : "make"}>
        <div class="words">
          <Title>{t("makeTitle")}</Title>
          {entries.length === 0 && <p class="lead">{t("makeLead")}</p>}
          <Composer ensureProject={ensureProject} />
          <OwnCut ensureProject={ensureProject} />
          <BringEdit ensureProject={ensureProject} />
        </div>
        {entries.length === 0 && <SampleFilm />}
      </section>
      {entries.length > 0 && (
        <section class="films" aria-labelledby="films-title">
          <h2 id="films-title">{t("films")}</h2>
          <ul>
            {entries
              .toSorted((one, other) => other.at - one.at)
              .map((entry) => (
                <li key={(entry.film ?? entry.work)?.id}>
                  {entry.film ? <FilmCard film={entry.film} name={entry.name} /> : <WorkCard work={entry.work} />}
                  {onRemove && (
                    <button type="button" class="plain" onClick={() => onRemove(entry)}>
                      {t("remove")}
                      <span class="unseen"> {entry.name}</span>
                    </button>
                  )}
                </li>
              ))}
          </ul>
          {more}
        </section>
      )}
    </>
  );
}

function FilmCard({ film, name }: { film: Film; name: string }) {
  const picture = pictureOf(film, 0);
  return (
    <a href={filmPath(film.projectId, film.id)}>
      <span class="poster">
        {picture && <img src={picture} alt="" loading="lazy" />}
        {film.status === "done" && <Still url={fileOf(film)} />}
        {!isOver(film) && <progress value={partDone(film)} aria-label={t("progress")} />}
      </span>
      <b dir="auto">{name}</b>
      <span class="soft">{film.status === "done" ? dateText(film.createdAt) : stateText(film)}</span>
    </a>
  );
}

const WorkCard = ({ work }: { work: Work }) => (
  <a href={workPath(work.projectId, work.id)}>
    <WorkPoster work={work} />
    <b dir="auto">{work.name}</b>
    <span class="soft">{dateText(work.updatedAt)}</span>
  </a>
);

/** The picture of the first scene, else the first frame, if any. */
function WorkPoster({ work: { projectId, id, updatedAt } }: { work: Work }) {
  const base = `/api/projects/${projectId}/works/${id}`;
  const sources = [`${base}/frame?t=0.5&maxSide=480&v=${updatedAt}`, `${base}/media/scene/0/image?v=${updatedAt}`];
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
