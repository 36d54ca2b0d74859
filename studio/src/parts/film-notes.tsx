import type { Film } from "../api.ts";
import { t } from "../words.ts";

/** Notes that a film leaves out parts of its brief, quoted from its warnings, or has no sound. */
export const FilmNotes = ({ warnings }: Pick<Film, "warnings">) =>
  warnings.map(({ code, message }) => {
    if (code === "silent_result") return <p class="soft">{t("isSilent")}</p>;
    return code === "brief_not_shown" && <p class="soft">{t("notInFilm") + message.replace(/.*?: /, "")}</p>;
  });
