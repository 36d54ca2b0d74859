import type { InternalFile, InternalUrl, InternalUrls, MediaSlot } from "../../domain/files/internal-urls.ts";
import type { SoundKind } from "../../engine/ports.ts";

export const assetPath = (projectId: string, assetId: string) => `/api/projects/${projectId}/assets/${assetId}`;

export const templatePath = (projectId: string, templateId: string) =>
  `/api/projects/${projectId}/templates/${templateId}`;

const pattern = {
  asset: /^\/api\/projects\/([^/]+)\/assets\/([^/]+)$/,
  workMedia:
    /^\/api\/projects\/([^/]+)\/works\/([^/]+)\/media\/(reference|audio|voice|scene\/\d{1,3}\/(?:image|video|voice))$/,
  madeSound: /^\/api\/(bed|effect)s\/([\w-]+)\/sound$/,
  generatedMedia: /^\/api\/media\/([^/]+)$/,
};

/** Builds and parses URLs of stored files. `publicUrl` is the service's base URL. File URLs are relative. */
export const internalUrls = (publicUrl: string): InternalUrls => ({
  parse: (url) => parseInternalUrl(url, publicUrl),
  asset: assetPath,
  workMedia: ({ projectId, id }, slot) => `/api/projects/${projectId}/works/${id}/media/${slot}`,
  madeSound: (kind, name) => `/api/${kind}s/${name}/sound`,
  generatedMedia: (mediaId, { expires, signature }) =>
    `/api/media/${mediaId}?expires=${expires}&signature=${signature}`,
  exportFile: (exportId, target) => `/api/exports/${exportId}/file${target && `?target=${target}`}`,
  exportPoster: (exportId, target) => `/api/exports/${exportId}/poster${target && `?target=${target}`}`,
  review: (secret) => `${publicUrl}/studio/review/${secret}`,
});

function parseInternalUrl(url: string, publicUrl: string): InternalUrl | undefined {
  if (!URL.canParse(url, publicUrl)) return undefined;
  const parsed = new URL(url, publicUrl);
  if (!["http:", "https:"].includes(parsed.protocol)) return undefined;

  const file = parseFile(parsed);
  const isOnOwnHost = isOn(publicUrl, parsed);
  return isOnOwnHost || file.kind !== "no_file" ? { file, isOnOwnHost } : undefined;
}

function isOn(publicUrl: string, { protocol, host }: URL): boolean {
  const base = new URL(publicUrl);
  return protocol === base.protocol && host === base.host;
}

/** Ignores the query's `token`: the file is read with the caller's own scopes, or with the signature of the URL. */
function parseFile({ pathname, searchParams }: URL): InternalFile {
  const asset = pattern.asset.exec(pathname);
  if (asset) return { kind: "asset", projectId: asset[1]!, assetId: asset[2]! };

  const media = pattern.workMedia.exec(pathname);
  // safe because the pattern matches valid slots only
  if (media) return { kind: "work_media", projectId: media[1]!, workId: media[2]!, slot: media[3] as MediaSlot };

  const made = pattern.madeSound.exec(pathname);
  // safe because the pattern matches kinds only
  if (made) return { kind: "made_sound", sound: made[1] as SoundKind, name: made[2]! };

  const generated = pattern.generatedMedia.exec(pathname);
  if (generated) return { kind: "generated_media", mediaId: generated[1]!, signed: Object.fromEntries(searchParams) };

  return { kind: "no_file" };
}
