import type { StoredFile } from "../../engine/ports.ts";
import type { AssetStore } from "../assets/assets.ts";
import type { FindGeneratedMediaPorts } from "../files/generated-media.ts";
import type { InternalUrls } from "../files/internal-urls.ts";
import { isId } from "../shared/ids.ts";
import type { WorkMediaStore } from "../works/media.ts";
import type { WorkStore } from "../works/works.ts";

export type FindProjectFilePorts = FindGeneratedMediaPorts & {
  readonly internalUrls: Pick<InternalUrls, "parse">;
  readonly assets: Pick<AssetStore, "findMany">;
  readonly works: Pick<WorkStore, "find">;
  readonly workMedia: Pick<WorkMediaStore, "list">;
};

/**
 * Finds the stored file of a URL that names a file of this project, or a generated one by its signature; undefined for
 * any other URL. `file` is undefined for a missing file, and for a file of another project.
 */
export async function findProjectFile(
  ports: FindProjectFilePorts,
  projectId: string,
  url: string,
): Promise<{ readonly file: StoredFile | undefined } | undefined> {
  const file = ports.internalUrls.parse(url)?.file;
  // made sounds have no picture
  if (!file || file.kind === "no_file" || file.kind === "made_sound") return undefined;
  if (file.kind === "generated_media") {
    const { mediaId, signed } = file;
    const isSigned = isId("media", mediaId) && ports.signedLinks.verify(mediaId, signed);
    return { file: isSigned ? (await ports.generatedMedia.find(mediaId))?.file : undefined };
  }
  if (file.projectId !== projectId) return { file: undefined };
  if (file.kind === "asset") {
    const [asset] = isId("asset", file.assetId) ? await ports.assets.findMany(projectId, [file.assetId]) : [];
    return { file: asset?.file };
  }
  const work = isId("work", file.workId) ? await ports.works.find(projectId, file.workId) : undefined;
  const media = work ? await ports.workMedia.list(work.id) : [];
  return { file: media.find(({ slot }) => slot === file.slot)?.file };
}
