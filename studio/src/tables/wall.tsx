import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { api, type Batch, type BatchFilm, type Film, unwrap } from "../api.ts";
import { readPage } from "../pages.ts";
import { useAttempt } from "../parts/attempt.ts";
import { useModal } from "../parts/dialog.tsx";
import { DownloadNotes } from "../parts/download-notes.tsx";
import { videoOf } from "../parts/exports-of.ts";
import { Area, bound } from "../parts/field.tsx";
import { Failure } from "../parts/loaded.tsx";
import { Still } from "../parts/still.tsx";
import { asUser } from "../session.ts";
import { languageName, t, type Word } from "../words.ts";
import { Pages } from "./findings.tsx";

const routes = api.projects[":projectId"].batches[":batchId"];

const atOnce = 24;

/** Filters of the wall, as queries of the list of films. */
const filters = {
  all: {},
  done: { status: "done" },
  unchanged: { status: "unchanged" },
  invalid: { status: "invalid" },
  error: { status: "error" },
  none: { approval: "none" },
  approved: { approval: "approved" },
  rejected: { approval: "rejected" },
} as const;
type Filter = keyof typeof filters;

/** The films of a table, page by page, in the table's order. */
export function Wall({ batch }: { batch: Batch }) {
  const films = useSignal<readonly BatchFilm[] | undefined>(undefined);
  const picked = useSignal<Filter | undefined>(undefined);
  /** Cursors of the pages up to the current one. */
  const pages = useSignal<readonly string[]>([]);
  const next = useSignal<string | undefined>(undefined);
  const opened = useSignal<string | undefined>(undefined);
  const edited = useSignal<ReadonlySet<string>>(new Set());
  const failure = useSignal<unknown>(undefined);
  const { projectId, id: batchId, checkedRows, status, counts } = batch;
  const param = { projectId, batchId };
  // a preview shows only its finished films
  const isPreview = status === "waiting" && batch.waitingFor === "approval" && counts.done > 0;
  const filter = picked.value ?? (isPreview ? "done" : "all");
  const cursor = pages.value.at(-1);

  /** Changes during a reload cause another reload. */
  const reading = useRef<{ again: boolean } | undefined>(undefined);
  const place = useRef("");
  const read = async () => {
    if (reading.current) {
      reading.current.again = true;
      return;
    }
    const turn = { again: true };
    reading.current = turn;
    try {
      while (turn.again) {
        turn.again = false;
        const asked = place.current;
        const query = { limit: `${atOnce}`, ...JSON.parse(asked) };
        const page = await asUser(() => readPage(routes.films.$get({ param, query })));
        if (asked !== place.current) continue;
        films.value = page.body.films;
        next.value = page.next;
        failure.value = undefined;
      }
    } catch (error) {
      failure.value = error;
    }
    reading.current = undefined;
  };
  place.current = JSON.stringify({ ...filters[filter], ...(cursor && { cursor }) });
  useEffect(() => void read(), [place.current, status, checkedRows, JSON.stringify(counts)]);

  const ofBriefs = films.value?.flatMap(({ filmId, status }) => (filmId && status === "done" ? [filmId] : [])).join();
  useEffect(() => {
    if (!ofBriefs) return;
    // if they cannot be read, the wall shows no changes
    void changedFilms(projectId).then(
      (found) => {
        edited.value = found;
      },
      () => {},
    );
  }, [ofBriefs]);
  const change = (changed: BatchFilm) => {
    films.value = films.value?.map((film) => (film.id === changed.id ? changed : film));
  };
  if (counts.films === 0 || (status === "validating" && checkedRows === 0)) return null;
  const shown = films.value ?? [];
  const from = pages.value.length * atOnce;
  const playable = shown.filter(({ url }) => url);
  const at = playable.findIndex(({ id }) => id === opened.value);
  return (
    <section class="films wall" aria-labelledby="wall-title">
      <header class="actions">
        <h2 id="wall-title">{t("films")}</h2>
        <label class="language">
          <span>{t("tableShow")}</span>
          <select
            value={filter}
            onChange={(event) => {
              // safe because the options are the filters
              picked.value = event.currentTarget.value as Filter;
              pages.value = [];
            }}
          >
            {Object.keys(filters).map((name) => (
              <option key={name} value={name}>
                {t(`tableFilter_${name}` as Word)}
              </option>
            ))}
          </select>
        </label>
      </header>
      <Failure of={failure.value} />
      {films.value?.length === 0 && <p class="soft">{t("tableNone")}</p>}
      <ul>
        {shown.map((film) => (
          <Tile key={film.id} film={film} opened={opened} isOlder={edited.value.has(film.filmId ?? "")} />
        ))}
      </ul>
      {(next.value !== undefined || from > 0) && (
        <Pages
          text={t("tablePages", { from: from + 1, to: from + shown.length })}
          back={
            from > 0 &&
            (() => {
              pages.value = pages.value.slice(0, -1);
            })
          }
          on={
            next.value !== undefined &&
            (() => {
              pages.value = [...pages.value, next.value!]; // safe because the button is there with it only
            })
          }
        />
      )}
      {at >= 0 && (
        <Viewer
          film={playable[at]!} // safe because it was found
          send={(approval, note) =>
            asUser(() =>
              unwrap(
                routes.films[":itemId"][approval === "approved" ? "approve" : "reject"].$post({
                  param: { ...param, itemId: playable[at]!.id },
                  json: { note },
                }),
              ),
            )
          }
          onChange={change}
          before={playable[at - 1]?.id}
          after={playable[at + 1]?.id}
          opened={opened}
        />
      )}
    </section>
  );
}

