import { t } from "../words.ts";

type DownloadNotesProps = { readonly isSilent?: boolean | undefined; readonly isOlder?: boolean | undefined };

/** Says beside a download or a link what its video lacks. */
export const DownloadNotes = ({ isSilent, isOlder }: DownloadNotesProps) => (
  <>
    {isOlder && <span class="tag">{t("changedSince")}</span>}
    {isSilent && <span class="tag">{t("noSound")}</span>}
  </>
);
