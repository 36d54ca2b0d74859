import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { api, type Film, unwrap } from "../api.ts";
import { t, type Word } from "../words.ts";
import { useAttempt } from "./attempt.ts";
import { Dialog } from "./dialog.tsx";
import { Area } from "./field.tsx";
import type { Change, Scene } from "./film-facts.ts";
import { Failure } from "./loaded.tsx";
import { uploadAsset } from "./uploads.ts";

const routes = api.projects[":projectId"].films[":filmId"].steps;

type SceneCardProps = { readonly film: Film; readonly scene: Scene; readonly change: Change };

/** A scene: its picture once it exists, its words, and buttons to change it. */
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
      {words && (
        <p class="overlay" dir="auto">
          {words}
        </p>
      )}
      {error && <p class="wrong">{error}</p>}
      {canRetry && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            isAsking.value = true;
          }}
        >
          {t("makeAgain")}
          <span class="unseen"> {t("scene", { number: index + 1 })}</span>
        </button>
      )}
      {isAsking.value && image && (
        <RetryDialog
          number={index + 1}
          takesClips={steps.some(({ kind }) => kind === "video")}
          onClose={() => {
            isAsking.value = false;
          }}
          onRetry={async (prompt, file) => {
            const param = { projectId: film.projectId, filmId: film.id };
            const asset = file && (await uploadAsset(film.projectId, file));
            const video = asset?.type === "video" ? steps.find(({ kind }) => kind === "video") : undefined;
            const stepId = (video ?? image).id;
            await change(() =>
              unwrap(
                asset
                  ? routes[":stepId"].$put({ param: { ...param, stepId }, json: { assetId: asset.id } })
                  : routes[":stepId"].retry.$post({ param: { ...param, stepId }, json: prompt ? { prompt } : {} }),
              ),
            );
          }}
        />
      )}
    </li>
  );
}

type RetryDialogProps = {
  readonly number: number;
  readonly takesClips: boolean;
  readonly onClose: () => void;
  readonly onRetry: (prompt: string, file: File | undefined) => Promise<void>;
};

/** Retries a scene with other words, or replaces it by a file. */
function RetryDialog({ number, takesClips, onClose, onRetry }: RetryDialogProps) {
  const { failure, isBusy, attempt } = useAttempt();
  const id = useId();
  const submit = (fields: FormData) => {
    const file = fields.get("file");
    const chosen = file instanceof File && file.size > 0 ? file : undefined;
    return attempt(() => onRetry(String(fields.get("prompt") ?? "").trim(), chosen));
  };
  return (
    <Dialog
      title={t("retryTitle", { number })}
      action={t("makeAgain")}
      isBusy={isBusy.value}
      onSubmit={submit}
      onClose={onClose}
    >
      <Area label={t("retryPrompt")} name="prompt" rows={4} maxLength={20_000} hint={t("retryHint")} />
      <div class="field">
        <label for={id}>{t(takesClips ? "ownClip" : "ownPicture")}</label>
        <input id={id} type="file" name="file" accept={takesClips ? "image/*,video/*" : "image/*"} />
      </div>
      <Failure of={failure.value} />
    </Dialog>
  );
}
