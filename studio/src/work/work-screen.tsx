import { untracked, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, unwrap } from "../api.ts";
import { useAttempt } from "../parts/attempt.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Alert, Field } from "../parts/field.tsx";
import { Failure, Unread } from "../parts/loaded.tsx";
import { Title } from "../parts/title.tsx";
import { projectPath } from "../router.ts";
import { asUser } from "../session.ts";
import { itemsIn, memberKey } from "../strip/items.ts";
import { Strip } from "../strip/strip.tsx";
import { t, type Word } from "../words.ts";
import { AddClips } from "./add-clips.tsx";
import { type Bench, draftOfBench, type Ids, openBench, type Panel, panels } from "./bench.ts";
import { CaptionTable } from "./caption-table.tsx";
import { clipsOf } from "./draft.ts";
import { ExportPanel } from "./export-panel.tsx";
import { FilmComments } from "./film-comments.tsx";
import { seedOf } from "./film-seed.ts";
import { keptChangesOf } from "./kept.ts";
import { useMadeCaptions } from "./made-captions.ts";
import { saveDraft } from "./saved-film.ts";
import { openSession, type Session, type SessionPorts, type Stored } from "./session.ts";
import { SoundPanel } from "./sound-panel.tsx";
import { Stage } from "./stage.tsx";
import { Storyboard } from "./storyboard.tsx";
import { TextPanel } from "./text-panel.tsx";

const route = api.projects[":projectId"].works[":workId"];

type Answer = Awaited<ReturnType<typeof route.$get>> | Awaited<ReturnType<typeof route.$put>>;

const stored = async (answer: Answer): Promise<Stored> => ({
  etag: answer.headers.get("etag") ?? "",
  work: await unwrap(answer),
});

// opened with the first work: a browser without cookies throws, but can still show reviews
let keptChanges: ReturnType<typeof keptChangesOf> | undefined;

async function openWork(ids: Ids): Promise<Session> {
  keptChanges ??= keptChangesOf({ localStorage, sessionStorage, locks: navigator.locks });
  const { kept, keep } = await keptChanges(ids.workId);
  const ports: SessionPorts = {
    keep,
    load: () => asUser(async () => stored(await route.$get({ param: ids }))),
    save: (draft, base, etag) => asUser(async () => stored(await saveDraft(ids, draft, base, etag))),
    later(act, milliseconds) {
      const timer = setTimeout(act, milliseconds);
      return () => clearTimeout(timer);
    },
  };
  const read = await ports.load();
  return openSession(ports, read, { kept, seed: await seedOf(ids, read.work) });
}

/** The editor of a work: it plays exactly what an export gives. */
export function WorkScreen(ids: Ids) {
  const bench = useSignal<Bench | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const round = useSignal(0);
  useEffect(() => {
    let isLeft = false;
    failure.value = undefined;
    openWork(ids).then(
      (session) => {
        if (isLeft) session.close();
        else bench.value = openBench(ids, session);
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
    return () => {
      isLeft = true;
      bench.value?.session.close();
    };
  }, [round.value]);
  if (bench.value) return <Editor bench={bench.value} />;
  return <Unread of={failure.value} again={() => round.value++} />;
}

const panelNames: Readonly<Record<Panel, Word>> = {
  scenes: "scenes",
  texts: "workTexts",
  captions: "workCaptions",
  sound: "workSound",
  export: "workExport",
};

function Editor({ bench }: { bench: Bench }) {
  const { session, ids, panel } = bench;
  useMadeCaptions(bench);
  // what is chosen on the picture is chosen on the strip
  useSignalEffect(() => {
    const { value: overlay } = bench.overlay;
    if (!overlay) return;
    const key = memberKey(overlay);
    const items = untracked(() => itemsIn(bench.lanes.value));
    const item =
      items.find((each) => each.key === key) ??
      items.find(({ members }) => members.some((member) => memberKey(member) === key));
    if (item && !bench.chosen.peek().includes(item.key)) bench.chosen.value = [item.key];
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const key = event.key.toLowerCase();
      if (key !== "z" && key !== "y") return;
      event.preventDefault();
      if (key === "y" || event.shiftKey) session.redo();
      else session.undo();
    };
    const onOnline = () => void session.flush();
    // a hidden page may never return
    const onHide = () => void (document.visibilityState === "hidden" && session.flush());
    addEventListener("keydown", onKey);
    addEventListener("online", onOnline);
    document.addEventListener("visibilitychange", onHide);
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("online", onOnline);
      document.removeEventListener("visibilitychange", onHide);
    };
  }, []);
  const isEmpty = clipsOf(draftOfBench(bench)).length === 0;
  return (
    <div class="work">
      <header class="work-head">
        <p class="back">
          <a href={projectPath(ids.projectId)}>{t("toFilms")}</a>
        </p>
        <Title quiet>{session.work.value.name}</Title>
        <Rename ids={ids} session={session} />
        <div class="work-state">
          <SaveState session={session} />
          <UndoButtons session={session} />
        </div>
      </header>
      <Conflict session={session} />
      {isEmpty ? (
        <section class="card">
          <p class="lead">{t("workEmpty")}</p>
          <AddClips bench={bench} />
        </section>
      ) : (
        <div class="bench">
          <Stage
            bench={bench}
            showsFrame={panel.value === "texts" || panel.value === "captions"}
            showsTexts={panel.value === "texts"}
          />
          <div class="panel">
            <fieldset class="switch">
              <legend class="unseen">{t("workParts")}</legend>
              {panels.map((name) => (
                <label key={name}>
                  <input
                    type="radio"
                    name="work-panel"
                    checked={panel.value === name}
                    onChange={() => {
                      panel.value = name;
                    }}
                  />
                  <span>{t(panelNames[name])}</span>
                </label>
              ))}
            </fieldset>
            <Shown panel={panel.value} bench={bench} />
            <FilmComments bench={bench} />
          </div>
          <Strip bench={bench} />
        </div>
      )}
    </div>
  );
}

