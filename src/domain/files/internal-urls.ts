import type { MediaSlot } from "../shared/media-slot.ts";
import type { SignedQuery } from "./signed-links.ts";

/** The file that a URL of this service identifies. */
export type InternalFile =
  | { readonly kind: "asset"; readonly projectId: string; readonly assetId: string }
  | { readonly kind: "work_media"; readonly projectId: string; readonly workId: string; readonly slot: MediaSlot }
  | { readonly kind: "generated_media"; readonly mediaId: string; readonly signed: SignedQuery }
  | { readonly kind: "no_file" };

/** The URLs of this service's files. The domain builds and reads them through this port; http/ knows their paths. */
export type InternalUrls = {
  /** Reads a URL of this service, relative or absolute; undefined for any other URL. */
  parse(url: string): InternalFile | undefined;
  workMedia(work: { readonly projectId: string; readonly id: string }, slot: MediaSlot): string;
  generatedMedia(mediaId: string, signed: Required<SignedQuery>): string;
  /** `target` is "" for the only file of an export without named targets. */
  exportFile(exportId: string, target: string): string;
};
