import type { Film } from "../api.ts";
import { t } from "../words.ts";

/** What a film leaves out of its brief, as its warnings quote it, and that it is silent. */
export const FilmNotes = ({ warnings }: Pick<Film, "warnings">) =>
  warnings.map(({ code, message }) => {
    if (code === "silent_result") return <p class="soft">{t("isSilent")}</p>;
    return code === "brief_not_shown" && <p class="soft">{t("notInFilm") + message.replace(/.*?: /, "")}</p>;
  });
