import type { MediaSlot } from "../works/works.ts";

/** What a URL of this service names. */
export type InternalFile =
  | { readonly kind: "asset"; readonly projectId: string; readonly assetId: string }
  | { readonly kind: "work_media"; readonly projectId: string; readonly workId: string; readonly slot: MediaSlot }
  | { readonly kind: "generated_media"; readonly mediaId: string; readonly signed: SignedQuery }
  | { readonly kind: "no_file" };

type SignedQuery = { readonly expires?: string; readonly signature?: string };

const assetPath = /^\/api\/projects\/([^/]+)\/assets\/([^/]+)$/;
const mediaPath =
  /^\/api\/projects\/([^/]+)\/works\/([^/]+)\/media\/(reference|audio|scene\/\d{1,3}\/(?:image|video))$/;
const generatedPath = /^\/api\/media\/([^/]+)$/;

/**
 * Reads a URL of this service, relative or absolute on its own base; undefined for any other.
 * Its `token` counts for nothing: the file is read with the caller's own rights, or with those of a signature.
 */
export function internalFileOf(url: string, publicUrl: string): InternalFile | undefined {
  const parsed = internalUrlOf(url, publicUrl);
  if (!parsed) return undefined;
  const { pathname, searchParams } = parsed;
  const asset = assetPath.exec(pathname);
  if (asset) return { kind: "asset", projectId: asset[1]!, assetId: asset[2]! };
  const media = mediaPath.exec(pathname);
  // safe because the pattern lets only slots through
  if (media) return { kind: "work_media", projectId: media[1]!, workId: media[2]!, slot: media[3] as MediaSlot };
  const generated = generatedPath.exec(pathname);
  if (generated) return { kind: "generated_media", mediaId: generated[1]!, signed: Object.fromEntries(searchParams) };
  return { kind: "no_file" };
}

function internalUrlOf(url: string, publicUrl: string): URL | undefined {
  if (!URL.canParse(url, publicUrl)) return undefined;
  const [parsed, base] = [new URL(url, publicUrl), new URL(publicUrl)];
  // not the origin, which a `blob:` URL has too
  return parsed.protocol === base.protocol && parsed.host === base.host ? parsed : undefined;
}
