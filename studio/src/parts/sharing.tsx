import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, type Film, type Review, type Target, unwrap, type WorkComment } from "../api.ts";
import { dateText, t } from "../words.ts";
import { useAttempt } from "./attempt.ts";
import { Threads } from "./comments.tsx";
import { Decision } from "./decision.tsx";
import { DownloadNotes } from "./download-notes.tsx";
import type { Video } from "./exports-of.ts";
import { Failure } from "./loaded.tsx";

const work = api.projects[":projectId"].works[":workId"];

/** Review links of a finished film, with their comments. */
type SharingProps = {
  readonly film: Film;
  readonly video: Video;
  readonly comments: Signal<readonly WorkComment[]>;
  readonly onSeek: (seconds: number) => void;
};

export function Sharing({ film, video: { exportId, files, isOlder }, comments, onSeek }: SharingProps) {
  const links = useSignal<readonly Review[]>([]);
  const newUrl = useSignal<string | undefined>(undefined);
  const { failure, attempt } = useAttempt();
  const param = { projectId: film.projectId, workId: film.workId };

  /** Runs a change and loads the links again. */
  const change = (send: () => Promise<unknown> = async () => {}) =>
    attempt(async () => {
      await send();
      const [listed, said] = await Promise.all([
        unwrap(work.reviews.$get({ param, query: {} })),
        unwrap(work.comments.$get({ param, query: {} })),
      ]);
      links.value = listed;
      comments.value = said;
    });
  useEffect(() => {
    void change();
  }, []);

  const make = (fields: LinkFields) =>
    change(async () => {
      newUrl.value = (await unwrap(work.reviews.$post({ param, json: { exportId, ...fields } }))).url;
    });
  return (
    <section class="sharing" aria-labelledby="share-title">
      <div class="lead-in">
        <h2 id="share-title">{t("share")}</h2>
        <p class="soft">{t("shareLead")}</p>
      </div>
      {isOlder && <p class="hint">{t("filmOlder")}</p>}
      <LinkForm files={files} onMake={make} />
      {newUrl.value !== undefined && <NewLink url={newUrl.value} />}
      <Failure of={failure.value} />
      {links.value.length > 0 && (
        <Links
          links={links.value}
          isOld={(link) => isOlder || link.exportId !== exportId}
          onRevoke={(reviewId) =>
            change(() => unwrap(work.reviews[":reviewId"].$delete({ param: { ...param, reviewId } })))
          }
        />
      )}
      {comments.value.length > 0 && (
        <Comments
          comments={comments.value}
          onSeek={onSeek}
          onReply={(comment, text) => change(() => sendReply(param, comment, text))}
          onResolve={({ id: commentId, resolved }) =>
            change(() =>
              unwrap(
                work.comments[":commentId"].$put({ param: { ...param, commentId }, json: { resolved: !resolved } }),
              ),
            )
          }
          onRemove={({ id: commentId }) =>
            change(() => unwrap(work.comments[":commentId"].$delete({ param: { ...param, commentId } })))
          }
        />
      )}
    </section>
  );
}

const choices = [7, 14, 30, 90];

type LinkFormProps = {
  readonly files: Video["files"];
  readonly onMake: (fields: LinkFields) => Promise<unknown>;
};

type LinkFields = {
  readonly expiresInDays: number;
  readonly comment: boolean;
  readonly approve: boolean;
  readonly targets?: Target[];
};

