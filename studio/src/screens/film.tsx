import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { api, drawFrame, type ExportRequest, type Film, unwrap, type Work, type WorkComment } from "../api.ts";
import { useAttempt } from "../parts/attempt.ts";
import { Marks } from "../parts/comments.tsx";
import { DownloadNotes } from "../parts/download-notes.tsx";
import { hasEnded, hasNoSound, type Job, useExports, type Video, videoOf } from "../parts/exports-of.ts";
import { type Change, type FileTarget, isOver, partDone, scenesOf, stateText } from "../parts/film-facts.ts";
import { FilmNotes } from "../parts/film-notes.tsx";
import { followFilm } from "../parts/follow-film.ts";
import { useFollowed } from "../parts/followed.ts";
import { FormatSwitch } from "../parts/format-switch.tsx";
import { Jobs } from "../parts/jobs.tsx";
import { Failure, Unread } from "../parts/loaded.tsx";
import { Restyle } from "../parts/restyle.tsx";
import { SceneCard } from "../parts/scene-card.tsx";
import { Sharing } from "../parts/sharing.tsx";
import { Title } from "../parts/title.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { Player } from "../player/player.tsx";
import type { LoadPreview } from "../player/stream.ts";
import { projectPath, workPath } from "../router.ts";
import { asUser } from "../session.ts";
import { moneyText, t } from "../words.ts";
import { withBed } from "../work/levels.ts";
import { exportFilm } from "../work/saved-film.ts";

type FilmPath = { readonly projectId: string; readonly filmId: string };

/** A film while it is made, and its video afterwards. */
export function FilmScreen({ projectId, filmId }: FilmPath) {
  const work = useSignal<Work | undefined>(undefined);
  const made = useRef<HTMLElement>(null);
  const comments = useSignal<readonly WorkComment[]>([]);
  const param = { projectId, filmId };
  const {
    item: film,
    failure,
    again,
    change,
  } = useFollowed(() => unwrap(api.projects[":projectId"].films[":filmId"].$get({ param })), followFilm);

  const { workId = "", steps = [], status, waitingAt } = film.value ?? {};
  const scenario = steps.find(({ kind }) => kind === "scenario")?.status;
  useEffect(() => {
    if (!workId || scenario !== "done") return;
    const param = { projectId, workId };
    void asUser(() => unwrap(api.projects[":projectId"].works[":workId"].$get({ param }))).then(
      (loaded) => {
        work.value = loaded;
      },
      // the pictures tell the story without the words
      () => {},
    );
  }, [workId, scenario, waitingAt, status === "done"]);

  const exports = useExports(status === "done" ? workId : undefined);
  if (!film.value) return <Unread of={failure.value} again={again} />;
  const video = videoOf(film.value, work.value, exports.jobs.value);
  const seek = (seconds: number) => {
    const player = made.current?.querySelector("video");
    if (!player) return;
    player.pause();
    player.currentTime = seconds;
    player.focus();
  };
  return (
    <>
      <p class="back">
        <a href={projectPath(projectId)}>{t("toFilms")}</a>
      </p>
      <section class="made" ref={made}>
        <Screen film={film.value} video={video} comments={comments.value} onSeek={seek} />
        <div class="words">
          <Title quiet>{work.value?.name ?? film.value.name}</Title>
          <State film={film.value} />
          <FilmNotes warnings={film.value.warnings} />
          <Failure of={failure.value} />
          {film.value.status === "waiting" && <Waiting film={film.value} work={work.value} change={change} />}
          {video?.isOlder && <Older film={film.value} exports={exports} />}
          <Actions
            {...{ film: film.value, video, change }}
            onExport={(job, changed) => {
              work.value = changed;
              exports.put(job);
            }}
            isSilent={video && hasNoSound(film.value, video, exports.jobs.value)}
          />
        </div>
      </section>
      <Scenes film={film.value} work={work.value} change={change} />
      {film.value.status === "done" && <Restyle key={filmId} film={film.value} />}
      {exports.jobs.value.length > 0 && (
        <section class="scenes" aria-labelledby="exports-title">
          <h2 id="exports-title">{t("exports")}</h2>
          <Jobs jobs={exports.jobs.value} isOlder={({ createdAt }) => (work.value?.updatedAt ?? 0) > createdAt} />
        </section>
      )}
      {video && <Sharing film={film.value} video={video} comments={comments} onSeek={seek} />}
    </>
  );
}

function State({ film }: { film: Film }) {
  const { amount, currency } = film.spent;
  return (
    <>
      <p class="state" role="status" data-state={film.status}>
        <span class="light" aria-hidden="true" />
        <span>{stateText(film)}</span>
      </p>
      {!isOver(film) && <progress class="bar-of-film" value={partDone(film)} aria-label={t("progress")} />}
      {Number(amount) > 0 && <p class="soft">{t("spent", { amount: moneyText(amount, currency) })}</p>}
    </>
  );
}

/** Lists the parts of an export, and draws a frame of it. */
function exported(exportId: string, target: FileTarget | undefined) {
  let request: Promise<ExportRequest> | undefined;
  const query = target && { target };
  const read = async () => {
    const value = await unwrap(api.exports[":exportId"]["film.json"].$get({ param: { exportId } }));
    // safe because an export had it, with the overlays of the brand
    const exported = value.request as ExportRequest;
    return { ...exported, options: { ...exported.options, brand: false } };
  };
  const load: LoadPreview = async (quality) => {
    request ??= read();
    const json = await request;
    return await unwrap(api.export.preview.$post({ json, query: { quality, ...query } }));
  };
  const draw = async () => {
    request ??= read();
    return await drawFrame(await request, { t: posterSeconds, maxSide: "960", ...query });
  };
  return { load, draw };
}