/** Distinguishes the films of a row. */
const versionOf = ({ language, target }: BatchFilm): string =>
  [language && languageName(language), target].filter(Boolean).join(", ");

/** The newest films of the project whose works were changed since their videos. */
async function changedFilms(projectId: string): Promise<ReadonlySet<string>> {
  const { films, works } = api.projects[":projectId"];
  const request = { param: { projectId }, query: { limit: "100" } };
  const [made, all] = await Promise.all([unwrap(films.$get(request)), unwrap(works.$get(request))]);
  const workOf = new Map(all.map((work) => [work.id, work]));
  const isOlder = (film: Film) => videoOf(film, workOf.get(film.workId), [])?.isOlder;
  return new Set(made.films.filter(isOlder).map(({ id }) => id));
}

type TileProps = { readonly film: BatchFilm; readonly opened: Signal<string | undefined>; readonly isOlder: boolean };

function Tile({ film, opened, isOlder }: TileProps) {
  const { id, key, row, target, status, url, approval, error, warnings } = film;
  const name = (
    <>
      <span class="poster" data-format={target}>
        {url ? <Still url={url} /> : <span class="soft">{t(`tableItem_${status}` as Word)}</span>}
        {approval !== "none" && (
          <span class="mark" data-approval={approval}>
            <span class="unseen">{t(approval === "approved" ? "tableApproved" : "tableRejected")}</span>
          </span>
        )}
      </span>
      <b dir="auto">{key === `${row}` ? t("tableRowNumber", { row }) : key}</b>
      <span class="soft">{versionOf(film)}</span>
    </>
  );
  return (
    <li data-status={status}>
      {url ? (
        <button
          type="button"
          class="wall-film"
          onClick={() => {
            opened.value = id;
          }}
        >
          {name}
        </button>
      ) : (
        <div class="wall-film">{name}</div>
      )}
      {url && <DownloadNotes isOlder={isOlder} />}
      {error && <p class="wrong">{error.message}</p>}
      {warnings
        // findings about all rows were shown before
        .filter(({ column }) => column)
        .map(({ path, code, message }) => (
          <p key={path + code} class="hint">
            {message}
          </p>
        ))}
      {film.note && (
        <p class="said hint" dir="auto">
          {film.note}
        </p>
      )}
    </li>
  );
}

type ViewerProps = {
  readonly film: BatchFilm;
  readonly send: (approval: "approved" | "rejected", note: string) => Promise<BatchFilm>;
  readonly onChange: (film: BatchFilm) => void;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly opened: Signal<string | undefined>;
};

/** One film in large, with its approval and note; keys lead to the next one. */
function Viewer({ film, send, onChange, before, after, opened }: ViewerProps) {
  const dialog = useModal();
  const note = useSignal("");
  const { failure, isBusy, attempt } = useAttempt();
  const id = useId();
  // before the next press of a button, which would send the note of another film
  useLayoutEffect(() => {
    note.value = film.note ?? "";
    failure.value = undefined;
  }, [film.id]);

  const decide = (approval: "approved" | "rejected") =>
    attempt(async () => {
      onChange(await send(approval, note.value));
      if (after) opened.value = after;
    });
  const show = (other: string | undefined) => {
    if (other) opened.value = other;
  };
  const title = [film.key === `${film.row}` ? t("tableRowNumber", { row: film.row }) : film.key, versionOf(film)];
  return (
    <dialog
      ref={dialog}
      class="viewer"
      aria-labelledby={`${id}-title`}
      onClose={() => {
        opened.value = undefined;
      }}
    >
      {/* biome-ignore lint/a11y/useMediaCaption: the words are in the picture */}
      <video
        key={film.id}
        class="screen"
        data-format={film.target}
        src={film.url}
        aria-label={film.key}
        controls
        autoPlay={!matchMedia("(prefers-reduced-motion: reduce)").matches}
        playsInline
      />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void decide("approved");
        }}
      >
        <h2 id={`${id}-title`} dir="auto">
          {title.filter(Boolean).join(" · ")}
        </h2>
        <p class="soft" role="status">
          {film.approval !== "none" && t(film.approval === "approved" ? "tableApproved" : "tableRejected")}
        </p>
        <Area label={t("note")} rows={2} maxLength={2000} {...bound(note)} />
        <Failure of={failure.value} />
        <p class="actions">
          <button type="submit" class="button" disabled={isBusy.value}>
            {t("tableApprove")}
          </button>
          <button type="button" class="plain" disabled={isBusy.value} onClick={() => void decide("rejected")}>
            {t("tableReject")}
          </button>
          <a href={film.url} download={film.fileName}>
            {t("tableSave")}
          </a>
        </p>
        <p class="actions">
          <button type="button" class="plain" disabled={!before} onClick={() => show(before)}>
            {t("tableBack")}
          </button>
          <button type="button" class="plain" disabled={!after} onClick={() => show(after)}>
            {t("tableNext")}
          </button>
          <button type="button" class="plain" onClick={() => dialog.current?.close()}>
            {t("close")}
          </button>
        </p>
      </form>
    </dialog>
  );
}
