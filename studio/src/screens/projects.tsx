import { useSignal } from "@preact/signals";
import { api, fieldErrors, type Project, unwrap } from "../api.ts";
import { useAttempt } from "../parts/attempt.ts";
import { Dialog, RemoveDialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { Failure, Show, useLoaded } from "../parts/loaded.tsx";
import { Title } from "../parts/title.tsx";
import { loadProjects, projects } from "../projects.ts";
import { go, projectPath } from "../router.ts";
import { dateText, t } from "../words.ts";

const route = api.projects[":projectId"];

export function ProjectsScreen() {
  const loaded = useLoaded(loadProjects);
  const changing = useSignal<Project | "new" | undefined>(undefined);
  const removing = useSignal<Project | undefined>(undefined);
  const close = () => {
    changing.value = undefined;
    removing.value = undefined;
  };

  const save = async (name: string) => {
    const project = changing.value;
    if (project === "new") {
      const { id } = await unwrap(api.projects.$post({ json: { name } }));
      await loadProjects();
      go(projectPath(id));
    } else if (project) {
      await unwrap(route.$put({ param: { projectId: project.id }, json: { name } }));
      await loaded.reload();
    }
  };
  return (
    <section class="place">
      <header class="place-head">
        <Title quiet>{t("projects")}</Title>
        <button
          type="button"
          class="button"
          onClick={() => {
            changing.value = "new";
          }}
        >
          {t("newProject")}
        </button>
      </header>
      <p class="lead">{t("projectsLead")}</p>
      <Show of={loaded}>
        {() => (
          <ul class="lines">
            {projects.value?.map((project) => (
              <li key={project.id}>
                <p>
                  <a class="row-name" href={projectPath(project.id)} dir="auto">
                    {project.name}
                  </a>
                  <span class="soft">{t("changedOn", { date: dateText(project.updatedAt) })}</span>
                </p>
                <p class="actions">
                  <button
                    type="button"
                    class="plain"
                    onClick={() => {
                      changing.value = project;
                    }}
                  >
                    {t("rename")}
                    <span class="unseen"> {project.name}</span>
                  </button>
                  <button
                    type="button"
                    class="plain"
                    onClick={() => {
                      removing.value = project;
                    }}
                  >
                    {t("remove")}
                    <span class="unseen"> {project.name}</span>
                  </button>
                </p>
              </li>
            ))}
          </ul>
        )}
      </Show>
      {changing.value && <NameDialog project={changing.value} onSave={save} onClose={close} />}
      {removing.value && (
        <RemoveDialog
          name={removing.value.name}
          help={t("removeProjectHelp")}
          failure={loaded.failure.value}
          onClose={close}
          onSubmit={async () => {
            const projectId = removing.value?.id ?? "";
            return await loaded.attempt(async () => {
              await unwrap(route.$delete({ param: { projectId } }));
              await loaded.reload();
            });
          }}
        />
      )}
    </section>
  );
}

type NameDialogProps = {
  readonly project: Project | "new";
  readonly onSave: (name: string) => Promise<void>;
  readonly onClose: () => void;
};

function NameDialog({ project, onSave, onClose }: NameDialogProps) {
  const { failure, attempt } = useAttempt();
  const errors = fieldErrors(failure.value);
  const isNew = project === "new";
  return (
    <Dialog
      title={t(isNew ? "newProject" : "rename")}
      action={t(isNew ? "create" : "save")}
      onClose={onClose}
      onSubmit={(fields) => attempt(() => onSave(String(fields.get("name") ?? "")))}
    >
      <Field
        label={t("projectName")}
        name="name"
        defaultValue={isNew ? "" : project.name}
        error={errors.name}
        autoComplete="off"
      />
      {!errors.name && <Failure of={failure.value} />}
    </Dialog>
  );
}
