import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Asset, api, drawFrame, fieldErrors, sentenceOf, unwrap } from "../api.ts";
import { useAttempt } from "../parts/attempt.ts";
import { Choice } from "../parts/choice.tsx";
import { Field } from "../parts/field.tsx";
import { FileButton } from "../parts/file-button.tsx";
import { Show, useLoaded } from "../parts/loaded.tsx";
import { Title } from "../parts/title.tsx";
import { uploadAsset } from "../parts/uploads.ts";
import { loadProjects } from "../projects.ts";
import { t, type Word } from "../words.ts";

const route = api.projects[":projectId"];

const roles = ["primary", "secondary", "accent", "text", "background"] as const;
const places = ["top-left", "top", "top-right", "bottom-left", "bottom", "bottom-right"] as const;
/** Bundled fonts for Latin, Greek and Cyrillic. */
const bundledFonts = ["Inter", "Noto Sans"];

type Palette = { readonly [Role in (typeof roles)[number]]?: string };
type Logo = { readonly assetId: string; readonly place: (typeof places)[number]; readonly width?: number };
type Brand = {
  readonly palette?: Palette;
  readonly logo?: Logo | undefined;
  readonly fonts?: { readonly heading?: string; readonly body?: string };
  readonly [field: string]: unknown;
};

type Loaded = {
  readonly name: string;
  readonly styleGuide: Readonly<Record<string, unknown>>;
  readonly etag: string;
  readonly images: readonly Asset[];
  readonly fonts: readonly Asset[];
  /** A work with pictures, to show the brand on. */
  readonly workId: string | undefined;
};

const brandOf = ({ brand }: Readonly<Record<string, unknown>>): Brand =>
  // safe because the service stored it as one
  typeof brand === "object" && brand !== null ? (brand as Brand) : {};

/** Edits the brand of a project's films. */
export function BrandScreen({ projectId }: { projectId: string }) {
  const param = { projectId };
  const draft = useSignal<Brand>({});
  const isSaved = useSignal(false);
  const loaded = useLoaded(async (): Promise<Loaded> => {
    const assets = (type: "image" | "font") => unwrap(route.assets.$get({ param, query: { type, limit: "200" } }));
    const [response, images, fonts, { films }] = await Promise.all([
      route.$get({ param }),
      assets("image"),
      assets("font"),
      unwrap(route.films.$get({ param, query: { limit: "20" } })),
    ]);
    const { name, styleGuide = {} } = await unwrap(response);
    draft.value = brandOf(styleGuide);
    return {
      ...{ name, styleGuide, images: images.assets, fonts: fonts.assets },
      etag: response.headers.get("etag") ?? "",
      workId: films.find(({ status }) => status === "done")?.workId,
    };
  });
  const { value, failure, attempt, reload } = loaded;
  const errors = fieldErrors(failure.value);

  const change = (changes: Brand) => {
    draft.value = { ...draft.value, ...changes };
    isSaved.value = false;
  };
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const { styleGuide = {}, etag = "" } = value.value ?? {};
    const json = { styleGuide: { ...styleGuide, brand: draft.value } };
    isSaved.value = await attempt(async () => {
      // another window may have changed it
      await unwrap(route.$put({ param, json: json as never }, { headers: { "if-match": etag } }));
      await Promise.all([reload(), loadProjects()]);
    });
  };
  const addFile = (file: File, use: (asset: Asset) => void) =>
    attempt(async () => {
      const asset = await uploadAsset(projectId, file);
      const list = asset.type === "font" ? "fonts" : "images";
      if (value.value) value.value = { ...value.value, [list]: [asset, ...value.value[list]] };
      use(asset);
    });

  return (
    <section class="place">
      <header class="place-head">
        <Title quiet>{t("brand")}</Title>
      </header>
      <p class="lead">{t("brandLead")}</p>
      <Show of={loaded}>
        {({ name, images, fonts, styleGuide, workId }) => (
          <div class="two">
            <form class="card" onSubmit={(event) => void save(event)} noValidate>
              <FromPage onColors={(palette) => change({ palette: { ...draft.value.palette, ...palette } })} />
              <fieldset class="colors">
                <legend>{t("colors")}</legend>
                {roles.map((role) => (
                  <Color
                    key={role}
                    label={t(`color_${role}` as Word)}
                    value={draft.value.palette?.[role] ?? ""}
                    error={errors[role]}
                    onChange={(color) => {
                      const { [role]: _, ...rest } = draft.value.palette ?? {};
                      change({ palette: color ? { ...rest, [role]: color } : rest });
                    }}
                  />
                ))}
              </fieldset>
              <LogoField
                images={images}
                logo={draft.value.logo}
                onChange={(logo) => change({ logo })}
                onFile={(file) =>
                  addFile(file, ({ id }) => change({ logo: { place: "top-right", ...draft.value.logo, assetId: id } }))
                }
              />
              <fieldset class="choices">
                <legend>{t("fonts")}</legend>
                {(["heading", "body"] as const).map((part) => (
                  <Choice
                    key={part}
                    label={t(`font_${part}`)}
                    value={draft.value.fonts?.[part] ?? ""}
                    options={[
                      ["", t("fontDefault")],
                      ...fonts.map(({ id, name }) => [id, name] as const),
                      ...bundledFonts.map((family) => [family, family] as const),
                    ]}
                    onChange={(font) => {
                      const { [part]: _, ...rest } = draft.value.fonts ?? {};
                      change({ fonts: font ? { ...rest, [part]: font } : rest });
                    }}
                  />
                ))}
                <p>
                  <FileButton
                    class="plain"
                    accept=".ttf,.otf,.woff,.woff2"
                    onFiles={([file]) =>
                      addFile(file!, ({ id }) => change({ fonts: { ...draft.value.fonts, heading: id } }))
                    }
                  >
                    {t("addFont")}
                  </FileButton>
                </p>
              </fieldset>
              <p class="actions">
                <button type="submit" class="button">
                  {t("save")}
                </button>
                <span class="soft" role="status">
                  {isSaved.value && t("saved")}
                </span>
              </p>
            </form>
            <Sample
              key={JSON.stringify(styleGuide)}
              brand={draft.value}
              isStored={JSON.stringify(draft.value) === JSON.stringify(brandOf(styleGuide))}
              {...{ projectId, workId, name, images }}
            />
          </div>
        )}
      </Show>
    </section>
  );
}

