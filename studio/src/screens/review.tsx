import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, api, fieldErrors, type SharedReview, sentenceOf, unwrap } from "../api.ts";
import { Marks, Threads } from "../parts/comments.tsx";
import { Decision } from "../parts/decision.tsx";
import { Alert, Area, bound, Field } from "../parts/field.tsx";
import { FormatSwitch } from "../parts/format-switch.tsx";
import { Unread } from "../parts/loaded.tsx";
import { Title } from "../parts/title.tsx";
import { dateText, t, timeText } from "../words.ts";

const routes = api.reviews[":secret"];

/** The page for reviewers without an account: the video of a link, its comments, and the decision. */
export function ReviewScreen({ secret }: { secret: string }) {
  const review = useSignal<SharedReview | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const time = useSignal(0);
  const target = useSignal<string | undefined>(undefined);
  const author: Author = { text: useSignal(""), error: useSignal<string | undefined>(undefined) };
  const video = useRef<HTMLVideoElement>(null);

  const load = () =>
    unwrap(routes.$get({ param: { secret } })).then(
      (loaded) => {
        review.value = loaded;
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
  useEffect(() => {
    void load();
    // others may have commented while the page was in the background
    const reload = () => void (document.visibilityState === "visible" && load());
    document.addEventListener("visibilitychange", reload);
    return () => document.removeEventListener("visibilitychange", reload);
  }, []);

  if (failure.value instanceof ApiError && ["not_found", "link_expired"].includes(failure.value.code)) {
    return <Gone hasEnded={failure.value.code === "link_expired"} />;
  }
  if (!review.value) return <Unread of={failure.value} again={load} />;
  const { name, durationSeconds, comments, expiresAt, approval, formats = [] } = review.value;
  const shown = formats.find((format) => format.target === target.value);
  const { width, height } = shown ?? review.value;
  const show = (at: number) => {
    if (!video.current) return;
    video.current.pause();
    video.current.currentTime = at;
    video.current.focus();
  };
  const add = (comment: SharedReview["comments"][number]) => {
    const { comments, ...rest } = review.value!; // safe because it is shown
    review.value = { ...rest, comments: [...comments, comment] };
  };
  const reply = async ({ createdAt: replyTo }: SharedReview["comments"][number], text: string) => {
    author.error.value = author.text.value.trim() ? undefined : t("nameMissing");
    if (author.error.value) throw new Error(author.error.value);
    const json = { text, author: author.text.value, replyTo };
    add(await unwrap(routes.comments.$post({ param: { secret }, json })));
  };
  const noteTime = () => {
    // the sound of a file may end a moment after its frames
    time.value = Math.min(video.current?.currentTime ?? 0, durationSeconds);
  };
  return (
    <div class="review">
      <header>
        <p class="soft">{t("filmForReview")}</p>
        <Title quiet>{name}</Title>
        <div role="status">{approval && <Decision approval={approval} />}</div>
      </header>
      <div class="watched">
        {/* biome-ignore lint/a11y/useMediaCaption: the words are in the picture */}
        <video
          key={target.value}
          ref={video}
          class={width > height ? "wide" : undefined}
          src={`${routes.file.$url({ param: { secret }, query: {} }).pathname}${shown ? `?target=${shown.target}` : ""}`}
          width={width}
          height={height}
          aria-label={name}
          controls
          playsInline
          preload="auto"
          onTimeUpdate={noteTime}
          onSeeked={noteTime}
          onLoadedMetadata={({ currentTarget }) => {
            // another format stays at its time
            currentTarget.currentTime = time.value;
          }}
        />
        <Marks comments={comments} seconds={durationSeconds} onSeek={show} />
        {formats.length > 1 && (
          <FormatSwitch
            names={formats.map((format) => format.target)}
            shown={target.value ?? formats[0]?.target}
            onChoose={(name) => {
              target.value = name;
            }}
          />
        )}
      </div>
      <div class="words">
        {(review.value.comment || review.value.approve) && (
          <Field label={t("yourName")} autoComplete="name" {...bound(author.text)} error={author.error.value} />
        )}
        {review.value.comment && (
          <CommentForm {...{ secret, time, author }} onWrite={() => video.current?.pause()} onSent={add} />
        )}
        <section class="comments" aria-labelledby="comments-title">
          <h2 id="comments-title">{t("comments")}</h2>
          {comments.length === 0 && <p class="soft">{t("noComments")}</p>}
          <Threads comments={comments} onSeek={show} onReply={review.value.comment ? reply : undefined} />
        </section>
        <section class="card" aria-labelledby="decision-title">
          <h2 id="decision-title">{t("decision")}</h2>
          {review.value.approve && (
            <DecisionForm
              {...{ secret, author }}
              onDecided={(approval) => {
                review.value = { ...review.value!, approval }; // safe because it is shown
              }}
            />
          )}
        </section>
        <p class="soft">{t("validUntil", { date: dateText(expiresAt) })}</p>
      </div>
    </div>
  );
}

function Gone({ hasEnded }: { hasEnded: boolean }) {
  return (
    <section class="narrow">
      <Title>{t(hasEnded ? "reviewEnded" : "reviewGone")}</Title>
      <p class="soft">{t(hasEnded ? "reviewEndedHelp" : "reviewGoneHelp")}</p>
    </section>
  );
}

/** The reviewer's name, entered once. */
type Author = { readonly text: Signal<string>; readonly error: Signal<string | undefined> };
type FormProps = { readonly secret: string; readonly author: Author };
type CommentFormProps = FormProps & {
  readonly time: Signal<number>;
  /** Pauses the video, so that the comment is about the visible frame. */
  readonly onWrite: () => void;
  readonly onSent: (comment: SharedReview["comments"][number]) => void;
};

function CommentForm({ secret, author, time, onWrite, onSent }: CommentFormProps) {
  const text = useSignal("");
  const { errors, failure, isBusy, submit } = useSending(author);
  const isSent = useSignal(false);
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    isSent.value = false;
    void submit(text.value.trim() ? {} : { text: t("commentMissing") }, async () => {
      const json = { at: time.value, text: text.value, author: author.text.value };
      onSent(await unwrap(routes.comments.$post({ param: { secret }, json })));
      text.value = "";
      isSent.value = true;
    });
  };
  return (
    <form class="card" noValidate onSubmit={send}>
      <Area
        label={t("yourComment")}
        rows={3}
        value={text.value}
        onFocus={onWrite}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          isSent.value = false;
        }}
        error={errors.text ?? errors.at}
      />
      {failure && <Alert>{failure}</Alert>}
      <p class="actions">
        <button type="submit" class="button" disabled={isBusy}>
          {t("commentAt", { time: timeText(time.value) })}
        </button>
        <span class="soft" role="status">
          {isSent.value && t("sent")}
        </span>
      </p>
    </form>
  );
}

