import { useSignal } from "@preact/signals";
import type { InferResponseType } from "hono/client";
import type { ComponentChildren } from "preact";
import { api, fieldErrors, unwrap } from "../api.ts";
import { useAttempt } from "../parts/attempt.ts";
import { Choice } from "../parts/choice.tsx";
import { Dialog, RemoveDialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { Failure, Show, useLoaded } from "../parts/loaded.tsx";
import { wantedLook } from "../parts/look-choice.tsx";
import { Title } from "../parts/title.tsx";
import { go, projectPath } from "../router.ts";
import { t } from "../words.ts";

const route = api.projects[":projectId"];
const routes = route.templates;

type Listed = InferResponseType<typeof routes.$get, 200>["templates"][number];
type Template = InferResponseType<(typeof routes)[":templateId"]["$get"], 200>;
type TextOverlay = Template["content"]["textOverlays"][number];
type Work = InferResponseType<typeof route.works.$get, 200>[number];

type Open = { readonly what: "edit" | "apply" | "remove"; readonly template: Listed };

/** Texts and pictures to lay over any video: the project's own, and the library's. */
export function TemplatesScreen({ projectId }: { projectId: string }) {
  const param = { projectId };
  const open = useSignal<Open | undefined>(undefined);
  const loaded = useLoaded(async () => {
    const [own, library, looks, project] = await Promise.all([
      unwrap(routes.$get({ param, query: {} })),
      unwrap(api["template-library"].$get()),
      unwrap(api.looks.$get()),
      unwrap(route.$get({ param })),
    ]);
    // safe because the service stores only a valid brand
    const { palette = {} } = (project.styleGuide?.brand ?? {}) as {
      readonly palette?: Readonly<Record<string, string>>;
    };
    const brand = Object.entries(palette)
      .map(([role, color]) => `&${role}=${encodeURIComponent(color)}`)
      .join("");
    return { own: own.templates, library: library.templates, looks: looks.looks, brand };
  });
  const { attempt, reload } = loaded;
  const close = () => {
    open.value = undefined;
  };
  const add = (fromLibrary: string, isUsed: boolean) =>
    attempt(async () => {
      const { id } = await unwrap(routes.$post({ param, json: { fromLibrary } }));
      await reload();
      const template = loaded.value.value?.own.find((each) => each.id === id);
      if (isUsed && template) open.value = { what: "apply", template };
    });
  const remove = (templateId: string) =>
    attempt(async () => {
      await unwrap(routes[":templateId"].$delete({ param: { ...param, templateId } }));
      await reload();
    });
  const { what, template } = open.value ?? {};
  return (
    <section class="place">
      <header class="place-head">
        <Title quiet>{t("templates")}</Title>
      </header>
      <p class="lead">{t("templatesLead")}</p>
      <Show of={loaded}>
        {({ own, library, looks, brand }) => (
          <>
            {own.length > 0 && (
              <section class="shelf" aria-labelledby="own-title">
                <h2 id="own-title">{t("ownTemplates")}</h2>
                <ul class="gallery">
                  {own.map((each) => (
                    <li key={each.id}>
                      <img class="poster" src={`${each.thumbnail}?v=${each.updatedAt}`} alt="" loading="lazy" />
                      <b dir="auto">{each.name}</b>
                      <p class="actions">
                        {(["apply", "edit", "remove"] as const).map((kind) => (
                          <button
                            key={kind}
                            type="button"
                            class={kind === "apply" ? "small" : "plain"}
                            onClick={() => {
                              open.value = { what: kind, template: each };
                            }}
                          >
                            {t(kind)}
                            <span class="unseen"> {each.name}</span>
                          </button>
                        ))}
                      </p>
                    </li>
                  ))}
                </ul>
              </section>
            )}
            <section class="shelf" aria-labelledby="looks-title">
              <h2 id="looks-title">{t("looks")}</h2>
              <p class="soft">{t("looksLead")}</p>
              <ul class="gallery">
                {looks.map(({ name, title, about, preview }) => (
                  <li key={name}>
                    <img class="poster" src={preview} alt="" loading="lazy" />
                    <b>{title}</b>
                    <p class="soft">{about}</p>
                    <button
                      type="button"
                      class="small"
                      onClick={() => {
                        wantedLook.value = name;
                        go(projectPath(projectId));
                      }}
                    >
                      {t("lookUse")}
                      <span class="unseen"> {title}</span>
                    </button>
                  </li>
                ))}
              </ul>
            </section>
            <section class="shelf" aria-labelledby="library-title">
              <h2 id="library-title">{t("library")}</h2>
              <ul class="gallery">
                {library.map(({ id, name, description, previews, animations }) => (
                  <Moving key={id} still={previews["9:16"] + brand} moving={animations["9:16"] + brand}>
                    <b>{name}</b>
                    <p class="soft">{description}</p>
                    <p class="actions">
                      <button type="button" class="small" onClick={() => void add(id, true)}>
                        {t("useInFilm")}
                        <span class="unseen"> {name}</span>
                      </button>
                      <button type="button" class="plain" onClick={() => void add(id, false)}>
                        {t("addTemplate")}
                        <span class="unseen"> {name}</span>
                      </button>
                    </p>
                  </Moving>
                ))}
              </ul>
            </section>
          </>
        )}
      </Show>
      {template && what === "edit" && (
        <EditDialog template={template} projectId={projectId} onSaved={reload} onClose={close} />
      )}
      {template && what === "apply" && <ApplyDialog template={template} projectId={projectId} onClose={close} />}
      {template && what === "remove" && (
        <RemoveDialog
          name={template.name}
          help={t("removeTemplateHelp")}
          failure={loaded.failure.value}
          onSubmit={() => remove(template.id)}
          onClose={close}
        />
      )}
    </section>
  );
}

type MovingProps = { readonly still: string; readonly moving: string; readonly children: ComponentChildren };

/** A card whose picture moves while it is pointed at or has the focus. */
function Moving({ still, moving, children }: MovingProps) {
  const isMoving = useSignal(false);
  const move = () => {
    isMoving.value = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  };
  const rest = () => {
    isMoving.value = false;
  };
  return (
    <li onPointerEnter={move} onFocusIn={move} onPointerLeave={rest} onFocusOut={rest}>
      <span class="poster">
        <img src={still} alt="" loading="lazy" />
        {isMoving.value && <img src={moving} alt="" />}
      </span>
      {children}
    </li>
  );
}

type DialogProps = { readonly template: Listed; readonly projectId: string; readonly onClose: () => void };

const read = (projectId: string, templateId: string): Promise<Template> =>
  unwrap(routes[":templateId"].$get({ param: { projectId, templateId } }));

const colorsOf = ({ fontColor, background }: TextOverlay) => ({ fontColor, ...(background && { background }) });

/** Edits the words of a template and their colors; positions stay. */
function EditDialog({
  template: { id, name },
  projectId,
  onSaved,
  onClose,
}: DialogProps & { onSaved: () => Promise<unknown> }) {
  const { value: template, failure, attempt } = useLoaded(() => read(projectId, id));
  const errors = fieldErrors(failure.value);
  const save = async (fields: FormData) => {
    const { content } = template.value ?? {};
    if (!content) return false;
    const textOverlays = content.textOverlays.map((overlay, index) => {
      const value = (field: string) => String(fields.get(`${index}.${field}`) ?? "");
      const colors = Object.keys(colorsOf(overlay)).map((field) => [field, value(field)] as const);
      return { ...overlay, text: value("text"), ...Object.fromEntries(colors) };
    });
    return attempt(async () => {
      const param = { projectId, templateId: id };
      const json = { name: String(fields.get("name") ?? ""), content: { ...content, textOverlays } };
      await unwrap(routes[":templateId"].$put({ param, json }));
      await onSaved();
    });
  };
  return (
    <Dialog title={name} action={t("save")} onSubmit={save} onClose={onClose}>
      <Field label={t("templateName")} name="name" defaultValue={name} error={errors.name} autoComplete="off" />
      <p class="hint">{t("placeholdersHint")}</p>
      {template.value?.content.textOverlays.map((overlay, index) => (
        <fieldset key={overlay.id} class="overlay-fields">
          <legend class="unseen">{t("textNumber", { number: index + 1 })}</legend>
          <label>
            <span class="unseen">{t("textNumber", { number: index + 1 })}</span>
            <textarea name={`${index}.text`} rows={overlay.text.includes("\n") ? 2 : 1} dir="auto">
              {overlay.text}
            </textarea>
          </label>
          {Object.entries(colorsOf(overlay)).map(([field, color]) => (
            <ColorField
              key={field}
              name={`${index}.${field}`}
              label={t(field === "fontColor" ? "color_text" : "color_background")}
              color={color}
            />
          ))}
        </fieldset>
      ))}
      {!errors.name && <Failure of={failure.value} />}
    </Dialog>
  );
}

/** The browser's color picker knows only six digits; other colors are typed. */
function ColorField({ name, label, color }: { name: string; label: string; color: string }) {
  const isPlain = /^#[0-9a-f]{6}$/i.test(color);
  return (
    <label class="swatch">
      <span>{label}</span>
      <input type={(isPlain ? "color" : "text") as "text"} name={name} defaultValue={color} />
    </label>
  );
}

const placeholder = /\{\{\s*([^{}]+?)\s*\}\}/g;

/** Lays a template over a video, with words for its placeholders. */
function ApplyDialog({ template: { id, name }, projectId, onClose }: DialogProps) {
  const loaded = useLoaded(async () => {
    const [template, works] = await Promise.all([
      read(projectId, id),
      unwrap(route.works.$get({ param: { projectId }, query: { limit: "200" } })),
    ]);
    const texts = template.content.textOverlays.map(({ text }) => text).join("\n");
    return { keys: [...new Set(Array.from(texts.matchAll(placeholder), ([, key = ""]) => key))], works };
  });
  const chosen = useSignal<string | undefined>(undefined);
  const picture = useSignal<string | undefined>(undefined);
  const { failure, isBusy, attempt } = useAttempt();
  const { keys = [], works = [] } = loaded.value.value ?? {};
  const work = works.find((each) => each.id === chosen.value) ?? works[0];
  const apply = async (fields: FormData) => {
    if (!work) return;
    const param = { projectId, workId: work.id };
    const placeholderValues = Object.fromEntries(keys.map((key) => [key, String(fields.get(`value.${key}`) ?? "")]));
    await attempt(async () => {
      const json = { templateId: id, placeholderValues };
      const changed = await unwrap(route.works[":workId"]["apply-template"].$post({ param, json }));
      picture.value = sheetOf(changed);
    });
    return false;
  };
  return (
    <Dialog
      title={t("applyTitle", { name })}
      action={t(picture.value ? "applyAgain" : "apply")}
      isBusy={isBusy.value}
      onSubmit={apply}
      onClose={onClose}
    >
      {loaded.value.value && works.length === 0 ? (
        <p>{t("applyNoWorks")}</p>
      ) : (
        <>
          <Choice
            label={t("applyTo")}
            value={work?.id ?? ""}
            options={works.map((each: Work) => [each.id, each.name])}
            onChange={(value) => {
              chosen.value = value;
              picture.value = undefined;
            }}
          />
          {keys.map((key) => (
            <Field key={key} label={key} name={`value.${key}`} autoComplete="off" />
          ))}
        </>
      )}
      <Failure of={loaded.failure.value} />
      <Failure of={failure.value} />
      <div role="status">
        {picture.value && (
          <>
            <p>{t("applied", { name: work?.name ?? "" })}</p>
            <img class="medium" src={picture.value} alt="" />
          </>
        )}
      </div>
    </Dialog>
  );
}

/** Frames of the whole video in its current state. */
const sheetOf = ({ projectId, id, updatedAt }: { projectId: string; id: string; updatedAt: number }): string =>
  `/api/projects/${projectId}/works/${id}/contact-sheet?columns=4&rows=1&v=${updatedAt}`;
