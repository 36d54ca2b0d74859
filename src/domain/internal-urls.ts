import type { MediaSlot } from "./works.ts";

/** What a URL of this service names. */
export type InternalFile =
  | { readonly kind: "asset"; readonly projectId: string; readonly assetId: string }
  | { readonly kind: "work_media"; readonly projectId: string; readonly workId: string; readonly slot: MediaSlot }
  | { readonly kind: "no_file" };

const assetPath = /^\/api\/projects\/([^/]+)\/assets\/([^/]+)$/;
const mediaPath =
  /^\/api\/projects\/([^/]+)\/works\/([^/]+)\/media\/(reference|audio|scene\/\d{1,3}\/(?:image|video))$/;

/**
 * Reads a URL of this service, relative or absolute on its own base; undefined for any other.
 * Its query (such as `token`) counts for nothing: the file is read with the caller's own rights.
 */
export function internalFileOf(url: string, publicUrl: string): InternalFile | undefined {
  const path = internalPathOf(url, publicUrl);
  if (path === undefined) return undefined;
  const asset = assetPath.exec(path);
  if (asset) return { kind: "asset", projectId: asset[1]!, assetId: asset[2]! };
  const media = mediaPath.exec(path);
  // safe because the pattern lets only slots through
  if (media) return { kind: "work_media", projectId: media[1]!, workId: media[2]!, slot: media[3] as MediaSlot };
  return { kind: "no_file" };
}

function internalPathOf(url: string, publicUrl: string): string | undefined {
  if (!URL.canParse(url, publicUrl)) return undefined;
  const [parsed, base] = [new URL(url, publicUrl), new URL(publicUrl)];
  return parsed.origin === base.origin ? parsed.pathname : undefined;
}