type ColorProps = {
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (color: string) => void;
};

function Color({ label, value, error, onChange }: ColorProps) {
  return (
    <div class="color">
      <input
        type="color"
        aria-label={t("pick", { name: label })}
        value={/^#[0-9a-f]{6}$/i.test(value) ? value : "#888888"}
        data-empty={value === "" ? "" : undefined}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <Field
        label={label}
        value={value}
        placeholder="#"
        dir="ltr"
        error={error}
        onInput={(event) => onChange(event.currentTarget.value.trim())}
      />
    </div>
  );
}

type LogoFieldProps = {
  readonly images: readonly Asset[];
  readonly logo: Logo | undefined;
  readonly onChange: (logo: Logo | undefined) => void;
  readonly onFile: (file: File) => void;
};

function LogoField({ images, logo, onChange, onFile }: LogoFieldProps) {
  return (
    <>
      <fieldset class="logos">
        <legend>{t("logo")}</legend>
        <div class="strip">
          <label>
            <input type="radio" name="logo" checked={!logo} onChange={() => onChange(undefined)} />
            <span>{t("noLogo")}</span>
          </label>
          {images.map(({ id, name, thumbnail }) => (
            <label key={id}>
              <input
                type="radio"
                name="logo"
                checked={logo?.assetId === id}
                onChange={() => onChange({ place: "top-right", ...logo, assetId: id })}
              />
              <img src={thumbnail} alt={name} loading="lazy" />
            </label>
          ))}
        </div>
        <p>
          <FileButton class="plain" accept="image/*" onFiles={([file]) => onFile(file)}>
            {t("addLogo")}
          </FileButton>
        </p>
      </fieldset>
      {logo && (
        <Choice
          label={t("logoPlace")}
          value={logo.place}
          options={places.map((place) => [place, t(`place_${place}` as Word)])}
          // safe because the options are logo positions
          onChange={(place) => onChange({ ...logo, place: place as Logo["place"] })}
        />
      )}
    </>
  );
}

/** Takes the colors of a public page without saving anything. */
function FromPage({ onColors }: { onColors: (palette: Palette) => void }) {
  const url = useSignal("");
  const { failure, isBusy, attempt } = useAttempt();
  const taken = useSignal<number | undefined>(undefined);
  const read = () =>
    attempt(async () => {
      taken.value = undefined;
      const { styleGuide } = await unwrap(
        api["style-guide"]["extract-from-landing"].$post({ json: { url: url.value.trim() }, header: {} }),
      );
      const found = styleGuide.color_palette ?? [];
      taken.value = found.length;
      onColors(Object.fromEntries(found.slice(0, 3).map((color, at) => [roles[at], color])));
    });
  const error = failure.value === undefined ? undefined : sentenceOf(failure.value);
  return (
    <div class="one-line" aria-busy={isBusy.value}>
      <Field
        label={t("fromPage")}
        type="url"
        inputMode="url"
        placeholder="https://"
        value={url.value}
        error={error}
        hint={taken.value === undefined ? t("fromPageHint") : t("colorsTaken", { count: taken.value })}
        onInput={(event) => {
          url.value = event.currentTarget.value;
        }}
      />
      <button type="button" class="small" disabled={isBusy.value || !url.value.trim()} onClick={() => void read()}>
        {t("take")}
      </button>
    </div>
  );
}

type SampleProps = {
  readonly projectId: string;
  readonly workId: string | undefined;
  readonly name: string;
  readonly brand: Brand;
  readonly isStored: boolean;
  readonly images: readonly Asset[];
};

/** The brand on a picture: the saved one drawn by the service, unsaved changes as a sketch. */
function Sample({ projectId, workId, name, brand, isStored, images }: SampleProps) {
  const frame = useSignal<string | undefined>(undefined);
  useEffect(() => {
    if (!workId) return;
    void brandFrame({ projectId, workId }, name).then(
      (url) => {
        frame.value = url;
      },
      // the sketch stays
      () => {},
    );
    return () => URL.revokeObjectURL(frame.value ?? "");
  }, []);
  const { primary, secondary, accent, text, background } = brand.palette ?? {};
  const logo = images.find(({ id }) => id === brand.logo?.assetId);
  const isDrawn = isStored && frame.value !== undefined;
  return (
    <figure class="brand-sample">
      {isDrawn ? (
        <img class="screen" src={frame.value} alt={t("sampleAlt")} />
      ) : (
        <div
          class="screen sketch"
          role="img"
          aria-label={t("sampleAlt")}
          style={{
            background: `linear-gradient(160deg, ${primary ?? "#1b1b3a"}, ${secondary ?? primary ?? "#33335a"})`,
          }}
        >
          {logo && <img src={logo.thumbnail} alt="" data-place={brand.logo?.place} />}
          <b dir="auto" style={{ color: text ?? "#ffffff" }}>
            {name}
          </b>
          <span style={{ color: text ?? "#ffffff", background: background ?? "transparent" }}>
            {t("sampleText")} <em style={{ color: accent ?? text ?? "#ffffff" }}>{t("sampleAccent")}</em>
          </span>
        </div>
      )}
      <figcaption class="soft">{t(isDrawn ? "sampleDrawn" : "sampleSketch")}</figcaption>
    </figure>
  );
}

type WorkPath = { readonly projectId: string; readonly workId: string };

/** A frame of the film with the saved brand. */
function brandFrame(path: WorkPath, name: string): Promise<string> {
  const times = { position: 0, end: 3 };
  const request = {
    ...path,
    clips: [{ ...times, sceneIndex: 0, fit: "cover" as const }],
    texts: [
      { ...times, text: name, fontSize: 110, centerY: -120 },
      { ...times, text: `${t("sampleText")} ${t("sampleAccent")}`, fontSize: 56, centerY: 160 },
    ],
    options: { brand: true, width: 1080, height: 1920 },
  };
  return drawFrame(request, { t: "1", maxSide: "960" });
}
