import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, type Asset, api, type Film, fieldErrors, formats, type Target, unwrap } from "../api.ts";
import { filmPath, go } from "../router.ts";
import { asUser } from "../session.ts";
import { filmLanguages, language, languageName, moneyText, t } from "../words.ts";
import { AssetDialog } from "./asset-dialog.tsx";
import { Checks } from "./checks.tsx";
import { Choice } from "./choice.tsx";
import { Area, bound, Field } from "./field.tsx";
import { FilmNotes } from "./film-notes.tsx";
import { Failure } from "./loaded.tsx";
import { LookChoice, type Palette, wantedLook } from "./look-choice.tsx";
import { PicturesField, usePictures } from "./pictures.tsx";
import { keyHeaders, noChoice, type ProviderChoice, ProvidersField, providerFields } from "./providers.tsx";
import { type Estimated, lasting, type Script, ScriptCards } from "./script.tsx";
import { isUploading } from "./uploads.ts";

type Estimate = Film["estimate"];

const lengths = [10, 15, 20, 30, 45, 60];

/** The delay of an estimate after the last change of the order. */
const estimateAfterMs = 300;

/** The form for ordering a film, with an estimate of its price. `ensureProject` creates a project if there is none. */
export function Composer({ ensureProject }: { ensureProject: () => Promise<string> }) {
  const text = useSignal("");
  const url = useSignal("");
  const targets = useSignal<readonly Target[]>(["9:16"]);
  const seconds = useSignal(20);
  const tongue = useSignal<string>(language.value);
  const checksScenario = useSignal(false);
  const limit = useSignal("");
  const choice = useSignal<ProviderChoice>(noChoice);
  const pictures = usePictures();
  const estimated = useSignal<Estimated | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const look = useSignal(wantedLook.value);
  const palette = useSignal<Palette | undefined>(undefined);
  const music = useSignal<Asset | undefined>(undefined);
  /** Media that the project has already. */
  const picked = useSignal<readonly Asset[]>([]);
  const asking = useSignal<{ readonly projectId: string; readonly isMusic: boolean } | undefined>(undefined);
  const showsLooks = useSignal(wantedLook.value !== undefined);
  const wasEmpty = useSignal(false);
  const edited = useSignal<Script | undefined>(undefined);

  const uploaded = pictures.uploads.value.flatMap(({ asset }) => asset?.id ?? []);
  const assetIds = [...new Set([...picked.value.map(({ id }) => id), ...uploaded])];
  const isWaiting = pictures.uploads.value.some(isUploading);
  const order = {
    brief: {
      ...(text.value.trim() && { text: text.value.trim() }),
      ...(url.value.trim() && { url: url.value.trim() }),
      ...(assetIds.length > 0 && { assetIds }),
    },
    targets: [...targets.value],
    // the scenes of a script say how long they are; it was read with all that an order takes
    ...(edited.value ? { scenario: edited.value as never } : { seconds: seconds.value }),
    language: tongue.value,
    ...(limit.value.trim() && { budget: { limit: limit.value.trim().replace(",", ".") } }),
    ...providerFields(choice.value),
    ...(look.value && { look: look.value }),
    ...(palette.value && { palette: palette.value }),
    ...(music.value && { music: { assetId: music.value.id } }),
    ...(checksScenario.value && { stopAt: ["scenario" as const] }),
  };
  const isEmpty = Object.keys(order.brief).length === 0;
  const header = keyHeaders(choice.value);
  const orderText = JSON.stringify([order, header]);

  useEffect(() => {
    if (isEmpty) {
      estimated.value = undefined;
      return;
    }
    let isCurrent = true;
    const read = async () => {
      const param = { projectId: await ensureProject() };
      const answer = await unwrap(api.projects[":projectId"].films.estimate.$post({ param, json: order, header }));
      if (isCurrent) estimated.value = answer;
    };
    // errors of an order are shown when it is sent
    const forget = () => {
      if (isCurrent) estimated.value = undefined;
    };
    const timer = setTimeout(() => void read().catch(forget), estimateAfterMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [orderText]);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy.value) return;
    failure.value = undefined;
    wasEmpty.value = isEmpty;
    if (isEmpty) return;
    isBusy.value = true;
    try {
      const param = { projectId: await ensureProject() };
      const film = await asUser(() => unwrap(api.projects[":projectId"].films.$post({ param, json: order, header })));
      wantedLook.value = undefined;
      go(filmPath(film.projectId, film.id));
    } catch (error) {
      failure.value = error;
      isBusy.value = false;
    }
  };

  const ask = async (isMusic: boolean) => {
    failure.value = undefined;
    try {
      asking.value = { projectId: await ensureProject(), isMusic };
    } catch (error) {
      failure.value = error;
    }
  };
  const pick = async (asset: Asset) => {
    if (asking.value?.isMusic) music.value = asset;
    else picked.value = [...picked.value.filter(({ id }) => id !== asset.id), asset];
  };
  const errors: Readonly<Record<string, string>> = { ...fieldErrors(failure.value), ...errorByCode(failure.value) };
  const isMissing = wasEmpty.value && isEmpty;
  const briefError = isMissing ? t("briefMissing") : (errors.text ?? errors.brief);

  return (
    <>
      <form class="composer card" onSubmit={(event) => void submit(event)} noValidate aria-busy={isBusy.value}>
        <Area
          label={t("brief")}
          isLabelUnseen
          rows={4}
          maxLength={20_000}
          placeholder={t("briefPlaceholder")}
          {...bound(text)}
          error={briefError}
        />
        <p class="tools">
          <button type="button" class="tool" onClick={() => void ask(false)}>
            {t("fromProject")}
          </button>
          <button type="button" class="tool" onClick={() => void ask(true)}>
            {t(music.value ? "workOtherMusic" : "workChooseMusic")}
          </button>
          {[...picked.value, ...(music.value ? [music.value] : [])].map((asset) => (
            <button
              key={asset.id}
              type="button"
              class="tool picked"
              onClick={() => {
                picked.value = picked.value.filter(({ id }) => id !== asset.id);
                if (music.value?.id === asset.id) music.value = undefined;
              }}
            >
              <span dir="auto">{asset.name}</span> <span class="unseen">{t("remove")}</span>
            </button>
          ))}
        </p>
        <PicturesField pictures={pictures} ensureProject={ensureProject} />
        <div class="choices">
          <Checks legend={t("formats")} options={formats} chosen={targets} isFormat />
          <Choice
            label={t("length")}
            value={String(seconds.value)}
            options={lengths.map((count) => [String(count), t("seconds", { count })])}
            onChange={(value) => {
              seconds.value = Number(value);
              edited.value &&= lasting(edited.value, seconds.value);
            }}
          />
          <Choice
            label={t("filmLanguage")}
            value={tongue.value}
            options={filmLanguages.map((tag) => [tag, languageName(tag)])}
            onChange={(value) => {
              tongue.value = value;
            }}
          />
        </div>
        <details
          class="more"
          open={wantedLook.value !== undefined || undefined}
          onToggle={({ currentTarget }) => {
            showsLooks.value ||= currentTarget.open;
          }}
        >
          <summary>{t("look")}</summary>
          {showsLooks.value && <LookChoice look={look} palette={palette} standard={t("lookFits")} />}
        </details>
        <details class="more">
          <summary>{t("more")}</summary>
          <div class="choices">
            <Field
              label={t("page")}
              type="url"
              inputMode="url"
              placeholder="https://"
              {...bound(url)}
              error={errors.url}
              hint={t("pageHint")}
            />
            <Field
              label={t("budget")}
              inputMode="decimal"
              {...bound(limit)}
              error={errors.limit}
              hint={t("budgetHint")}
            />
          </div>
          <label class="check">
            <input
              type="checkbox"
              checked={checksScenario.value}
              onChange={(event) => {
                checksScenario.value = event.currentTarget.checked;
              }}
            />
            <span>{t("checkScenario")}</span>
          </label>
        </details>
        <details class="more" open={errors.key !== undefined || undefined}>
          <summary>{t("providers")}</summary>
          <ProvidersField choice={choice} error={errors.key} />
        </details>
        {failure.value !== undefined && Object.keys(errors).length === 0 && <Failure of={failure.value} />}
        {!isEmpty && (edited.value ?? estimated.value?.scenario) && (
          <ScriptCards planned={estimated.value?.scenario ?? []} edited={edited} />
        )}
        {!isEmpty && choice.value.chosen.llm && !estimated.value?.scenario && (
          <p class="soft">{t("scriptLater", { name: choice.value.chosen.llm })}</p>
        )}
        {estimated.value && <FilmNotes warnings={estimated.value.warnings} />}
        <div class="order">
          <button type="submit" class="button" disabled={isBusy.value || isWaiting}>
            {t("order")}
          </button>
          <p class="soft" role="status">
            {isWaiting ? t("uploadsFirst") : estimated.value ? priceText(estimated.value.estimate) : t("priceBefore")}
          </p>
        </div>
      </form>
      {asking.value && (
        <AssetDialog
          projectId={asking.value.projectId}
          title={t(asking.value.isMusic ? "workChooseMusic" : "fromProject")}
          types={asking.value.isMusic ? ["audio"] : ["image", "video"]}
          onChoose={pick}
          onClose={() => {
            asking.value = undefined;
          }}
        />
      )}
    </>
  );
}

/** The fields that error codes of an order concern. */
const fieldsOfCodes: Readonly<Record<string, string>> = {
  url_not_allowed: "url",
  url_unreachable: "url",
  provider_key_required: "key",
  provider_key_rejected: "key",
};

function errorByCode(error: unknown): Readonly<Record<string, string>> {
  const field = error instanceof ApiError ? fieldsOfCodes[error.code] : undefined;
  return field && error instanceof ApiError ? { [field]: error.message } : {};
}

function priceText({ low, high, currency, unpriced }: Estimate): string {
  if (unpriced.length > 0) return t("priceUnknown", { models: unpriced.join(", ") });
  if (Number(high) === 0) return t("priceFree");
  return t("price", { low: moneyText(low, currency), high: moneyText(high, currency) });
}
