import { useSignal } from "@preact/signals";
import { api, type Film, unwrap, type Work } from "../api.ts";
import { t } from "../words.ts";
import { BudgetOrKey } from "./budget-or-key.tsx";
import { Area, Field } from "./field.tsx";
import type { Change } from "./film-facts.ts";

type WaitingProps = { readonly film: Film; readonly work: Work | undefined; readonly change: Change };

/** The form that resumes a waiting film. */
export function Waiting({ film, work, change }: WaitingProps) {
  const routes = api.projects[":projectId"].films[":filmId"];
  const param = { projectId: film.projectId, filmId: film.id };
  const failed = film.steps.filter(({ status }) => status === "error" || status === "unknown");

  if (film.waitingFor === "approval" && film.waitingAt === "scenario" && work) {
    return <Scenario film={film} work={work} change={change} />;
  }
  if (film.waitingFor === "approval") {
    return (
      <button
        type="button"
        class="button"
        onClick={() => void change(() => unwrap(routes.approve.$post({ param, json: {} })))}
      >
        {t("continue")}
      </button>
    );
  }
  if (film.waitingFor === "step") {
    return (
      <ul class="failed">
        {failed.map(({ id, attempts }) => (
          <li key={id}>
            <p>{attempts.at(-1)?.error?.message ?? t("stepFailed")}</p>
            <p class="actions">
              <button
                type="button"
                class="small"
                onClick={() =>
                  void change(() =>
                    unwrap(routes.steps[":stepId"].retry.$post({ param: { ...param, stepId: id }, json: {} })),
                  )
                }
              >
                {t("again")}
              </button>
              <button
                type="button"
                class="plain"
                onClick={() => void change(() => unwrap(routes.approve.$post({ param, json: { step: id } })))}
              >
                {t("leaveOut")}
              </button>
            </p>
          </li>
        ))}
      </ul>
    );
  }
  return (
    <BudgetOrKey
      waitingFor={film.waitingFor}
      onBudget={(limit) => change(() => unwrap(routes.$put({ param, json: { budget: { limit } } })))}
      onKey={(key) => change(() => unwrap(routes.keys.$post({ param, header: { "x-api-key": key } })))}
    />
  );
}

/** Edits the words and pictures of the scenes: only changed ones are made again. */
function Scenario({ film, work, change }: { film: Film; work: Work; change: Change }) {
  const scenes = useSignal(work.scenes);
  const edit = (index: number, field: "text_overlay" | "image_prompt", value: string) => {
    scenes.value = scenes.value.map((scene, place) => (place === index ? { ...scene, [field]: value } : scene));
  };
  const approve = () =>
    unwrap(
      api.projects[":projectId"].films[":filmId"].approve.$post({
        param: { projectId: film.projectId, filmId: film.id },
        // safe because these are the scenes as loaded, with other texts
        json: { scenario: scenes.value as never },
      }),
    );
  return (
    <form
      class="scenario card"
      onSubmit={(event) => {
        event.preventDefault();
        void change(approve);
      }}
    >
      <ol>
        {scenes.value.map((scene, index) => (
          <li key={index}>
            <Field
              label={t("wordsOf", { number: index + 1 })}
              dir="auto"
              value={String(scene.text_overlay ?? "")}
              onInput={(event) => edit(index, "text_overlay", event.currentTarget.value)}
            />
            <Area
              label={t("promptOf", { number: index + 1 })}
              rows={2}
              value={String(scene.image_prompt ?? "")}
              onInput={(event) => edit(index, "image_prompt", event.currentTarget.value)}
            />
          </li>
        ))}
      </ol>
      <button type="submit" class="button">
        {t("approve")}
      </button>
    </form>
  );
}
