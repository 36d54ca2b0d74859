import { useEffect } from "preact/hooks";
import { api, unwrap, type WorkComment } from "../api.ts";
import { useAttempt } from "../parts/attempt.ts";
import { Failure } from "../parts/loaded.tsx";
import { Comments, sendReply } from "../parts/sharing.tsx";
import type { Bench } from "./bench.ts";

const route = api.projects[":projectId"].works[":workId"].comments;

/** What reviewers say, each at its time, which is marked on the strip, too. */
export function FilmComments({ bench }: { bench: Bench }) {
  const { ids, comments } = bench;
  const { failure, attempt } = useAttempt();
  const change = (send: () => Promise<unknown>) =>
    attempt(async () => {
      await send();
      comments.value = await unwrap(route.$get({ param: ids, query: {} }));
    });
  useEffect(() => {
    void change(async () => {});
  }, []);
  const paramOf = ({ id: commentId }: WorkComment) => ({ ...ids, commentId });
  if (comments.value.length === 0) return <Failure of={failure.value} />;
  return (
    <section class="card details film-comments">
      <Failure of={failure.value} />
      <Comments
        comments={comments.value}
        onSeek={bench.seek}
        onReply={(comment, text) => change(() => sendReply(ids, comment, text))}
        onResolve={(comment) =>
          change(() =>
            unwrap(route[":commentId"].$put({ param: paramOf(comment), json: { resolved: !comment.resolved } })),
          )
        }
        onRemove={(comment) => change(() => unwrap(route[":commentId"].$delete({ param: paramOf(comment) })))}
      />
    </section>
  );
}
