import type { SoundLibrary, StoredFile } from "../../engine/ports.ts";
import { assertScopes, type Caller } from "../accounts/caller.ts";
import type { AssetStore } from "../assets/assets.ts";
import { type FindGeneratedMediaPorts, findGeneratedMedia, isGeneratedFor } from "../files/generated-media.ts";
import type { InternalFile, InternalUrls } from "../files/internal-urls.ts";
import type { ProjectStore } from "../projects/projects.ts";
import { isId } from "../shared/ids.ts";
import { madeSound } from "../sounds/sounds.ts";
import type { WorkMediaStore } from "../works/media.ts";
import type { WorkStore } from "../works/works.ts";

type FindInternalFilePorts = FindGeneratedMediaPorts & {
  readonly projects: Pick<ProjectStore, "find">;
  readonly assets: Pick<AssetStore, "find">;
  readonly works: Pick<WorkStore, "find">;
  readonly workMedia: Pick<WorkMediaStore, "find">;
  readonly soundLibrary: SoundLibrary;
};

export type FindInternalUrlPorts = FindInternalFilePorts & { readonly internalUrls: Pick<InternalUrls, "parse"> };

/**
 * Finds the stored file of a URL with the caller's permissions; undefined for an external URL. `file` is undefined for
 * a missing file, and for a file of another user. Throws insufficient_scope. A URL on another host is internal if its
 * path identifies a file in the caller's projects: editors run behind proxies and send their own origin.
 */
export async function findInternalUrl(
  ports: FindInternalUrlPorts,
  caller: Caller,
  url: string,
): Promise<{ readonly file: StoredFile | undefined } | undefined> {
  const internal = ports.internalUrls.parse(url);
  if (!internal) return undefined;
  if (!internal.isOnOwnHost && !(await isOfCaller(ports, caller, internal.file))) return undefined;
  return { file: await findInternalFile(ports, caller, internal.file) };
}

/** True for any file in a project of the caller, even if it does not exist. */
async function isOfCaller(ports: FindInternalFilePorts, caller: Caller, file: InternalFile): Promise<boolean> {
  if (file.kind === "no_file") return false;
  if (file.kind === "made_sound") return madeSound(ports.soundLibrary, file.sound, file.name) !== undefined;
  if (file.kind === "generated_media") return isGeneratedFor(ports, caller, file);
  return await isOwnProject(ports, caller, file.projectId);
}

const isOwnProject = async ({ projects }: FindInternalFilePorts, { user }: Caller, projectId: string) =>
  isId("proj", projectId) && (await projects.find(user.id, projectId)) !== undefined;

async function findInternalFile(
  ports: FindInternalFilePorts,
  caller: Caller,
  file: InternalFile,
): Promise<StoredFile | undefined> {
  if (file.kind === "no_file") return undefined;
  if (file.kind === "made_sound") return madeSound(ports.soundLibrary, file.sound, file.name);
  if (file.kind === "generated_media") return findGeneratedMedia(ports, caller, file);

  assertScopes(caller, file.kind === "asset" ? ["projects:read"] : ["works:read"]);
  const { projectId } = file;
  if (!(await isOwnProject(ports, caller, projectId))) return undefined;
  if (file.kind === "asset") {
    const asset = isId("asset", file.assetId) ? await ports.assets.find(projectId, file.assetId) : undefined;
    return asset?.file;
  }
  const work = isId("work", file.workId) ? await ports.works.find(projectId, file.workId) : undefined;
  const media = work && (await ports.workMedia.find(work.id, file.slot));
  return media?.file;
}