function LinkForm({ files, onMake }: LinkFormProps) {
  const targets = files.flatMap(({ target }) => (target ? [target as Target] : []));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const target = fields.get("target");
    void onMake({
      expiresInDays: Number(fields.get("days")),
      comment: fields.has("comment"),
      approve: fields.has("approve"),
      // safe because the other choices are targets
      ...(targets.length > 1 && { targets: target ? [target as Target] : targets }),
    });
  };
  return (
    <form class="make-link" onSubmit={submit}>
      <label>
        <b>{t("linkEnds")}</b>
        <select name="days">
          {choices.map((count) => (
            <option key={count} value={count} selected={count === 14}>
              {t("days", { count })}
            </option>
          ))}
        </select>
      </label>
      {targets.length > 1 && (
        <label>
          <b>{t("formats")}</b>
          <select name="target">
            <option value="">{t("allFormats")}</option>
            {targets.map((target) => (
              <option key={target} value={target}>
                {target}
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="check">
        <input type="checkbox" name="comment" defaultChecked />
        <span>{t("mayComment")}</span>
      </label>
      <label class="check">
        <input type="checkbox" name="approve" defaultChecked />
        <span>{t("mayApprove")}</span>
      </label>
      <button type="submit" class="small">
        {t("makeLink")}
      </button>
    </form>
  );
}

function NewLink({ url }: { url: string }) {
  const isCopied = useSignal(false);
  const copy = async (event: MouseEvent) => {
    const field = (event.currentTarget as Element).closest(".new-link")?.querySelector("input");
    field?.select();
    // browsers have a clipboard only on secure origins: elsewhere the text is selected
    await navigator.clipboard?.writeText(url).then(
      () => {
        isCopied.value = true;
      },
      () => {},
    );
  };
  return (
    <div class="card new-link">
      <label>
        <b>{t("link")}</b>
        <input readOnly value={url} dir="ltr" onFocus={(event) => event.currentTarget.select()} />
      </label>
      <p class="actions">
        <button type="button" class="button" onClick={(event) => void copy(event)}>
          {t("copy")}
        </button>
        <span class="soft" role="status">
          {isCopied.value ? t("copied") : t("linkOnce")}
        </span>
      </p>
    </div>
  );
}

type LinksProps = {
  readonly links: readonly Review[];
  /** True if the film was changed since the video of the link. */
  readonly isOld: (link: Review) => boolean;
  readonly onRevoke: (reviewId: string) => Promise<unknown>;
};

function Links({ links, isOld, onRevoke }: LinksProps) {
  const now = Date.now();
  return (
    <div>
      <h3>{t("links")}</h3>
      <ul class="links">
        {links.map((link) => {
          const { id, createdAt, expiresAt, target, approval } = link;
          const name = t("linkOf", { date: dateText(createdAt) });
          const end = t(expiresAt > now ? "endsOn" : "endedOn", { date: dateText(expiresAt) });
          return (
            <li key={id}>
              <p>
                <b>{name}</b>{" "}
                <span class="soft">
                  {target && `${target}, `}
                  {end}
                </span>{" "}
                <DownloadNotes isOlder={isOld(link)} />
              </p>
              <Decision approval={approval} />
              <button type="button" class="plain" onClick={() => void onRevoke(id)}>
                {t("revoke")}
                <span class="unseen"> {name}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** Answers a comment in the name of the account. */
export const sendReply = (
  ids: { readonly projectId: string; readonly workId: string },
  { id: commentId }: WorkComment,
  text: string,
) => unwrap(work.comments[":commentId"].replies.$post({ param: { ...ids, commentId }, json: { text } }));

type CommentsProps = {
  readonly comments: readonly WorkComment[];
  readonly onSeek: (seconds: number) => void;
  readonly onReply: (comment: WorkComment, text: string) => Promise<unknown>;
  readonly onResolve: (comment: WorkComment) => Promise<unknown>;
  readonly onRemove: (comment: WorkComment) => Promise<unknown>;
};

/** Comments of reviewers with their times, which lead there. */
export function Comments({ comments, onSeek, onReply, onResolve, onRemove }: CommentsProps) {
  const count = comments.filter(({ resolved, replyTo }) => !resolved && replyTo === undefined).length;
  return (
    <div class="comments">
      <h3>{t("openComments", { count })}</h3>
      <Threads
        comments={comments}
        onSeek={onSeek}
        onReply={onReply}
        actions={(comment) => (
          <>
            <label class="check">
              <input type="checkbox" checked={comment.resolved} onChange={() => void onResolve(comment)} />
              <span>{t("resolved")}</span>
            </label>
            <button type="button" class="plain" onClick={() => void onRemove(comment)}>
              {t("remove")}
              <span class="unseen"> {comment.text.slice(0, 60)}</span>
            </button>
          </>
        )}
      />
    </div>
  );
}