function Shown({ panel, bench }: { panel: Panel; bench: Bench }) {
  if (panel === "scenes") return <Storyboard bench={bench} />;
  if (panel === "texts") return <TextPanel bench={bench} />;
  if (panel === "captions") return <CaptionTable bench={bench} />;
  if (panel === "sound") return <SoundPanel bench={bench} />;
  return <ExportPanel bench={bench} />;
}

const savingWords: Readonly<Record<string, Word>> = {
  saved: "workSaved",
  changed: "workSaving",
  saving: "workSaving",
  offline: "workOffline",
  conflict: "workNotSaved",
  refused: "workNotSaved",
};

function SaveState({ session }: { session: Session }) {
  const { kind, ...rest } = session.saving.value;
  return (
    <div class="saving" data-state={kind}>
      <p role="status">
        <span class="light" aria-hidden="true" />
        {t(savingWords[kind]!)}
      </p>
      {"message" in rest && <Alert>{String(rest.message)}</Alert>}
    </div>
  );
}

function UndoButtons({ session }: { session: Session }) {
  const { past, future } = session.history.value;
  return (
    <p class="undo">
      <button type="button" disabled={past.length === 0} title={`${t("workUndo")} (Ctrl+Z)`} onClick={session.undo}>
        <span class="icon-undo" aria-hidden="true" />
        <span class="unseen">{t("workUndo")}</span>
      </button>
      <button
        type="button"
        disabled={future.length === 0}
        title={`${t("workRedo")} (Ctrl+Shift+Z)`}
        onClick={session.redo}
      >
        <span class="icon-redo" aria-hidden="true" />
        <span class="unseen">{t("workRedo")}</span>
      </button>
    </p>
  );
}

/** Shown if another page has saved the work: nothing is lost before a person decides. */
function Conflict({ session }: { session: Session }) {
  const { failure, attempt } = useAttempt();
  if (session.saving.value.kind !== "conflict") return null;
  return (
    <section class="card conflict" role="alert" aria-labelledby="conflict-title">
      <h2 id="conflict-title">{t("workConflict")}</h2>
      <p>{t("workConflictHelp")}</p>
      <p class="actions">
        <button type="button" class="button" onClick={() => void attempt(session.takeTheirs)}>
          {t("workTakeTheirs")}
        </button>
        <button type="button" class="plain" onClick={() => void attempt(session.keepMine)}>
          {t("workKeepMine")}
        </button>
      </p>
      <Failure of={failure.value} />
    </section>
  );
}

/** Gives the film another name. */
function Rename({ ids: param, session }: Pick<Bench, "ids" | "session">) {
  const isAsking = useSignal(false);
  const { failure, isBusy, attempt } = useAttempt();
  const rename = (fields: FormData) => {
    const json = { name: String(fields.get("name") ?? "") };
    return attempt(() => session.changeFiles(() => unwrap(route.$put({ param, json }))));
  };
  return (
    <>
      <button
        type="button"
        class="plain"
        onClick={() => {
          isAsking.value = true;
        }}
      >
        {t("rename")}
      </button>
      {isAsking.value && (
        <Dialog
          title={t("rename")}
          action={t("save")}
          isBusy={isBusy.value}
          onSubmit={rename}
          onClose={() => {
            isAsking.value = false;
          }}
        >
          <Field label={t("templateName")} name="name" defaultValue={session.work.value.name} autoComplete="off" />
          <Failure of={failure.value} />
        </Dialog>
      )}
    </>
  );
}
