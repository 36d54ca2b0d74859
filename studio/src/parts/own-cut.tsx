import { useSignal } from "@preact/signals";
import { type Asset, api, newId, sendForm, unwrap } from "../api.ts";
import { go, workPath } from "../router.ts";
import { t } from "../words.ts";
import { useAttempt } from "./attempt.ts";
import { FileButton } from "./file-button.tsx";
import { Failure } from "./loaded.tsx";
import { uploadAsset } from "./uploads.ts";

export const cutFiles = "video/*,image/*,audio/*";

/** A scene shows a longer clip for as long; its out point leads further. */
const mostSeconds = 5;
const pictureSeconds = 3;

export const sceneSeconds = ({ duration }: Pick<Asset, "duration">): number =>
  duration === undefined ? pictureSeconds : Math.min(mostSeconds, Math.round(duration * 100) / 100);

/** Puts a file into the place of a scene's clip or picture. */
export const sendScene = (
  { projectId, workId }: { readonly projectId: string; readonly workId: string },
  scene: number,
  file: File,
): Promise<unknown> =>
  sendForm(
    `/api/projects/${projectId}/works/${workId}/media/scene/${scene}/${file.type.startsWith("video/") ? "video" : "image"}`,
    { file },
  );

/** A film cut from a person's own clips, in their order, to the sound among them. */
async function startCut(projectId: string, files: readonly File[], onPart: (part: number) => void): Promise<string> {
  const param = { projectId };
  const shown: { readonly file: File; readonly asset: Asset }[] = [];
  let music: Asset | undefined;
  for (const [at, file] of files.entries()) {
    const asset = await uploadAsset(projectId, file, (part) => onPart((at + part / 2) / files.length));
    if (asset.type === "audio") music ??= asset;
    else shown.push({ file, asset });
  }
  const wide = shown.filter(({ asset: { width = 0, height = 0 } }) => width > height).length;
  const resolution = wide * 2 > shown.length ? { width: 1920, height: 1080 } : { width: 1080, height: 1920 };
  const work = await unwrap(api.projects[":projectId"].works.$post({ param, json: { name: t("ownCut"), resolution } }));
  const ids = { projectId, workId: work.id };
  let start = 0;
  const videoTrack: { id: string; start: number; end: number; sceneIndex: number; fit: string }[] = [];
  for (const [sceneIndex, { file, asset }] of shown.entries()) {
    await sendScene(ids, sceneIndex, file);
    onPart(0.5 + (sceneIndex + 1) / shown.length / 2);
    const end = Math.round((start + sceneSeconds(asset)) * 1000) / 1000;
    videoTrack.push({ id: `clip-${newId()}`, start, end, sceneIndex, fit: "cover" });
    start = end;
  }
  const editorState = { editorData: { videoTrack }, ...(music && { audioUrl: music.url }) };
  await unwrap(api.projects[":projectId"].works[":workId"].$put({ param: ids, json: { editorState } }));
  return work.id;
}

/** Begins a film without a brief: the chosen files are its scenes and its music. */
export function OwnCut({ ensureProject }: { ensureProject: () => Promise<string> }) {
  const part = useSignal<number | undefined>(undefined);
  const { failure, isBusy, attempt } = useAttempt();
  const begin = (files: readonly File[]) =>
    attempt(async () => {
      const projectId = await ensureProject();
      const workId = await startCut(projectId, files, (done) => {
        part.value = done;
      });
      go(workPath(projectId, workId));
    });
  return (
    <div class="own-cut">
      {isBusy.value ? (
        <progress value={part.value ?? 0} aria-label={t("uploading", { name: t("ownCut") })} />
      ) : (
        <FileButton accept={cutFiles} multiple onFiles={(files) => void begin(files)}>
          {t("ownCutStart")}
        </FileButton>
      )}
      <p class="soft">{t("ownCutHint")}</p>
      <Failure of={failure.value} />
    </div>
  );
}
