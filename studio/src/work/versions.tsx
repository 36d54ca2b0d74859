import { useSignal } from "@preact/signals";
import { api, unwrap } from "../api.ts";
import { useAttempt } from "../parts/attempt.ts";
import { Failure, Show, useLoaded } from "../parts/loaded.tsx";
import { asUser } from "../session.ts";
import { dateText, t } from "../words.ts";
import type { Bench } from "./bench.ts";

const route = api.projects[":projectId"].works[":workId"].versions;

/** The last saves of the film with their pictures, which one press restores. */
export function Versions({ bench }: { bench: Bench }) {
  const isOpen = useSignal(false);
  return (
    <details
      class="versions"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>{t("versions")}</summary>
      {isOpen.value && <VersionList key={bench.session.work.value.updatedAt} bench={bench} />}
    </details>
  );
}

function VersionList({ bench: { ids, session } }: { bench: Bench }) {
  const { failure, isBusy, attempt } = useAttempt();
  const loaded = useLoaded(() => asUser(() => unwrap(route.$get({ param: ids }))));
  const restore = (versionId: string) =>
    attempt(async () => {
      // the state that is replaced stays a version
      await session.flush();
      await asUser(() => unwrap(route[":versionId"].restore.$post({ param: { ...ids, versionId } })));
      await session.takeTheirs();
    });
  return (
    <Show of={loaded}>
      {({ versions }) => (
        <>
          <Failure of={failure.value} />
          {versions.length === 0 && <p class="soft">{t("versionsNone")}</p>}
          <ol>
            {versions.map(({ id, savedAt, thumbnail }) => (
              <li key={id}>
                <span class="poster">
                  <img src={thumbnail} alt={t("versionOf", { date: dateText(savedAt) })} loading="lazy" />
                </span>
                <span class="soft">{dateText(savedAt)}</span>
                <button type="button" class="tool" disabled={isBusy.value} onClick={() => void restore(id)}>
                  {t("versionRestore")}
                  <span class="unseen"> {t("versionOf", { date: dateText(savedAt) })}</span>
                </button>
              </li>
            ))}
          </ol>
        </>
      )}
    </Show>
  );
}
