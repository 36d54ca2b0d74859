import { newId } from "../api.ts";
import { useAttempt } from "../parts/attempt.ts";
import { FileButton } from "../parts/file-button.tsx";
import { Failure } from "../parts/loaded.tsx";
import { sceneSeconds, sendScene } from "../parts/own-cut.tsx";
import { uploadAsset } from "../parts/uploads.ts";
import { t } from "../words.ts";
import { type Bench, draftOfBench } from "./bench.ts";
import { withClips } from "./clips.ts";
import { clipsOf, round, secondsOf } from "./draft.ts";

/** Adds files as scenes after the last one. */
export function AddClips({ bench }: { bench: Bench }) {
  const { session, ids } = bench;
  const { failure, isBusy, attempt } = useAttempt();
  const add = (files: readonly File[]) =>
    attempt(async () => {
      for (const file of files) {
        const asset = await uploadAsset(ids.projectId, file);
        const { generatedScenes } = session.work.value;
        const { scenes } = draftOfBench(bench);
        const known = [...generatedScenes, ...clipsOf(draftOfBench(bench))].map(({ sceneIndex }) => sceneIndex);
        const sceneIndex = Math.max(scenes.length - 1, -1, ...known) + 1;
        await session.changeFiles(() => sendScene(ids, sceneIndex, file));
        const start = secondsOf(draftOfBench(bench));
        const clip = { id: `clip-${newId()}`, start, end: round(start + sceneSeconds(asset)), sceneIndex };
        session.change((draft) => withClips(draft, [...clipsOf(draft), { ...clip, fit: "cover" }]));
        bench.clip.value = clip.id;
        bench.chosen.value = [`clip ${clip.id}`];
        bench.seek(start);
      }
    });
  return (
    <div class="tools">
      <FileButton accept="video/*,image/*" multiple onFiles={(files) => void add(files)}>
        {t("addClips")}
      </FileButton>
      {isBusy.value && <span class="soft">{t("loading")}</span>}
      <Failure of={failure.value} />
    </div>
  );
}
