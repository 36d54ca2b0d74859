import { useSignal } from "@preact/signals";
import { api, unwrap, type Work } from "../api.ts";
import { readPage } from "../pages.ts";
import { useAttempt } from "../parts/attempt.ts";
import { bound, Field } from "../parts/field.tsx";
import { Failure } from "../parts/loaded.tsx";
import { workPath } from "../router.ts";
import { t } from "../words.ts";
import type { Bench, Ids } from "./bench.ts";
import { draftOf } from "./draft.ts";
import { editFilm, exportFilm } from "./saved-film.ts";
import { partsOf, replaceWords } from "./words-in.ts";

const mostHits = 8;

/** Replaces words in the whole film, and in the others of its project. */
export function Replace({ bench: { session, ids } }: { bench: Bench }) {
  const find = useSignal("");
  const by = useSignal("");
  const { count, hits } = replaceWords(session.history.value.present, find.value, by.value);
  return (
    <form
      class="fields replace"
      onSubmit={(event) => {
        event.preventDefault();
        session.change((before) => replaceWords(before, find.value, by.value).draft);
      }}
    >
      <Field label={t("textFind")} {...bound(find)} />
      <Field label={t("textReplaceBy")} {...bound(by)} />
      {hits.length > 0 && (
        <ul class="hits">
          {hits.slice(0, mostHits).map((text) => (
            <li key={text} dir="auto">
              {partsOf(text, find.value).map((part, at) =>
                at % 2 === 0 ? (
                  part
                ) : (
                  <>
                    <del>{part}</del>
                    {by.value && <ins>{by.value}</ins>}
                  </>
                ),
              )}
            </li>
          ))}
          {hits.length > mostHits && <li class="soft">+ {hits.length - mostHits}</li>}
        </ul>
      )}
      <p class="tools">
        <button type="submit" class="tool" disabled={count === 0}>
          {t("textReplace", { count })}
        </button>
        <span class="soft" role="status">
          {find.value.trim() && count === 0 ? t("textNotFound") : ""}
        </span>
      </p>
      {find.value.trim() && <OtherFilms key={`${find.value} ${by.value}`} ids={ids} find={find.value} by={by.value} />}
    </form>
  );
}

/** A film with the words, and the seconds that its last export took, if it has one. */
type Found = { readonly work: Work; readonly count: number; readonly seconds: number | undefined };

const works = api.projects[":projectId"].works;

async function findIn({ projectId, workId }: Ids, find: string): Promise<readonly Found[]> {
  const { exports } = await unwrap(api.exports.$get({ query: { limit: "100" } }));
  const found: Found[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: "100", ...(cursor && { cursor }) };
    const { body, next } = await readPage(works.$get({ param: { projectId }, query }));
    for (const { id } of body) {
      if (id === workId) continue;
      const work = await unwrap(works[":workId"].$get({ param: { projectId, workId: id } }));
      const { count } = replaceWords(draftOf(work), find, "");
      const { startedAt, finishedAt } = exports.find((job) => job.workId === id && job.status === "done") ?? {};
      const seconds = startedAt && finishedAt && (finishedAt - startedAt) / 1000;
      if (count > 0) found.push({ work, count, seconds });
    }
    cursor = next;
  } while (cursor);
  return found;
}

type OtherFilmsProps = { readonly ids: Ids; readonly find: string; readonly by: string };

/** Lists the other films of the project with these words, replaces them there, and exports these films again. */
function OtherFilms({ ids, find, by }: OtherFilmsProps) {
  const { projectId } = ids;
  const found = useSignal<readonly Found[] | undefined>(undefined);
  const done = useSignal<"none" | "replaced" | "exported">("none");
  const { failure, isBusy, attempt } = useAttempt();
  const look = () =>
    attempt(async () => {
      found.value = await findIn(ids, find);
    });
  const replace = () =>
    attempt(async () => {
      for (const { work } of found.value ?? [])
        await editFilm({ projectId, workId: work.id }, (draft) => replaceWords(draft, find, by).draft);
      done.value = "replaced";
    });
  const made = found.value?.filter(({ seconds }) => seconds !== undefined) ?? [];
  const seconds = Math.ceil(made.reduce((sum, each) => sum + (each.seconds ?? 0), 0));
  const exportAgain = () =>
    attempt(async () => {
      for (const { work } of made) await exportFilm({ projectId, workId: work.id });
      done.value = "exported";
    });
  const act = (words: string, run: () => Promise<unknown>) => (
    <button type="button" class="tool" disabled={isBusy.value} onClick={() => void run()}>
      {words}
    </button>
  );
  if (!found.value)
    return (
      <p class="tools">
        {act(t("replaceLook"), look)}
        {isBusy.value && <span class="soft">{t("loading")}</span>}
        <Failure of={failure.value} />
      </p>
    );
  return (
    <section class="hits" aria-label={t("replaceLook")}>
      {found.value.length === 0 && <p class="soft">{t("replaceNone")}</p>}
      <ul>
        {found.value.map(({ work: { id, name }, count }) => (
          <li key={id}>
            <a href={workPath(projectId, id)} dir="auto">
              {name}
            </a>{" "}
            <span class="soft">({count})</span>
          </li>
        ))}
      </ul>
      <p class="tools">
        {found.value.length > 0 &&
          done.value === "none" &&
          act(t("replaceFilms", { count: found.value.length }), replace)}
        {done.value === "replaced" && made.length > 0 && act(t("replaceExport", { seconds }), exportAgain)}
      </p>
      <p class="soft" role="status">
        {done.value !== "none" && t(done.value === "replaced" ? "replaceDone" : "replaceExported")}
      </p>
      <Failure of={failure.value} />
    </section>
  );
}
