import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, type Film, unwrap } from "../api.ts";
import type { Change } from "../screens/film.tsx";
import { t, type Word } from "../words.ts";
import type { Scene } from "./film-facts.ts";

type SceneCardProps = { readonly film: Film; readonly scene: Scene; readonly change: Change };

/** A scene: its picture as soon as it is there, its words, and how to make it anew. */
export function SceneCard({ film, scene, change }: SceneCardProps) {
  const isAsking = useSignal(false);
  const { index, words, seconds, picture, steps } = scene;
  const step = steps.find(({ status }) => status === "error" || status === "unknown") ?? steps.at(-1);
  const isRunning = steps.some(({ status }) => status === "running");
  const state = isRunning ? "running" : (step?.status ?? "waiting");
  const error = step?.attempts.at(-1)?.error?.message;
  const image = steps.find(({ kind }) => kind === "image");
  const canRetry = image && ["done", "error", "unknown"].includes(image.status) && film.status !== "cancelled";
  return (
    <li class="scene" data-state={state}>
      <span class="poster">
        {picture && <img src={picture} alt={t("pictureOf", { number: index + 1 })} />}
        {state !== "done" && <span class="badge">{t(`step_${state}` as Word)}</span>}
      </span>
      <p>
        <b>{t("scene", { number: index + 1 })}</b>{" "}
        {seconds !== undefined && <span class="soft">{t("seconds", { count: seconds })}</span>}
      </p>
      {words && <p class="overlay">{words}</p>}
      {error && <p class="wrong">{error}</p>}
      {canRetry && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            isAsking.value = true;
          }}
        >
          {t("makeAnew")}
          <span class="unseen"> {t("scene", { number: index + 1 })}</span>
        </button>
      )}
      {isAsking.value && image && (
        <RetryDialog
          number={index + 1}
          onClose={() => {
            isAsking.value = false;
          }}
          onRetry={(prompt) =>
            change(() =>
              unwrap(
                api.projects[":projectId"].films[":filmId"].steps[":stepId"].retry.$post({
                  param: { projectId: film.projectId, filmId: film.id, stepId: image.id },
                  json: prompt ? { prompt } : {},
                }),
              ),
            )
          }
        />
      )}
    </li>
  );
}

type RetryDialogProps = {
  readonly number: number;
  readonly onClose: () => void;
  readonly onRetry: (prompt: string) => Promise<void>;
};

function RetryDialog({ number, onClose, onRetry }: RetryDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const prompt = String(new FormData(event.currentTarget as HTMLFormElement).get("prompt") ?? "").trim();
    dialog.current?.close();
    void onRetry(prompt);
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="retry-title">
      <form onSubmit={submit}>
        <h2 id="retry-title">{t("retryTitle", { number })}</h2>
        <div class="field">
          <label for="retry-prompt">{t("retryPrompt")}</label>
          <textarea id="retry-prompt" name="prompt" rows={4} maxLength={20_000} aria-describedby="retry-hint" />
          <p class="hint" id="retry-hint">
            {t("retryHint")}
          </p>
        </div>
        <p class="actions">
          <button type="submit" class="button">
            {t("makeAnew")}
          </button>
          <button type="button" class="plain" onClick={() => dialog.current?.close()}>
            {t("close")}
          </button>
        </p>
      </form>
    </dialog>
  );
}
