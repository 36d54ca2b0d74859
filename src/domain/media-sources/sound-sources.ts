import type { StoredFile } from "../../engine/ports.ts";
import { DomainError } from "../../errors.ts";
import { assertScopes, type Caller } from "../accounts/caller.ts";
import type { Asset, AssetStore } from "../assets/assets.ts";
import type { ProjectStore } from "../projects/projects.ts";
import { isId } from "../shared/ids.ts";
import { type FindInternalUrlPorts, findInternalUrl } from "./internal-files.ts";

/** A sound in a request: an asset of a project, or an internal URL. */
export type SoundReference = {
  readonly audioUrl?: string | undefined;
  readonly projectId?: string | undefined;
  readonly assetId?: string | undefined;
};

type FoundSound = { readonly file: StoredFile; readonly path: string; readonly asset?: Asset };

export type FindSoundPorts = FindInternalUrlPorts & {
  readonly projects: Pick<ProjectStore, "find">;
  readonly assets: Pick<AssetStore, "find">;
};

/** Finds the stored file that a request names. Throws asset_missing, also for a URL of another service. */
export async function findSound(ports: FindSoundPorts, caller: Caller, reference: SoundReference): Promise<FoundSound> {
  const { audioUrl, projectId = "", assetId = "" } = reference;
  if (audioUrl !== undefined) {
    const path = "audioUrl";
    const found = await findInternalUrl(ports, caller, audioUrl.trim());
    const asset = found?.file && (await assetOf(ports, caller, audioUrl.trim()));
    if (!found?.file) throw new DomainError("asset_missing", { path, what: "The sound that audioUrl names" });
    return { file: found.file, path, ...(asset && { asset }) };
  }
  const path = "assetId";
  const asset = await findAsset(ports, caller, { projectId, assetId });
  if (!asset) throw new DomainError("asset_missing", { path, what: `Asset ${assetId}` });
  return { file: asset.file, path, asset };
}

async function assetOf(ports: FindSoundPorts, caller: Caller, url: string): Promise<Asset | undefined> {
  const parsed = ports.internalUrls.parse(url)?.file;
  return parsed?.kind === "asset" ? await findAsset(ports, caller, parsed) : undefined;
}

async function findAsset(
  { projects, assets }: FindSoundPorts,
  caller: Caller,
  { projectId, assetId }: { readonly projectId: string; readonly assetId: string },
): Promise<Asset | undefined> {
  assertScopes(caller, ["projects:read"]);
  if (!isId("proj", projectId) || !isId("asset", assetId)) return undefined;
  if (!(await projects.find(caller.user.id, projectId))) return undefined;
  return await assets.find(projectId, assetId);
}
