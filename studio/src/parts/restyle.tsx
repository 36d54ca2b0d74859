import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, type Film, unwrap } from "../api.ts";
import { filmPath, go, projectPath } from "../router.ts";
import { asUser } from "../session.ts";
import { t } from "../words.ts";
import { useAttempt } from "./attempt.ts";
import { isOver, partDone, scenesOf, stateText } from "./film-facts.ts";
import { followFilm } from "./follow-film.ts";
import { Failure } from "./loaded.tsx";
import { LookChoice, type Palette } from "./look-choice.tsx";

const films = api.projects[":projectId"].films;

/** As many films as one click orders. */
const mostFilms = 50;

const secondsOf = ({ createdAt, endedAt = createdAt }: Film): number => (endedAt - createdAt) / 1000;

/** Tries a look and colors on a film: all its scenes are seen before the result is kept, for this film or for all. */
export function Restyle({ film }: { film: Film }) {
  const isOpen = useSignal(false);
  return (
    <details
      class="more other-look"
      onToggle={({ currentTarget }) => {
        isOpen.value ||= currentTarget.open;
      }}
    >
      <summary>{t("otherLook")}</summary>
      {isOpen.value && <Trial film={film} />}
    </details>
  );
}

function Trial({ film: { projectId, id: filmId } }: { film: Film }) {
  const look = useSignal<string | undefined>(undefined);
  const palette = useSignal<Palette | undefined>(undefined);
  const tried = useSignal<Film | undefined>(undefined);
  const others = useSignal<readonly Film[]>([]);
  const { failure, isBusy, attempt } = useAttempt();

  const copy = (id: string) => {
    const json = { ...(look.value && { look: look.value }), ...(palette.value && { palette: palette.value }) };
    return asUser(() => unwrap(films[":filmId"].copy.$post({ param: { projectId, filmId: id }, json, header: {} })));
  };
  useEffect(() => {
    void attempt(async () => {
      const { films: all } = await unwrap(films.$get({ param: { projectId }, query: { limit: "100" } }));
      others.value = all.filter(({ id, status }) => id !== filmId && status === "done").slice(0, mostFilms);
    });
  }, []);
  const { value: shown } = tried;
  useEffect(
    () =>
      shown &&
      followFilm(shown, (state) => {
        tried.value = state;
      }),
    [shown?.id],
  );
  const drop = async () => {
    if (shown) await unwrap(films[":filmId"].$delete({ param: { projectId, filmId: shown.id } }));
    tried.value = undefined;
  };
  const attemptTrial = () =>
    attempt(async () => {
      await drop();
      tried.value = await copy(filmId);
    });
  const forAll = () =>
    attempt(async () => {
      for (const { id } of others.value) if (id !== shown?.id) await copy(id);
      go(projectPath(projectId));
    });
  const seconds = Math.ceil(others.value.reduce((sum, each) => sum + secondsOf(each), 0));
  return (
    <div class="restyle">
      <p class="soft">{t("otherLookHelp")}</p>
      <LookChoice look={look} palette={palette} standard={t("lookStays")} />
      <p class="actions">
        <button
          type="button"
          class={shown ? "plain" : "button"}
          disabled={(!look.value && !palette.value) || isBusy.value}
          onClick={() => void attemptTrial()}
        >
          {t("otherLookTry")}
        </button>
      </p>
      <Failure of={failure.value} />
      {shown && (
        <section class="card tried" aria-label={shown.name}>
          <p role="status">{stateText(shown)}</p>
          {!isOver(shown) && <progress value={partDone(shown)} aria-label={t("progress")} />}
          {shown.status === "done" ? (
            <img src={sheetOf(shown)} alt={t("otherLookSeen")} />
          ) : (
            <ol>
              {scenesOf(shown, undefined).map(({ index, picture }) => (
                <li key={index} class="poster">
                  {picture && <img src={picture} alt={t("pictureOf", { number: index + 1 })} />}
                </li>
              ))}
            </ol>
          )}
          <p class="actions">
            <button type="button" class="button" onClick={() => go(filmPath(projectId, shown.id))}>
              {t("otherLookKeep")}
            </button>
            <button type="button" class="plain" disabled={isBusy.value} onClick={() => void attempt(drop)}>
              {t("otherLookDrop")}
            </button>
            {others.value.length > 0 && (
              <button type="button" class="plain" disabled={isBusy.value} onClick={() => void forAll()}>
                {t("otherLookAll", { count: others.value.length, seconds })}
              </button>
            )}
          </p>
        </section>
      )}
    </div>
  );
}

/** Frames at even distances, as the film has them with its words. */
const sheetOf = ({ projectId, workId }: Film): string =>
  `/api/projects/${projectId}/works/${workId}/contact-sheet?columns=4&rows=2`;
