import { Choice } from "../parts/choice.tsx";
import { t } from "../words.ts";
import { type Bench, draftOfBench } from "./bench.ts";
import { colorsIn, familiesIn, withColor, withFamily } from "./film-colors.ts";

/** The type and the colors of all texts and layers: each change is seen in all scenes, and undone in one step. */
export function FilmStyle({ bench: { session }, bench }: { bench: Bench }) {
  const draft = draftOfBench(bench);
  const colors = colorsIn(draft);
  const families = familiesIn(draft);
  const offered = [...new Set([...families, "Inter", "Noto Sans"])];
  if (colors.length === 0 && families.length === 0) return null;
  return (
    <section class="card details" aria-labelledby="film-style">
      <h2 id="film-style">{t("filmStyle")}</h2>
      <p class="hint">{t("filmStyleHint")}</p>
      {families.map((family, at) => (
        <Choice
          key={family}
          label={families.length > 1 ? `${t("font")} ${at + 1}` : t("font")}
          value={family}
          options={offered.map((name) => [name, name])}
          onChange={(next) => session.change((before) => withFamily(before, family, next))}
        />
      ))}
      <div class="own-colors">
        {colors.map((color, at) => (
          // a color that is dragged stays the same field
          <label key={at}>
            <span>
              {t("workColor")} {at + 1}
            </span>
            <input
              type="color"
              value={color}
              onChange={({ currentTarget }) =>
                session.change((before) => withColor(before, color, currentTarget.value))
              }
            />
          </label>
        ))}
      </div>
    </section>
  );
}
