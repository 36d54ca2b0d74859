import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { readError } from "../../../client/src/errors.ts";
import { type Asset, api, sendForm, unwrap } from "../api.ts";
import { AssetDialog } from "../parts/asset-dialog.tsx";
import { useAttempt } from "../parts/attempt.ts";
import { Failure } from "../parts/loaded.tsx";
import { replacedMedia } from "../session.ts";
import { t } from "../words.ts";
import { type Bench, draftOfBench } from "./bench.ts";
import { type Clip, type Draft, sceneOf } from "./draft.ts";

const media = api.projects[":projectId"].works[":workId"].media;

type Medium = { readonly kind: "video" | "image"; readonly file: Blob };

/** Replaced media of clips by path: the service keeps only the new file. */
const replaced = signal<Readonly<Record<string, Blob | undefined>>>({});

async function download(url: string): Promise<Blob> {
  const response = await fetch(url);
  if (!response.ok) throw await readError(response);
  return await response.blob();
}

/** A picture of one color, as large as the film. */
async function plainPicture(color: string, { editor }: Draft): Promise<Blob> {
  const { width, height } = editor.exportSettings;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d")!; // safe because the canvas has no other context
  context.fillStyle = color;
  context.fillRect(0, 0, width, height);
  return await canvas.convertToBlob();
}

/** Replaces a clip's media by a file of the project, or by a color. */
export function ClipFile({ bench, clip }: { bench: Bench; clip: Clip }) {
  const isChoosing = useSignal(false);
  const { failure, attempt } = useAttempt();
  const { session, ids } = bench;
  const param = { ...ids, sceneIndex: String(sceneOf(session.work.value, clip)) };
  const pathOf = (kind: Medium["kind"]) => media.scene[":sceneIndex"][kind].$url({ param }).pathname;
  const place = pathOf("image");
  const put = (read: () => Promise<Medium>) =>
    session.changeFiles(async () => {
      const { kind, file } = await read();
      const { videoUrl, imageUrl } =
        session.work.value.generatedScenes.find(({ sceneIndex }) => sceneIndex === clip.sceneIndex) ?? {};
      const shown = videoUrl ? "video" : imageUrl ? "image" : undefined;
      const old = shown && (await download(pathOf(shown)));
      await sendForm(pathOf(kind), { file });
      // a video takes precedence over an image
      if (kind === "image" && videoUrl) await unwrap(media.scene[":sceneIndex"].video.$delete({ param }));
      replaced.value = { ...replaced.value, [place]: old };
      // without room or TLS, only until the page is reloaded
      if (old)
        await replacedMedia().then(
          (cache) => cache?.put(place, new Response(old)),
          () => {},
        );
    });
  useEffect(() => {
    const find = async () => {
      const found = replaced.value[place] ?? (await (await (await replacedMedia())?.match(place))?.blob());
      replaced.value = { ...replaced.value, [place]: found };
    };
    void find().catch(() => {});
  }, [place]);
  const mediumOf = (file: Blob): Medium => ({ kind: file.type.startsWith("video/") ? "video" : "image", file });
  const replace = ({ url }: Asset) => put(async () => mediumOf(await download(url)));
  const old = replaced.value[place];
  const fill = (color: string) =>
    attempt(() => put(async () => ({ kind: "image", file: await plainPicture(color, draftOfBench(bench)) })));
  return (
    <>
      <button
        type="button"
        class="tool"
        onClick={() => {
          isChoosing.value = true;
        }}
      >
        {t("workReplace")}
      </button>
      {old && (
        <button type="button" class="tool" onClick={() => void attempt(() => put(async () => mediumOf(old)))}>
          {t("workRestore")}
        </button>
      )}
      <label class="tool ground">
        {t("sceneGround")}
        <input type="color" value="#ffffff" onChange={({ currentTarget }) => void fill(currentTarget.value)} />
      </label>
      <Failure of={failure.value} />
      {isChoosing.value && (
        <AssetDialog
          projectId={ids.projectId}
          title={t("workReplaceTitle")}
          types={["video", "image"]}
          onChoose={replace}
          onClose={() => {
            isChoosing.value = false;
          }}
        />
      )}
    </>
  );
}
