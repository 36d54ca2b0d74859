import type { StoredFile } from "./files.ts";

/** Something a model made that belongs to no work. */
export type GeneratedMedia = {
  readonly id: string;
  readonly userId: string;
  readonly file: StoredFile;
  readonly createdAt: number;
  readonly expiresAt: number;
};

export type GeneratedMediaStore = {
  add(media: GeneratedMedia): Promise<void>;
  find(mediaId: string): Promise<GeneratedMedia | undefined>;
  /** Removes the rows that are past their time; answers the keys of their files. */
  removeExpired(now: number): Promise<readonly string[]>;
};
