import type { AssetStore } from "../assets/assets.ts";
import { assertScopes, type Caller } from "../auth/caller.ts";
import type { StoredFile } from "../files/file-store.ts";
import { type FindGeneratedMediaPorts, findGeneratedMedia } from "../files/generated-media.ts";
import type { InternalFile } from "../files/internal-urls.ts";
import type { ProjectStore } from "../projects/projects.ts";
import { isId } from "../shared/ids.ts";
import type { WorkMediaStore } from "../works/media.ts";
import type { WorkStore } from "../works/works.ts";

export type FindInternalFilePorts = FindGeneratedMediaPorts & {
  readonly projects: Pick<ProjectStore, "find">;
  readonly assets: Pick<AssetStore, "find">;
  readonly works: Pick<WorkStore, "find">;
  readonly workMedia: Pick<WorkMediaStore, "find">;
};

/**
 * Finds the stored file of an internal URL with the caller's permissions. Returns undefined for a missing file and for
 * a file of another user alike. Throws insufficient_scope.
 */
export async function findInternalFile(
  ports: FindInternalFilePorts,
  caller: Caller,
  file: InternalFile,
): Promise<StoredFile | undefined> {
  if (file.kind === "no_file") return undefined;
  if (file.kind === "generated_media") return findGeneratedMedia(ports, caller, file);

  assertScopes(caller, file.kind === "asset" ? ["projects:read"] : ["works:read"]);
  const { projectId } = file;
  if (!isId("proj", projectId) || !(await ports.projects.find(caller.user.id, projectId))) return undefined;
  if (file.kind === "asset") {
    const asset = isId("asset", file.assetId) ? await ports.assets.find(projectId, file.assetId) : undefined;
    return asset?.file;
  }
  const work = isId("work", file.workId) ? await ports.works.find(projectId, file.workId) : undefined;
  const media = work && (await ports.workMedia.find(work.id, file.slot));
  return media?.file;
}
