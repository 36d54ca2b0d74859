import type { ComponentChildren } from "preact";
import { api, type Film, unwrap } from "../api.ts";
import { readPage } from "../pages.ts";
import { Composer } from "../parts/composer.tsx";
import { fileOf, isOver, partDone, pictureOf, stateText } from "../parts/film-facts.ts";
import { Show, useLoaded, usePages } from "../parts/loaded.tsx";
import { Still } from "../parts/still.tsx";
import { Title } from "../parts/title.tsx";
import { loadProjects } from "../projects.ts";
import { filmPath, go, projectPath } from "../router.ts";
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
  return <Show of={none}>{(isNone) => isNone && <Studio films={[]} />}</Show>;
}

/** Equal to the page of a table: each film shows a frame of its file. */
const pageSize = "24";

export function FilmsScreen({ projectId }: { projectId: string }) {
  const list = usePages(async (cursor) => {
    const query = { limit: pageSize, ...(cursor && { cursor }) };
    const { body, next } = await readPage(api.projects[":projectId"].films.$get({ param: { projectId }, query }));
    localStorage.setItem(lastProject, projectId);
    return { items: body.films, next };
  });
  return <Show of={list}>{({ items }) => <Studio films={items} projectId={projectId} more={list.more} />}</Show>;
}

type StudioProps = {
  readonly films: readonly Film[];
  readonly projectId?: string;
  readonly more?: ComponentChildren;
};

function Studio({ films, projectId, more }: StudioProps) {
  let made: Promise<string> | undefined;
  const ensureProject = (): Promise<string> => {
    if (projectId) return Promise.resolve(projectId);
    made ??= asUser(() => unwrap(api.projects.$post({ json: { name: t("firstProject") } }))).then(({ id }) => id);
    return made;
  };
  return (
    <>
      <section class={films.length === 0 ? "make first" : "make"}>
        <div class="words">
          <Title>{t("makeTitle")}</Title>
          {films.length === 0 && <p class="lead">{t("makeLead")}</p>}
          <Composer ensureProject={ensureProject} />
        </div>
        {films.length === 0 && <SampleFilm />}
      </section>
      {films.length > 0 && (
        <section class="films" aria-labelledby="films-title">
          <h2 id="films-title">{t("films")}</h2>
          <ul>
            {films.map((film) => (
              <FilmCard key={film.id} film={film} />
            ))}
          </ul>
          {more}
        </section>
      )}
    </>
  );
}

function FilmCard({ film }: { film: Film }) {
  const picture = pictureOf(film, 0);
  return (
    <li>
      <a href={filmPath(film.projectId, film.id)}>
        <span class="poster">
          {picture && <img src={picture} alt="" loading="lazy" />}
          {film.status === "done" && <Still url={fileOf(film)} />}
          {!isOver(film) && <progress value={partDone(film)} aria-label={t("progress")} />}
        </span>
        <b>{film.name}</b>
        <span class="soft">{film.status === "done" ? dateText(film.createdAt) : stateText(film)}</span>
      </a>
    </li>
  );
}
