import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { AssetDialog } from "../parts/asset-dialog.tsx";
import { t, type Word } from "../words.ts";
import { type Bench, draftOfBench, focusOn } from "./bench.ts";
import { withEditor } from "./draft.ts";
import { logoOf, logoSpots, placeLogo, withLogo, withoutLogo } from "./film-logo.ts";
import { Check, Slider } from "./inputs.tsx";

const placeWords = [
  ...["top-left", "top", "top-right", "left", "middle", "right"],
  ...["bottom-left", "bottom", "bottom-right"],
].map((place) => `place_${place}` as Word);

/** A logo over all scenes: its image, its place on a grid of nine, and its size; and the brand of the project. */
export function LogoPanel({ bench: { session, ids }, bench }: { bench: Bench }) {
  const isChoosing = useSignal(false);
  const name = useId();
  const draft = draftOfBench(bench);
  const logo = logoOf(draft);
  return (
    <section class="card details" aria-labelledby="film-logo">
      <h2 id="film-logo">{t("logo")}</h2>
      <Check
        checked={draft.editor.exportSettings.brand === true}
        onValue={(brand) =>
          session.change((before) => withEditor(before, { exportSettings: { ...before.editor.exportSettings, brand } }))
        }
      >
        {t("filmBrand")}
      </Check>
      {logo && (
        <div class="logo-place">
          <img src={`/api/projects/${ids.projectId}/assets/${logo.assetId}/thumbnail`} alt="" />
          <fieldset class="spots">
            <legend class="unseen">{t("logoPlace")}</legend>
            {logoSpots.map((spot, at) => (
              <input
                key={at}
                type="radio"
                {...{ name, "aria-label": t(placeWords[at]!), title: t(placeWords[at]!) }}
                checked={logo.spot === spot}
                onChange={() => session.change((before) => placeLogo(before, { spot }))}
              />
            ))}
          </fieldset>
          <Slider
            label={t("workSize")}
            {...{ value: logo.share, min: 0.05, max: 0.6, step: 0.01 }}
            text={`${Math.round(logo.share * 100)} %`}
            onValue={(share) => session.change((before) => placeLogo(before, { share }), "logo size")}
          />
        </div>
      )}
      <p class="tools">
        <button
          type="button"
          class="tool"
          onClick={() => {
            isChoosing.value = true;
          }}
        >
          {t(logo ? "logoOther" : "logoChoose")}
        </button>
        {logo && (
          <button
            type="button"
            class="tool"
            onClick={() => {
              session.change(withoutLogo);
              focusOn("[aria-labelledby=film-logo] .tool");
            }}
          >
            {t("remove")}
          </button>
        )}
      </p>
      {isChoosing.value && (
        <AssetDialog
          projectId={ids.projectId}
          title={t("logo")}
          types={["image"]}
          onChoose={async (asset) => session.change((before) => withLogo(before, asset))}
          onClose={() => {
            isChoosing.value = false;
          }}
        />
      )}
    </section>
  );
}
