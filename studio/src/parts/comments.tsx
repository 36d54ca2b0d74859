import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { dateText, t, timeText } from "../words.ts";
import { useAttempt } from "./attempt.ts";
import { Area } from "./field.tsx";
import { Failure } from "./loaded.tsx";

/** A comment of a reviewer, or a reply to one. */
type Said = {
  readonly at: number;
  readonly text: string;
  readonly author: string;
  readonly createdAt: number;
  readonly resolved: boolean;
  readonly replyTo?: number | undefined;
  /** The comments of an owner come from several links. */
  readonly reviewId?: string;
};

type Thread<Comment> = { readonly comment: Comment; readonly replies: readonly Comment[] };

/** The comments in the order of the film, each with its replies in their order. */
export function threadsOf<Comment extends Said>(comments: readonly Comment[]): readonly Thread<Comment>[] {
  const isOf = (reply: Comment, { createdAt, reviewId }: Comment) =>
    reply.replyTo === createdAt && reply.reviewId === reviewId;
  return comments
    .filter(({ replyTo }) => replyTo === undefined)
    .toSorted((one, other) => one.at - other.at || one.createdAt - other.createdAt)
    .map((comment) => ({
      comment,
      replies: comments
        .filter((reply) => isOf(reply, comment))
        .toSorted((one, other) => one.createdAt - other.createdAt),
    }));
}

type ThreadsProps<Comment> = {
  readonly comments: readonly Comment[];
  readonly onSeek: (seconds: number) => void;
  /** Without it, comments have no form for replies. */
  readonly onReply?: ((comment: Comment, text: string) => Promise<unknown>) | undefined;
  readonly actions?: (comment: Comment) => ComponentChildren;
};

/** Comments with their times, which lead there, and their replies. */
export function Threads<Comment extends Said>({ comments, onSeek, onReply, actions }: ThreadsProps<Comment>) {
  return (
    <ol>
      {threadsOf(comments).map(({ comment, replies }) => (
        <li key={`${comment.createdAt} ${comment.at} ${comment.text}`} data-resolved={comment.resolved}>
          <p>
            <button type="button" class="small" onClick={() => onSeek(comment.at)}>
              <span class="unseen">{t("jumpTo", { time: timeText(comment.at) })}</span>
              <span aria-hidden="true">{timeText(comment.at)}</span>
            </button>
            <Author of={comment} />
          </p>
          <p class="said" dir="auto">
            {comment.text}
          </p>
          {replies.length > 0 && (
            <ul>
              {replies.map((reply) => (
                <li key={`${reply.createdAt} ${reply.text}`}>
                  <p>
                    <Author of={reply} />
                  </p>
                  <p class="said" dir="auto">
                    {reply.text}
                  </p>
                </li>
              ))}
            </ul>
          )}
          {(onReply || actions) && (
            <div class="actions">
              {actions?.(comment)}
              {onReply && <ReplyForm to={comment} onReply={(text) => onReply(comment, text)} />}
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

const Author = ({ of: { author, createdAt, resolved } }: { of: Said }) => (
  <>
    <b dir="auto">{author}</b>
    <span class="soft">{resolved ? t("resolved") : dateText(createdAt)}</span>
  </>
);

/** As a constant, it runs once for each form. */
const focusText = (form: HTMLFormElement | null) => form?.querySelector("textarea")?.focus();

function ReplyForm({ to, onReply }: { to: Said; onReply: (text: string) => Promise<unknown> }) {
  const text = useSignal<string | undefined>(undefined);
  const { failure, isBusy, attempt } = useAttempt();
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    const said = text.value?.trim();
    if (!said) return;
    void attempt(async () => {
      await onReply(said);
      text.value = undefined;
    });
  };
  const name = <span class="unseen"> {to.text.slice(0, 60)}</span>;
  if (text.value === undefined)
    return (
      <button
        type="button"
        class="plain"
        onClick={() => {
          text.value = "";
        }}
      >
        {t("reply")}
        {name}
      </button>
    );
  return (
    <form class="reply" onSubmit={send} ref={focusText}>
      <Area
        label={
          <>
            {t("reply")}
            {name}
          </>
        }
        rows={2}
        maxLength={2000}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
      />
      <Failure of={failure.value} />
      <p class="actions">
        <button type="submit" class="small" disabled={isBusy.value || !text.value.trim()}>
          {t("send")}
        </button>
        <button
          type="button"
          class="plain"
          onClick={() => {
            text.value = undefined;
          }}
        >
          {t("cancel")}
        </button>
      </p>
    </form>
  );
}

type MarksProps = {
  readonly comments: readonly Said[];
  readonly seconds: number;
  readonly onSeek: (seconds: number) => void;
};

/** The comments as marks on a bar as long as the film. */
export function Marks({ comments, seconds, onSeek }: MarksProps) {
  const threads = threadsOf(comments);
  if (threads.length === 0 || seconds <= 0) return null;
  return (
    <div class="marks">
      {threads.map(({ comment: { at, text, createdAt, resolved } }) => (
        <button
          key={`${createdAt} ${at} ${text}`}
          type="button"
          data-resolved={resolved}
          style={{ left: `${(100 * at) / seconds}%` }}
          title={text}
          onClick={() => onSeek(at)}
        >
          <span class="unseen">{t("stripComment", { time: timeText(at), text })}</span>
        </button>
      ))}
    </div>
  );
}
