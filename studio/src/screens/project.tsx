import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, api, type Film, type Project, sentenceOf, unwrap } from "../api.ts";
import { Missing, Title } from "../app.tsx";
import { Composer } from "../parts/composer.tsx";
import { Alert } from "../parts/field.tsx";
import { isOver, partDone, pictureOf, stateText } from "../parts/film-facts.ts";
import { filmPath, go, projectPath } from "../router.ts";
import { asUser } from "../session.ts";
import { dateText, t } from "../words.ts";
import { SampleFilm } from "./sign-in.tsx";

const lastProject = "reelwright.project";

/** Leads to the project that was open last; without any, the first film makes one. */
export function HomeScreen() {
  const hasNone = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  useEffect(() => {
    const open = async () => {
      const projects = await asUser(() => unwrap(api.projects.$get({ query: {} })));
      const last = localStorage.getItem(lastProject);
      const project = projects.find(({ id }) => id === last) ?? projects[0];
      if (project) go(projectPath(project.id), { replace: true });
      else hasNone.value = true;
    };
    void open().catch((error: unknown) => {
      failure.value = error;
    });
  }, []);
  if (failure.value !== undefined) return <Alert>{sentenceOf(failure.value, t("offline"))}</Alert>;
  return hasNone.value ? <Studio films={[]} projects={[]} /> : null;
}

export function ProjectScreen({ projectId }: { projectId: string }) {
  const films = useSignal<readonly Film[] | undefined>(undefined);
  const projects = useSignal<readonly Project[]>([]);
  const failure = useSignal<unknown>(undefined);
  useEffect(() => {
    const load = async () => {
      const param = { projectId };
      const [list, found] = await asUser(() =>
        Promise.all([
          unwrap(api.projects[":projectId"].films.$get({ param, query: { limit: "60" } })),
          unwrap(api.projects.$get({ query: {} })),
        ]),
      );
      localStorage.setItem(lastProject, projectId);
      films.value = list.films;
      projects.value = found;
    };
    void load().catch((error: unknown) => {
      failure.value = error;
    });
  }, []);
  if (failure.value instanceof ApiError && failure.value.code === "not_found") return <Missing />;
  if (failure.value !== undefined) return <Alert>{sentenceOf(failure.value, t("offline"))}</Alert>;
  if (!films.value) return null;
  return <Studio films={films.value} projects={projects.value} projectId={projectId} />;
}

type StudioProps = {
  readonly films: readonly Film[];
  readonly projects: readonly Project[];
  readonly projectId?: string;
};

function Studio({ films, projects, projectId }: StudioProps) {
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
          {projectId && <Projects projects={projects} projectId={projectId} />}
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
          {!isOver(film) && <progress value={partDone(film)} aria-label={t("progress")} />}
        </span>
        <b>{film.name}</b>
        <span class="soft">{film.status === "done" ? dateText(film.createdAt) : stateText(film)}</span>
      </a>
    </li>
  );
}

function Projects({ projects, projectId }: { projects: readonly Project[]; projectId: string }) {
  const isNaming = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  const create = async (event: SubmitEvent) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get("name") ?? "");
    try {
      const { id } = await asUser(() => unwrap(api.projects.$post({ json: { name } })));
      go(projectPath(id));
    } catch (error) {
      failure.value = error;
    }
  };
  return (
    <div class="projects">
      <label>
        <span class="unseen">{t("project")}</span>
        <select value={projectId} onChange={(event) => go(projectPath(event.currentTarget.value))}>
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {isNaming.value ? (
        <form onSubmit={(event) => void create(event)}>
          <label>
            <span class="unseen">{t("projectName")}</span>
            {/* biome-ignore lint/a11y/noAutofocus: the button that was there has become this field */}
            <input name="name" placeholder={t("projectName")} maxLength={200} required autoFocus />
          </label>
          <button type="submit" class="small">
            {t("create")}
          </button>
        </form>
      ) : (
        <button
          type="button"
          class="plain"
          onClick={() => {
            isNaming.value = true;
          }}
        >
          {t("newProject")}
        </button>
      )}
      {failure.value !== undefined && <Alert>{sentenceOf(failure.value, t("offline"))}</Alert>}
    </div>
  );
}