type Approval = NonNullable<SharedReview["approval"]>;
type DecisionFormProps = FormProps & { readonly onDecided: (approval: Approval) => void };

function DecisionForm({ secret, author, onDecided }: DecisionFormProps) {
  const note = useSignal("");
  const { errors, failure, isBusy, submit } = useSending(author);
  const decide = (state: Approval["state"]) =>
    submit({}, async () => {
      const json = { state, author: author.text.value, note: note.value };
      onDecided(await unwrap(routes.approval.$post({ param: { secret }, json })));
    });
  return (
    <form class="decide" noValidate onSubmit={(event) => event.preventDefault()}>
      <Area label={t("note")} rows={2} {...bound(note)} hint={t("noteHint")} error={errors.note} />
      {failure && <Alert>{failure}</Alert>}
      <p class="actions">
        <button type="button" class="button" disabled={isBusy} onClick={() => void decide("approved")}>
          {t("approveFilm")}
        </button>
        <button type="button" class="plain" disabled={isBusy} onClick={() => void decide("changes")}>
          {t("askChanges")}
        </button>
      </p>
    </form>
  );
}

/** Sends a form once it is complete: errors are shown beside their fields, other errors below. */
function useSending(author: Author) {
  const errors = useSignal<Readonly<Record<string, string>>>({});
  const failure = useSignal("");
  const isBusy = useSignal(false);
  const submit = async (lacks: Readonly<Record<string, string>>, send: () => Promise<void>) => {
    const show = (found: Readonly<Record<string, string>>) => {
      errors.value = found;
      author.error.value = found.author;
    };
    show({ ...lacks, ...(!author.text.value.trim() && { author: t("nameMissing") }) });
    failure.value = "";
    if (isBusy.value || Object.keys(errors.value).length > 0) return;
    isBusy.value = true;
    try {
      await send();
    } catch (error) {
      show(fieldErrors(error));
      if (Object.keys(errors.value).length === 0) failure.value = sentenceOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  return { errors: errors.value, failure: failure.value, isBusy: isBusy.value, submit };
}