/** Words are visible by then. */
const posterSeconds = "1";

/** The film once it plays; before, its newest picture. */
function Screen({ film, video, ...marked }: { film: Film; video: Video | undefined } & Marked) {
  const scenes = scenesOf(film, undefined);
  const newest = scenes.findLast(({ picture }) => picture)?.picture;
  if (video) return <FilmPlayer key={video.exportId} name={film.name} video={video} {...marked} />;
  return (
    <div class="screen making">
      {newest ? <img src={newest} alt="" /> : <span class="soft">{t("firstPicture")}</span>}
    </div>
  );
}

type Marked = { readonly comments: readonly WorkComment[]; readonly onSeek: (seconds: number) => void };

function FilmPlayer({ name, video: { exportId, files }, ...marked }: { name: string; video: Video } & Marked) {
  const seconds = useSignal(0);
  const target = useSignal<FileTarget | undefined>(undefined);
  const shown = target.value ?? files[0]?.target;
  const poster = useSignal<string | undefined>(undefined);
  const { load, draw } = useMemo(() => exported(exportId, shown), [shown]);
  useEffect(() => {
    // otherwise the first frame is shown
    void draw().then(
      (url) => {
        poster.value = url;
      },
      () => {},
    );
    return () => URL.revokeObjectURL(poster.value ?? "");
  }, [draw]);
  return (
    <div
      class="player"
      onDurationChangeCapture={({ target }: Event) => {
        if (target instanceof HTMLVideoElement) seconds.value = target.duration || 0;
      }}
    >
      <Player
        key={shown}
        name={name}
        format={shown}
        poster={poster.value}
        load={load}
        file={files.find((file) => file.target === shown)?.url}
      />
      <Marks {...marked} seconds={seconds.value} />
      {files.length > 1 && (
        <FormatSwitch
          names={files.map((file) => file.target)}
          shown={shown}
          onChoose={(name) => {
            target.value = name;
          }}
        />
      )}
    </div>
  );
}

/** Says that the shown film is not the edited one, and offers to export it. */
function Older({ film, exports }: { film: Film; exports: ReturnType<typeof useExports> }) {
  const { failure, isBusy, attempt } = useAttempt();
  const running = exports.jobs.value.find((job) => !hasEnded(job));
  const make = () => attempt(async () => exports.put((await exportFilm(film)).job));
  return (
    <div class="card">
      <p role="status">{t("filmOlder")}</p>
      {running ? (
        <progress value={running.progress} aria-label={t("progress")} />
      ) : (
        <p class="actions">
          <button type="button" class="button" disabled={isBusy.value} onClick={() => void make()}>
            {t("exportChanged")}
          </button>
        </p>
      )}
      <Failure of={failure.value} />
    </div>
  );
}

type OnExport = (job: Job, work: Work) => void;
type BedOfferProps = { readonly film: Film; readonly onExport: OnExport };

/** Gives a silent film music with one click. */
function BedOffer({ film, onExport }: BedOfferProps) {
  const { failure, isBusy, attempt } = useAttempt();
  const add = () =>
    attempt(async () => {
      const { beds } = await unwrap(api.beds.$get());
      // each film has its own, and the same one each time
      const bed = beds[[...film.name].reduce((sum, sign) => sum + sign.charCodeAt(0), 0) % beds.length];
      if (!bed) return;
      const { job, work } = await exportFilm(film, (draft) => withBed(draft, bed.audioUrl));
      onExport(job, work);
    });
  return (
    <>
      <button type="button" class="tool" disabled={isBusy.value} onClick={() => void add()}>
        {t("addBed")}
      </button>
      <Failure of={failure.value} />
    </>
  );
}

type ActionsProps = {
  readonly film: Film;
  readonly video: Video | undefined;
  readonly isSilent: boolean | undefined;
  readonly change: Change;
  readonly onExport: OnExport;
};

function Actions({ film, video, isSilent, change, onExport }: ActionsProps) {
  const param = { projectId: film.projectId, filmId: film.id };
  if (video) {
    return (
      <p class="actions">
        {video.files.map(({ target, url }, index) => (
          <a
            key={target}
            class={index === 0 ? "button" : "link"}
            href={url}
            download={`${film.name}${video.files.length > 1 ? ` ${target.replace(":", "x")}` : ""}.mp4`}
          >
            {video.files.length > 1 ? t("downloadTarget", { target }) : t("download")}
          </a>
        ))}
        <DownloadNotes isSilent={isSilent} isOlder={video.isOlder} />
        <a href={workPath(film.projectId, film.workId)}>{t("workEdit")}</a>
        {isSilent && !video.isOlder && <BedOffer film={film} onExport={onExport} />}
      </p>
    );
  }
  if (isOver(film)) return null;
  return (
    <p class="actions">
      <button
        type="button"
        class="plain"
        onClick={() => void change(() => unwrap(api.projects[":projectId"].films[":filmId"].cancel.$post({ param })))}
      >
        {t("cancel")}
      </button>
      {film.status !== "waiting" && <span class="soft">{t("mayLeave")}</span>}
    </p>
  );
}

function Scenes({ film, work, change }: { film: Film; work: Work | undefined; change: Change }) {
  const scenes = scenesOf(film, work);
  if (scenes.length === 0) return null;
  return (
    <section class="scenes" aria-labelledby="scenes-title">
      <h2 id="scenes-title">{t("scenes")}</h2>
      <ol>
        {scenes.map((scene) => (
          <SceneCard key={scene.index} film={film} scene={scene} change={change} />
        ))}
      </ol>
    </section>
  );
}
