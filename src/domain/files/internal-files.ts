import { assertScopes, type Caller } from "../auth/caller.ts";
import type { Services } from "../services.ts";
import { isId } from "../shared/ids.ts";
import type { StoredFile } from "./file-store.ts";
import { findGenerated } from "./generated-media.ts";
import type { InternalFile } from "./internal-urls.ts";

type FilePorts = Pick<Services, "projects" | "works" | "assets" | "workMedia" | "generatedMedia" | "signedLinks">;

/**
 * The stored file behind a URL of this service, with the caller's rights: somebody else's is as missing as none.
 * Throws insufficient_scope.
 */
export async function findInternalFile(
  ports: FilePorts,
  caller: Caller,
  file: InternalFile,
): Promise<StoredFile | undefined> {
  if (file.kind === "no_file") return undefined;
  if (file.kind === "generated_media") return findGenerated(ports, caller, file);

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
