import { useSignal } from "@preact/signals";
import { t } from "../words.ts";
import { droppable, FileButton } from "./file-button.tsx";
import { useLoaded } from "./loaded.tsx";

/** Begins a film with an edit of another service. */
export function BringEdit({ ensureProject }: { ensureProject: () => Promise<string> }) {
  const file = useSignal<File | undefined>(undefined);
  const begin = ([first]: readonly File[]) => {
    file.value = first;
  };
  return (
    <div class="own-cut" {...droppable(begin)}>
      <FileButton accept=".json,.otio,application/json" onFiles={begin}>
        {t("editStart")}
      </FileButton>
      <p class="soft">{t("editHint")}</p>
      {file.value && <Report file={file.value} ensureProject={ensureProject} onClose={() => begin([])} />}
    </div>
  );
}

/** Loaded when there is an edit. */
function Report(props: Parameters<typeof import("./edit-report.tsx").EditReport>[0]) {
  const { value } = useLoaded(() => import("./edit-report.tsx"));
  const { EditReport } = value.value ?? {};
  return EditReport ? <EditReport {...props} /> : null;
}
