import type { SoundKind } from "../../engine/ports.ts";

/** The files that a work can hold, each named by the last segments of its URL. */
export type MediaSlot = "reference" | "audio" | "voice" | `scene/${number}/${"image" | "video" | "voice"}`;

export type SignedQuery = { readonly expires?: string; readonly signature?: string };

/** Signatures that let anyone who has the URL of a generated medium read it until it expires. */
export type SignedLinks = {
  /** `expiresAt` is in milliseconds since the epoch. */
  sign(mediaId: string, expiresAt: number): Required<SignedQuery>;
  /** True if this service signed the query for this medium and it has not expired. */
  verify(mediaId: string, query: SignedQuery, now?: number): boolean;
};

/** The file that a URL of this service identifies. */
export type InternalFile =
  | { readonly kind: "asset"; readonly projectId: string; readonly assetId: string }
  | { readonly kind: "work_media"; readonly projectId: string; readonly workId: string; readonly slot: MediaSlot }
  | { readonly kind: "generated_media"; readonly mediaId: string; readonly signed: SignedQuery }
  | { readonly kind: "made_sound"; readonly sound: SoundKind; readonly name: string }
  | { readonly kind: "no_file" };

export type InternalUrl = {
  readonly file: InternalFile;
  /** False for an http(s) URL on another host whose path is one of this service's. Never `no_file` then. */
  readonly isOnOwnHost: boolean;
};

/** The URLs of this service's files. The domain builds and reads them through this port; http/ knows their paths. */
export type InternalUrls = {
  /** Reads a URL of this service, relative or absolute, or with such a path on another host; otherwise undefined. */
  parse(url: string): InternalUrl | undefined;
  asset(projectId: string, assetId: string): string;
  workMedia(work: { readonly projectId: string; readonly id: string }, slot: MediaSlot): string;
  /** A bed that is as long as the video, or an effect. */
  madeSound(kind: SoundKind, name: string): string;
  generatedMedia(mediaId: string, signed: Required<SignedQuery>): string;
  /** `target` is "" for the only file of an export without named targets. */
  exportFile(exportId: string, target: string): string;
  /** The poster of such a file. */
  exportPoster(exportId: string, target: string): string;
  /** The page of a review link: absolute, for e-mails. */
  review(secret: string): string;
};
